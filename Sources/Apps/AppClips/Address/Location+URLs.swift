internal import LinkspanCore

extension Finding.Location {
  /// The place of a byte range in a file of URLs. Its line is left out where a URL in it may have a user and a password.
  init(urls source: SourceText, _ range: Range<Int>) {
    self.init(source, range)
    if excerpt?.utf8.contains(UInt8(ascii: "@")) == true { excerpt = nil }
  }
}
