/// The mark that spreadsheets and PowerShell write before a text.
package enum ByteOrderMark {
  /// The first line of a file without its mark; nil where the mark is that of UTF-16.
  package static func removed(from line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    if line.starts(with: [0xFF, 0xFE]) || line.starts(with: [0xFE, 0xFF]) { return nil }
    return line.starts(with: [0xEF, 0xBB, 0xBF]) ? line.dropFirst(3) : line
  }
}
