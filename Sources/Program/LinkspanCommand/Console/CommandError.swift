package import AppBundle
package import LinkspanCore
package import LinkspanDaemon

/// Why a command could not answer, in words for the person who gave it; ends the program with status 2.
package struct CommandError: Error, CustomStringConvertible {
  /// What, where and why.
  package let message: String
  /// The mistakes of a file that the message is about.
  private let findings: [Finding]
  /// What to do.
  package let help: String?
  /// Whether options do not go together, so that the usage of the command says what to do.
  let isUsage: Bool

  package init(_ message: String, findings: [Finding] = [], help: String? = nil) {
    self.message = message.withoutCredentials
    self.findings = findings
    self.help = help?.withoutCredentials.onOneLine
    isUsage = false
  }

  /// - Parameter helpLines: What to do, a line each.
  package init(_ message: String, helpLines: [String]) {
    self.message = message.withoutCredentials
    findings = []
    help = helpLines.isEmpty ? nil : helpLines.map(\.withoutCredentials.onOneLine).joined(separator: "\n")
    isUsage = false
  }

  package init(_ error: DaemonError) {
    isUsage = error.kind == .usage
    message = error.message + (isUsage ? "." : "")
    findings = error.findings
    help = error.help
  }

  package var description: String { .explained(message, findings: findings, help: help) }

  /// All of it on one line.
  package var text: String { (message + (help.map { " " + $0 } ?? "")).onOneLine }
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
