internal import HeldURLs
package import LinkspanCore

/// An NDEF message with one URI, as an NFC tag holds it.
///
/// - Source: NFC Forum, NDEF 1.0 and the URI record type 1.0; type 2 tag operation for ``tagBytes``.
package struct NDEFMessage: Sendable {
  package let uri: String
  /// The message itself.
  package let bytes: [UInt8]
  /// The message as it lies in the memory of a type 2 tag: with its length before and a terminator behind it.
  package let tagBytes: [UInt8]

  /// Beginnings of URIs by their byte.
  static let abbreviations = [
    "", "http://www.", "https://www.", "http://", "https://", "tel:", "mailto:", "ftp://anonymous:anonymous@",
    "ftp://ftp.", "ftps://", "sftp://", "smb://", "nfs://", "ftp://", "dav://", "news:", "telnet://", "imap:",
    "rtsp://",
    "urn:", "pop:", "sip:", "sips:", "tftp:", "btspp://", "btl2cap://", "btgoep://", "tcpobex://",
    "irdaobex://",
    "file://", "urn:epc:id:", "urn:epc:tag:", "urn:epc:pat:", "urn:epc:raw:", "urn:epc:", "urn:nfc:",
  ]

  /// Tags that are on sale, with the bytes they have for a message and what is around it.
  ///
  /// - Source: NXP, data sheets NTAG213/215/216 and MIFARE Ultralight EV1.
  package static let tags: [(name: String, bytes: Int)] = [
    ("MIFARE Ultralight EV1 (48 bytes)", 48), ("NTAG213", 144), ("NTAG215", 504), ("NTAG216", 888),
  ]

  package init(uri: String) {
    self.uri = uri
    let known = Self.abbreviations.enumerated().filter { uri.hasPrefix($0.element) }
    let best = known.max { $0.element.utf8.count < $1.element.utf8.count }
    let payload = [UInt8(best?.offset ?? 0)] + Array(uri.utf8.dropFirst(best?.element.utf8.count ?? 0))
    // Begin and end of the message, short where the length is one byte, type of the NFC Forum.
    let isShort = payload.count < 256
    let length = isShort ? [UInt8(payload.count)] : Self.big(payload.count, 4)
    bytes = [isShort ? 0xD1 : 0xC1, 1] + length + [UInt8(ascii: "U")] + payload
    let size = bytes.count < 255 ? [UInt8(bytes.count)] : [0xFF] + Self.big(bytes.count, 2)
    tagBytes = [0x03] + size + bytes + [0xFE]
  }

  private static func big(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// Whether a tag of so many bytes holds it, up to the end of the message; the terminator may be left out where it is full.
  package func fits(_ tagBytes: Int) -> Bool { self.tagBytes.count - 1 <= tagBytes }

  /// What everybody who reads the tag would learn, and what iOS does not open when it reads a tag by itself.
  ///
  /// - Source: Apple, "Adding Support for Background Tag Reading": universal links, and the schemes it lists.
  package func findings(at location: Finding.Location) -> [Finding] {
    let scheme = ASCII.lowercased(String(uri.prefix { $0 != ":" }))
    let found = ClipCarrier.findings(uri, at: location) + characterFindings(at: location)
    guard !Self.schemes.contains(scheme) else { return found }
    return found + [
      Finding(
        rule: "clip.ndef-scheme", severity: .warning, at: location,
        message:
          "iOS does not open '\(scheme):' from a tag: it opens universal links and its own schemes only.",
        help: "Write a universal link, such as https://example.com/shop, which opens the app or the clip.",
        source: "AC26")
    ]
  }

  /// The record may hold any letter, and a device before iOS 17 makes a URL of ASCII alone.
  private func characterFindings(at location: Finding.Location) -> [Finding] {
    guard let letter = uri.first(where: { !$0.isASCII }) else { return [] }
    let held = HeldURL(uri)
    return [
      Finding(
        rule: "clip.ndef-characters", severity: .warning, at: location,
        message: "The tag's URL has '\(letter)'.",
        help: held.isChanged && held.fault == nil
          ? "Before iOS 17 a device makes no URL of it. Write the tag as \(held.text.withoutUserInformation)."
          : "Before iOS 17 a device makes no URL of it. Write the tag again, in ASCII.", source: "AC26")
    ]
  }

  /// What background tag reading opens besides universal links: Safari, Mail, Messages, Phone, FaceTime, Home, Shortcuts.
  private static let schemes: Set<String> = hostless.union(["https", "http", "x-hm", "shortcuts"])

  /// Those of the schemes behind which there is an address or a number, and no host.
  private static let hostless: Set<String> = ["mailto", "sms", "tel", "facetime", "facetime-audio"]

  /// Whether a text is a URI without a host that iOS opens from a tag, such as `tel:+4930123456`.
  package static func opensWithoutHost(_ text: String) -> Bool {
    let scheme = text.prefix { $0 != ":" }
    return hostless.contains(ASCII.lowercased(String(scheme)))
      && text.utf8.count > scheme.utf8.count + 1
  }
}

/// Why a dump has no URI.
package struct NDEFError: Error, Hashable, Sendable {
  package let message: String

  init(_ message: String) { self.message = message }
}
