/// Values as libpq takes them: arrays in PostgreSQL's binary form, which it reads without looking for marks and escapes,
/// others as text.
struct PostgresParameters {
  private var bytes: [UInt8] = []
  /// Where each value begins; nil for NULL.
  private var starts: [Int?] = []
  /// How many bytes a binary value has; of a text the terminating zero tells.
  private var lengths: [CInt] = []
  /// 1 for a binary value (libpq, PQexecParams).
  private var formats: [CInt] = []

  init(_ values: [SQLValue]) {
    starts.reserveCapacity(values.count)
    for value in values {
      switch value {
      case .null: note(nil)
      case .int(let number): append(String(number))
      case .real(let number): append(String(number))
      case .text(let text): append(text)
      case .list(let elements): append(elements)
      }
    }
  }

  private mutating func note(_ start: Int?, length: Int = 0, isBinary: Bool = false) {
    starts.append(start)
    lengths.append(CInt(length))
    formats.append(isBinary ? 1 : 0)
  }

  private mutating func append(_ text: String) {
    note(bytes.count)
    bytes.append(contentsOf: text.utf8)
    bytes.append(0)
  }

  // MARK: - Arrays

  /// Of PostgreSQL's catalogue pg_type: int8, float8 and text.
  private static func type(of value: SQLValue) -> UInt32? {
    switch value {
    case .null, .list: nil
    case .int: 20
    case .real: 701
    case .text: 25
    }
  }

  /// An array as array_recv of PostgreSQL reads it: the number of dimensions, whether there is a NULL, the type of the
  /// elements, their number, the first one's index, and each with its length before it.
  private mutating func append(_ elements: [SQLValue]) {
    guard let type = elements.lazy.compactMap(Self.type).first else {
      // Nothing says of which type these are, and a text needs none.
      return append("{" + elements.map { _ in "NULL" }.joined(separator: ",") + "}")
    }
    let start = bytes.count
    appendInteger(1 as UInt32)
    appendInteger(elements.contains(.null) ? 1 : 0 as UInt32)
    appendInteger(type)
    appendInteger(UInt32(elements.count))
    appendInteger(1 as UInt32)
    for element in elements {
      switch element {
      case .null, .list: appendInteger(UInt32.max)
      case .int(let number): appendElement(UInt64(bitPattern: number))
      case .real(let number): appendElement(number.bitPattern)
      case .text(let text):
        appendInteger(UInt32(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
      }
    }
    note(start, length: bytes.count - start, isBinary: true)
  }

  private mutating func appendElement(_ bits: UInt64) {
    appendInteger(8 as UInt32)
    appendInteger(bits)
  }

  /// In network byte order.
  private mutating func appendInteger<Number: FixedWidthInteger>(_ number: Number) {
    withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
  }

  // MARK: - Pointers

  /// What libpq takes: how many values there are, where they begin, their lengths and their formats.
  ///
  /// - Parameter isTerminated: Whether a null pointer follows the values.
  func withPointers<Answer>(
    isTerminated: Bool = false,
    _ body: (
      CInt, UnsafePointer<UnsafePointer<CChar>?>?, _ lengths: UnsafePointer<CInt>?,
      _ formats: UnsafePointer<CInt>?
    ) -> Answer
  ) -> Answer {
    bytes.withUnsafeBytes { raw in
      let first = raw.baseAddress?.assumingMemoryBound(to: CChar.self)
      var pointers = starts.map { start in start.flatMap { start in first.map { $0 + start } } }
      if isTerminated { pointers.append(nil) }
      return pointers.withUnsafeBufferPointer { pointers in
        lengths.withUnsafeBufferPointer { lengths in
          formats.withUnsafeBufferPointer { formats in
            body(CInt(starts.count), pointers.baseAddress, lengths.baseAddress, formats.baseAddress)
          }
        }
      }
    }
  }
}
