internal import Glibc
internal import LinkspanFiles

/// How many columns text may have.
package enum TerminalWidth {
  /// Ours: below this nothing is laid out anew.
  static let least = 40
  /// Ours: longer lines are hard to read.
  private static let mostOfHelp = 118
  /// What help has where no terminal says otherwise, as when it goes to a pager.
  private static let usual = 80

  /// What text written to a descriptor has: `COLUMNS` goes before the terminal; nil without either, where lines are as
  /// long as they are.
  static func ofText(on descriptor: Int32) -> Int? { said.map { max(least, $0) } ?? columns(of: descriptor) }

  /// The columns of the terminal behind a descriptor; nil where there is none.
  private static func columns(of descriptor: Int32) -> Int? {
    guard isatty(descriptor) == 1 else { return nil }
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return max(least, Int(size.ws_col))
  }

  /// For help: `COLUMNS` goes before the terminal.
  package static var ofHelp: Int {
    min(mostOfHelp, ofText(on: 1) ?? usual)
  }

  /// What `COLUMNS` says, where that is a number.
  private static var said: Int? {
    ProcessEnvironment.value("COLUMNS").flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
  }
}
