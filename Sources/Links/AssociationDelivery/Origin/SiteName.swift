internal import AppSiteAssociation
internal import LinkspanCore

/// A host as a person names it for fetching: `example.com`, `https://example.com/` or `bücher.example`.
package struct SiteName: Hashable, Sendable {
  /// In the letters of DNS, lower-case, without port or final dot.
  package let host: String
  /// What a person should know about how the text was read; nil when it was a plain host.
  package let remark: String?

  /// Endings that files have and no public domain: a mistyped file is not looked for in the network.
  private static let fileEndings: Set<String> = [
    "bak", "conf", "der", "entitlements", "html", "htm", "ipa", "json", "json5", "p7m", "pem", "plist", "txt",
    "xcent", "xml", "yaml", "yml",
  ]

  package struct Problem: Error, Hashable, Sendable {
    package let message: String
    package let help: String?

    package init(message: String, help: String?) {
      self.message = message
      self.help = help
    }
  }

  /// - Returns: nil when the text does not look like a host at all, so that it is more likely a file's name.
  /// - Throws: Why a text that looks like a host cannot be one for an association file.
  package static func read(_ text: String) throws(Problem) -> SiteName? {
    let isURL = text.contains("://")
    let shown = text.withoutUserInformation
    let url = LinkURL(isURL ? text : "https://" + text)
    guard !url.host.isEmpty else { return nil }
    if isURL {
      guard url.scheme == "https" else {
        throw Problem(
          message: "'\(shown)' is not an https URL; association files are served over https only (T1).",
          help: "Write the host only: '\(url.host)'.")
      }
    } else if text.contains("/") {
      return nil
    }
    var name = url.host
    if name.hasSuffix(".") { name.removeLast() }
    guard let ascii = try? IDNA.ascii(name) else { return nil }
    let bytes = Array(ascii.utf8)
    let labels = ascii.split(separator: ".", omittingEmptySubsequences: false)
    if !isURL {
      guard labels.count > 1, !fileEndings.contains(String(labels.last ?? "")) else { return nil }
    }
    if ascii.hasPrefix("[") || HostName.isIPv4(bytes) {
      throw Problem(
        message: "'\(shown)' is an IP address; associated domains are host names.",
        help: "Write the host name; '--resolve HOST:443:ADDRESS' connects to a specific address.")
    }
    if let fault = HostName.fault(in: bytes) {
      guard isURL else { return nil }
      throw Problem(
        message: "'\(shown)' is not a host name: it \(fault.text).",
        help: "Write the host name "
          + "as in DNS.")
    }
    if let port = url.port, port != "443" {
      throw Problem(
        message: "'\(shown)' has a port; association files are fetched from port 443 only (E3).",
        help: port.utf8.allSatisfy(ASCII.isDigit)
          ? "Write the host only; '--resolve \(ascii):443:ADDRESS:\(port)' connects to another port."
          : "Write the host only.")
    }
    var remark: String?
    if isURL || url.port != nil {
      remark =
        "'\(shown)' is read as the host '\(ascii)': each host has one file, for all paths"
    } else if ascii != ASCII.lowercased(name) {
      remark = "'\(shown)' is '\(ascii)' in Punycode; entitlements use that form too (E11)"
    }
    return SiteName(host: ascii, remark: remark)
  }
}
