extension Array<UInt8> {
  /// Whether the bytes of a text occur.
  package func holds(_ text: String) -> Bool { contains(text.utf8) }
}

extension String {
  /// Whether the bytes of another text occur, whatever characters they are parts of.
  package func holds(_ text: String) -> Bool { utf8.contains(text.utf8) }
}
