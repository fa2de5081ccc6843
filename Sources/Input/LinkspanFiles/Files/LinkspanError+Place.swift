internal import LinkspanCore

extension LinkspanError {
  /// A named pipe of which nothing would ever come.
  static func silentPipe(_ path: String) -> LinkspanError {
    LinkspanError(
      "is a named pipe that no program writes to", at: path,
      help: "Start the program that writes to it first, or name a file.")
  }

  /// A named pipe that would take bytes only when somebody reads it.
  static func unreadPipe(_ path: String) -> LinkspanError {
    LinkspanError(
      "is a named pipe that no program reads", at: path,
      help: "Start the program that reads it first, or name a file.")
  }

  /// A name that a folder has and no path of ours can say: what is not UTF-8 in it has become U+FFFD.
  static func nameNotUTF8(_ path: String) -> LinkspanError {
    LinkspanError("The name of '\(path)' is not UTF-8.", help: "Rename it.")
  }
}
