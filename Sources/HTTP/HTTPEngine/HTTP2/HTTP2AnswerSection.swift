internal import Glibc
internal import LinkspanCore

/// The header section that is coming in on a client's connection, and the last one that came whole.
///
/// Sections never mix on a connection (RFC 9113, 4.3), so one piece of memory takes them all. Answers of one server
/// resemble each other: a section with the same bytes as the last one is not read again, and in another one the fields
/// that are equal to the last one's in their places are shared with it.
final class HTTP2AnswerSection {
  /// What a section says, trailers aside.
  struct Head {
    var status = 0
    var fields: [HTTPField] = []
    /// Of the body, as the answer has it.
    var length: HTTPSyntax.Length?
  }

  /// The most memory that waits for the next section. A guess.
  private static let keptLimitBytes = 8_192
  /// Before each name and value: how long the two are.
  private static let prefixBytes = 8

  /// The stream that the section is for; 0 when it is dropped as it comes.
  private(set) var id: Int32 = 0
  /// Of names and values so far.
  private(set) var messageBytes = 0
  private let limits: HTTPLimits
  private var isTrailer = false
  private var fieldBytes = 0
  private var fieldCount = 0
  private var bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 512, alignment: 1)
  private var count = 0
  private var lastBytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 512, alignment: 1)
  private var lastCount = 0
  private var last = Head()

  init(_ limits: HTTPLimits) { self.limits = limits }

  deinit {
    bytes.deallocate()
    lastBytes.deallocate()
  }

  func begin(_ id: Int32, isTrailer: Bool) {
    self.id = id
    self.isTrailer = isTrailer
    (count, messageBytes, fieldBytes, fieldCount) = (0, 0, 0, 0)
  }

  /// What still comes of the section is dropped.
  func drop() { id = 0 }

  /// Takes one field, `:status` included; the library has checked its characters.
  ///
  /// - Returns: Why the answer cannot be used, or nil.
  func add(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) -> ClientFailure? {
    messageBytes += name.count + value.count
    if name.first != UInt8(ascii: ":") {
      fieldBytes += name.count + value.count + HTTP2Stream.fieldOverheadBytes
      fieldCount += 1
      if fieldBytes > limits.headerBytes {
        return ClientFailure(
          kind: .tooLarge(isHeader: true),
          reason: "the header section is larger than \(limits.headerBytes) bytes")
      }
      if fieldCount > limits.headerCount {
        return ClientFailure(
          kind: .tooLarge(isHeader: true), reason: "there are more than \(limits.headerCount) header fields")
      }
    }
    // Trailers are checked and dropped, as in HTTP/1.1.
    if isTrailer { return nil }
    let end = count + Self.prefixBytes + name.count + value.count
    if end > bytes.count { grow(to: end) }
    let start = bytes.baseAddress! + count
    start.storeBytes(of: UInt32(truncatingIfNeeded: name.count), as: UInt32.self)
    start.storeBytes(of: UInt32(truncatingIfNeeded: value.count), toByteOffset: 4, as: UInt32.self)
    if let base = name.baseAddress { memcpy(start + Self.prefixBytes, base, name.count) }
    if let base = value.baseAddress { memcpy(start + Self.prefixBytes + name.count, base, value.count) }
    count = end
    return nil
  }

  /// The section is whole.
  func head() -> Head {
    id = 0
    if count == lastCount, memcmp(bytes.baseAddress!, lastBytes.baseAddress!, count) == 0 { return last }
    var head = Head()
    head.fields.reserveCapacity(fieldCount)
    var place = 0
    var lastPlace = 0
    var lastIndex = 0
    while place < count {
      let (name, value) = Self.field(bytes, at: place)
      let size = Self.prefixBytes + name.count + value.count
      let isField = name.first != UInt8(ascii: ":")
      let isSame =
        lastPlace + size <= lastCount
        && memcmp(bytes.baseAddress! + place, lastBytes.baseAddress! + lastPlace, size) == 0
      if !isField {
        head.status = value.reduce(0) { $0 * 10 + Int($1) - 0x30 }
      } else {
        if name.count == 14, name.elementsEqual("content-length".utf8) {
          head.length = HTTPSyntax.length(HTTPSyntax.text(value))
        }
        head.fields.append(
          isSame ? last.fields[lastIndex] : HTTPField(HTTPSyntax.text(name), HTTPSyntax.text(value)))
      }
      place += size
      if lastPlace < lastCount {
        let (name, value) = Self.field(lastBytes, at: lastPlace)
        lastPlace += Self.prefixBytes + name.count + value.count
        if name.first != UInt8(ascii: ":") { lastIndex += 1 }
      }
    }
    swap(&bytes, &lastBytes)
    lastCount = count
    last = head
    shrink()
    return head
  }

  private static func field(
    _ bytes: UnsafeMutableRawBufferPointer, at place: Int
  ) -> (name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) {
    let nameCount = Int(bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self))
    let valueCount = Int(bytes.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self))
    let text = UnsafeRawBufferPointer(rebasing: bytes[(place + prefixBytes)...]).assumingMemoryBound(
      to: UInt8.self)
    return (
      UnsafeBufferPointer(rebasing: text[..<nameCount]),
      UnsafeBufferPointer(rebasing: text[nameCount..<(nameCount + valueCount)])
    )
  }

  private func grow(to size: Int) {
    let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * size, alignment: 1)
    larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
    bytes.deallocate()
    bytes = larger
  }

  /// Lets a large section go.
  private func shrink() {
    guard lastBytes.count > Self.keptLimitBytes else { return }
    lastBytes.deallocate()
    lastBytes = .allocate(byteCount: 512, alignment: 1)
    lastCount = 0
    last = Head()
  }
}
