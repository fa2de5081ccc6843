/// Values in the text form in which libpq takes them.
struct PostgresParameters {
  private var bytes: [CChar] = []
  /// Where each value begins; nil for NULL.
  private var starts: [Int?] = []

  init(_ values: [SQLValue]) {
    starts.reserveCapacity(values.count)
    for value in values {
      switch value {
      case .null: starts.append(nil)
      case .int(let number): append(String(number))
      case .real(let number): append(String(number))
      case .text(let text): append(text)
      }
    }
  }

  private mutating func append(_ text: String) {
    starts.append(bytes.count)
    bytes.append(contentsOf: text.utf8.lazy.map { CChar(bitPattern: $0) })
    bytes.append(0)
  }

  /// - Parameter isTerminated: Whether a null pointer follows the values.
  func withPointers<Answer>(
    isTerminated: Bool = false, _ body: (CInt, UnsafePointer<UnsafePointer<CChar>?>?) -> Answer
  ) -> Answer {
    bytes.withUnsafeBufferPointer { bytes in
      var pointers = starts.map { start in start.flatMap { start in bytes.baseAddress.map { $0 + start } } }
      if isTerminated { pointers.append(nil) }
      return pointers.withUnsafeBufferPointer { body(CInt(starts.count), $0.baseAddress) }
    }
  }
}
