package import LinkspanCore

extension OpenFolder {
  /// Writes a copy of a file beside it, with its mode and owner, under the first name that is free, see
  /// ``FileWriter/copyName(of:_:)``. No file is overwritten.
  ///
  /// - Returns: Its path.
  package func keepCopy(of name: String, _ bytes: [UInt8]) throws(LinkspanError) -> String {
    for number in 1...FileWriter.copyLimit {
      let copy = FileWriter.copyName(of: name, number)
      guard try kind(of: copy) == .missing else { continue }
      try writeNew(bytes, to: copy, as: name)
      try sync()
      return self.path(of: copy)
    }
    throw FileWriter.tooManyCopies(of: self.path(of: name))
  }
}
