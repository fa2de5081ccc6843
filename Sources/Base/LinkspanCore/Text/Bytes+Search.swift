extension Array<UInt8> {
  /// Whether the bytes of a text occur.
  package func holds(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { wanted in
      withUnsafeBufferPointer { bytes in
        (0...bytes.count).contains { bytes.holds(wanted, at: $0) }
      }
    }
  }
}

extension String {
  /// Whether the bytes of another text occur, whatever characters they are parts of.
  package func holds(_ text: String) -> Bool { Array(utf8).holds(text) }
}
