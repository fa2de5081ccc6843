internal import LinkspanCore

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
  private static let abbreviations = [
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

  /// The URI of the first record of a dump: a message, or the memory of a type 2 tag from its message on.
  ///
  /// - Throws: What is wrong with the dump, and where.
  package static func uri(of dump: [UInt8]) throws(NDEFError) -> String {
    var offset = 0
    if dump.first == 0x03 || dump.first == 0x00 { offset = try message(in: dump) }
    guard dump.count >= offset + 3 else {
      throw NDEFError("The dump ends at byte \(dump.count), inside a record's head.")
    }
    let head = dump[offset]
    let typeLength = Int(dump[offset + 1])
    guard head & 0x20 == 0 else { throw NDEFError("The first record is chunked, which iOS does not read.") }
    let lengthBytes = head & 0x10 != 0 ? 1 : 4
    let hasIdentifier = head & 0x08 != 0
    let headEnd = offset + 2 + lengthBytes + (hasIdentifier ? 1 : 0)
    guard dump.count >= headEnd else {
      throw NDEFError("The dump ends at byte \(dump.count), inside a record's head.")
    }
    let length = dump[offset + 2..<offset + 2 + lengthBytes].reduce(0) { $0 << 8 | Int($1) }
    let start = headEnd + typeLength + (hasIdentifier ? Int(dump[headEnd - 1]) : 0)
    guard head & 0x07 == 1, dump[headEnd...].prefix(typeLength).elementsEqual([UInt8(ascii: "U")]) else {
      throw NDEFError("The first record is not a URI, so iOS opens nothing.")
    }
    guard length > 0, start + length <= dump.count else {
      throw NDEFError(
        "The record needs \(length) bytes from byte \(start), but the dump has \(dump.count) bytes.")
    }
    let payload = dump[start..<start + length]
    guard let code = payload.first, Int(code) < abbreviations.count else {
      throw NDEFError("The record's abbreviation \(payload.first ?? 0) is reserved.")
    }
    return abbreviations[Int(code)] + String(decoding: payload.dropFirst(), as: UTF8.self)
  }

  /// Where the message of a tag's memory begins, behind blocks of other kinds.
  private static func message(in dump: [UInt8]) throws(NDEFError) -> Int {
    var offset = 0
    while offset < dump.count {
      if dump[offset] == 0x00 {
        offset += 1
        continue
      }
      guard dump[offset] != 0xFE, offset + 1 < dump.count else { break }
      let isLong = dump[offset + 1] == 0xFF
      guard !isLong || offset + 3 < dump.count else { break }
      let length = isLong ? Int(dump[offset + 2]) << 8 | Int(dump[offset + 3]) : Int(dump[offset + 1])
      let content = offset + (isLong ? 4 : 2)
      if dump[offset] == 0x03 { return content }
      offset = content + length
    }
    throw NDEFError("The tag holds no NDEF message.")
  }
}

/// Why a dump has no URI.
package struct NDEFError: Error, Hashable, Sendable {
  package let message: String

  init(_ message: String) { self.message = message }
}
