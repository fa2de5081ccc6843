internal import LinkspanCore

extension NDEFMessage {
  /// The URI that iOS takes of a dump: that of the first URI record.
  ///
  /// - Parameter dump: A message; or the memory of a type 2 tag: whole, from its capability container on, or from the
  ///   first block of its data on.
  /// - Throws: What is wrong with the dump, and where.
  package static func uri(of dump: [UInt8]) throws(NDEFError) -> String {
    guard let uri = try firstURI(in: TagMemory.message(in: dump), readsPosters: true) else {
      throw NDEFError("None of the message's records is a URI, so iOS opens nothing.")
    }
    return uri
  }

  private static func firstURI(
    in message: ArraySlice<UInt8>, readsPosters: Bool
  ) throws(NDEFError) -> String? {
    var rest = message
    while true {
      let record = try Record(&rest)
      if record.isURI { return try uri(of: record) }
      if readsPosters, record.isPoster, let uri = try firstURI(in: record.payload, readsPosters: false) {
        return uri
      }
      if record.isLast || rest.isEmpty { return nil }
    }
  }

  private static func uri(of record: Record) throws(NDEFError) -> String {
    guard !record.isChunked else {
      throw NDEFError("The record of the URI is chunked, which iOS does not read.")
    }
    guard let code = record.payload.first else { throw NDEFError("The record of the URI is empty.") }
    guard Int(code) < abbreviations.count else {
      throw NDEFError("The record's abbreviation \(code) is reserved.")
    }
    guard let rest = String(validating: record.payload.dropFirst(), as: UTF8.self) else {
      throw NDEFError("The record of the URI is not UTF-8.")
    }
    return abbreviations[Int(code)] + rest
  }

  /// One record of a message.
  private struct Record {
    private let head: UInt8
    private let type: ArraySlice<UInt8>
    let payload: ArraySlice<UInt8>

    /// Takes the record that bytes begin with.
    init(_ bytes: inout ArraySlice<UInt8>) throws(NDEFError) {
      let end = bytes.endIndex
      func take(_ count: Int, _ part: String) throws(NDEFError) -> ArraySlice<UInt8> {
        guard count <= bytes.count else {
          throw NDEFError(
            "The message ends at byte \(end), and \(part) needs \(count.counted("byte")) from byte \(bytes.startIndex)."
          )
        }
        defer { bytes = bytes.dropFirst(count) }
        return bytes.prefix(count)
      }
      func number(_ count: Int) throws(NDEFError) -> Int {
        try take(count, "a record's head").reduce(0) { $0 << 8 | Int($1) }
      }
      head = UInt8(try number(1))
      let typeLength = try number(1)
      let length = try number(head & 0x10 != 0 ? 1 : 4)
      let identifierLength = head & 0x08 != 0 ? try number(1) : 0
      type = try take(typeLength, "a record's type")
      _ = try take(identifierLength, "a record's identifier")
      payload = try take(length, "a record's content")
    }

    var isLast: Bool { head & 0x40 != 0 }
    var isChunked: Bool { head & 0x20 != 0 }
    /// Of the NFC Forum's own types.
    private var isWellKnown: Bool { head & 0x07 == 1 }
    var isURI: Bool { isWellKnown && type.elementsEqual("U".utf8) }
    /// Smart Poster, whose content is a message with a URI.
    var isPoster: Bool { isWellKnown && !isChunked && type.elementsEqual("Sp".utf8) }
  }
}

/// The memory of a type 2 tag.
///
/// - Source: NFC Forum, type 2 tag operation 1.1, 2.3; NXP, data sheet of NTAG213/215/216, 8.5.
private enum TagMemory {
  private enum Block {
    static let null: UInt8 = 0x00
    static let lockControl: UInt8 = 0x01
    static let memoryControl: UInt8 = 0x02
    static let message: UInt8 = 0x03
    static let terminator: UInt8 = 0xFE
  }

  /// The identity, the internal and the lock bytes before the capability container.
  private static let headBytes = 12
  private static let containerBytes = 4

  /// The message in a dump, with the places of the dump where the memory keeps it in one piece.
  static func message(in dump: [UInt8]) throws(NDEFError) -> ArraySlice<UInt8> {
    if isContainer(dump[...]) { return try message(in: dump, from: containerBytes) }
    if isContainer(dump.dropFirst(headBytes)) {
      return try message(in: dump, from: headBytes + containerBytes)
    }
    let blocks = [Block.null, Block.lockControl, Block.memoryControl, Block.message]
    // A message begins with its first record, whose head says so.
    if let first = dump.first, blocks.contains(first) { return try message(in: dump, from: 0) }
    return dump[...]
  }

  /// Whether bytes begin with the magic number, a version 1.x and a size that its reserved values leave.
  private static func isContainer(_ bytes: ArraySlice<UInt8>) -> Bool {
    let container = Array(bytes.prefix(containerBytes))
    return container.count == containerBytes && container[0] == 0xE1 && container[1] >> 4 == 1
  }

  /// - Parameter start: Where the data begins; behind a capability container, which says how long it is.
  private static func message(in dump: [UInt8], from start: Int) throws(NDEFError) -> ArraySlice<UInt8> {
    let size = start > 0 ? Int(dump[start - 2]) * 8 : dump.count
    let end = min(dump.count, start + size)
    // Addresses of control blocks count from the first byte of the tag.
    let origin = headBytes + containerBytes - start
    var reserved: Set<Int> = []
    var offset = start
    func next() -> UInt8? {
      while reserved.contains(offset + origin) { offset += 1 }
      guard offset < end else { return nil }
      defer { offset += 1 }
      return dump[offset]
    }
    while let block = next(), block != Block.terminator {
      if block == Block.null { continue }
      guard let short = next() else { break }
      var length = Int(short)
      if short == 0xFF {
        guard let high = next(), let low = next() else { break }
        length = Int(high) << 8 | Int(low)
      }
      var content: [UInt8] = []
      let contentStart = offset
      while content.count < length, let byte = next() { content.append(byte) }
      guard content.count == length else {
        throw NDEFError(
          "The block at byte \(contentStart) has \(length) bytes, and the tag's data ends at byte \(end).")
      }
      switch block {
      case Block.message:
        guard !content.isEmpty else { throw NDEFError("The tag's NDEF message is empty.") }
        // In one piece, its places are those of the dump.
        return offset - contentStart == length ? dump[contentStart..<offset] : content[...]
      case Block.lockControl where length == 3:
        reserved.formUnion(addresses(content, bytes: (controlSize(content[1]) + 7) / 8))
      case Block.memoryControl where length == 3:
        reserved.formUnion(addresses(content, bytes: controlSize(content[1])))
      default: break
      }
    }
    throw NDEFError("The tag holds no NDEF message.")
  }

  /// A size in a control block, of which 0 means 256.
  private static func controlSize(_ byte: UInt8) -> Int { byte == 0 ? 256 : Int(byte) }

  /// The bytes that a control block keeps from the data: its page times the page's size, and its offset there.
  private static func addresses(_ content: [UInt8], bytes: Int) -> Range<Int> {
    let start = Int(content[0] >> 4) << Int(content[2] & 0x0F) + Int(content[0] & 0x0F)
    return start..<start + bytes
  }
}
