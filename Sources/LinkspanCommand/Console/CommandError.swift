package import AppBundle
package import LinkspanDaemon

/// Why a command could not answer, in words for the person who gave it; ends the program with status 2.
package struct CommandError: Error, CustomStringConvertible {
  /// What, where and why.
  package let message: String
  /// What to do.
  package let help: String?
  /// Whether options do not go together, so that the usage of the command says what to do.
  let isUsage: Bool

  package init(_ message: String, help: String? = nil) {
    self.message = message
    self.help = help
    isUsage = false
  }

  package init(_ error: DaemonError) {
    isUsage = error.kind == .usage
    message = error.message + (isUsage ? "." : "")
    help = error.help
  }

  package var description: String { message + (help.map { "\n  \($0)" } ?? "") }

  /// All of it on one line.
  package var text: String { message + (help.map { " " + $0 } ?? "") }
}

extension CommandError {
  /// An answer of the daemon's target, or its error as one of the command.
  package static func mapping<Answer: ~Copyable>(
    _ work: @autoclosure () throws(DaemonError) -> Answer
  ) throws(CommandError) -> Answer {
    do throws(DaemonError) {
      return try work()
    } catch {
      throw CommandError(error)
    }
  }

  /// An answer of the reader of bundles, or its error as one of the command.
  package static func mapping<Answer>(
    bundle work: @autoclosure () throws(BundleError) -> Answer
  ) throws(CommandError) -> Answer {
    do throws(BundleError) {
      return try work()
    } catch {
      throw CommandError(error)
    }
  }

  /// What the reader of bundles says.
  package init(_ error: BundleError) { self.init("\(error)") }
}
