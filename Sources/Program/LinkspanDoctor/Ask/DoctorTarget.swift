internal import AppBundle
internal import AppSiteAssociation
internal import AssociatedDomains
internal import AssociationDelivery
internal import LinkspanCore
internal import LinkspanFiles
internal import SiteInput

/// What a person named, by what it is.
enum DoctorTarget {
  case link(String)
  case host(SiteName)
  /// An association file, or a folder of hosts.
  case site(String)
  case push(String)

  /// - Parameter isAboutPush: Whether flags about a push were given.
  /// - Throws: That it is nothing of these, or cannot be read.
  init(_ text: String, isAboutPush: Bool) throws(LinkspanError) {
    if text == "-" { throw LinkspanError("doctor reads no standard input.", help: "Name a file.") }
    let url = LinkURL(text)
    if ["http", "https"].contains(url.scheme) {
      guard !url.host.isEmpty else {
        throw LinkspanError("'\(text)' has no host.", help: "Write it whole: https://example.com/path.")
      }
      let isBare = url.path.isEmpty && url.query.isEmpty && url.fragment.isEmpty
      self = isBare && !text.hasSuffix("/") ? .host(try Self.host(text)) : .link(text)
      return
    }
    switch try FileReader.kind(of: text) {
    case .folder: self = .site(text)
    case .file, .special: self = Self.isPush(text, isAboutPush: isAboutPush) ? .push(text) : .site(text)
    case .missing where !url.scheme.isEmpty && (text.contains("://") || Self.schemes.contains(url.scheme)):
      throw LinkspanError(
        "'\(text.withoutUserInformation)' is not an https URL, and only web links open apps by an association file.",
        help: "Write the https link. Which app a link such as 'myapp://…' opens, its Info.plist decides.")
    case .missing:
      guard text.contains("/"), !text.hasPrefix("/"), !text.hasPrefix("."),
        SiteFolder.isHost(String(text.prefix { $0 != "/" }))
      else {
        self = .host(try Self.host(text))
        return
      }
      // A link as people say it.
      self = .link("https://" + text)
    }
  }

  /// Links of other kinds, which have no '//'.
  private static let schemes: Set<String> = ["mailto", "tel", "sms", "facetime", "data", "javascript"]

  private static func host(_ text: String) throws(LinkspanError) -> SiteName {
    if let error = LinkspanError.secretForFile(text) { throw error }
    do throws(SiteName.Problem) {
      if let name = try SiteName.read(text) { return name }
    } catch {
      throw LinkspanError(error.message, help: error.help)
    }
    throw LinkspanError(
      "'\(text)' is no link and no host, and there is no file or folder of that name.",
      help: "Write a link (https://example.com/page), a host (example.com), or the path of a file or folder.")
  }

  /// A payload, or a recorded request with one, also in the envelope of Firebase or Amazon SNS; one whose keys stand outside of
  /// 'aps', by the name of the file or by the flags.
  private static func isPush(_ path: String, isAboutPush: Bool) -> Bool {
    guard let bytes = try? FileReader.bytes(path), bytes.count <= 1 << 20 else { return false }
    if path.hasSuffix(".apns") { return true }
    let root = JSONParser.parse(bytes).root
    let isRecorded = root?["headers"]?.object != nil && root?["payload"]?.object != nil
    if isRecorded || root?["aps"] != nil || root?["content-available"] != nil { return true }
    let isEnvelope = ["notification", "message", "APNS", "APNS_SANDBOX"].contains { root?[$0] != nil }
    return (isAboutPush || isEnvelope)
      && root?.object?.contains { Service(rawValue: $0.name) != nil } == false
  }
}
