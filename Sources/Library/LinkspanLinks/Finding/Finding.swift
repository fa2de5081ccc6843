internal import LinkspanCore

/// A problem in an association file: what, where, why and what to do.
public struct Finding: Hashable, Sendable, CustomStringConvertible {
  /// What it means on a device.
  public enum Severity: String, Hashable, Sendable, CaseIterable {
    /// An app that should open doesn't, or a page the app can't show opens it.
    case error
    /// It depends: on the release, on the way the link is followed, on undocumented behaviour.
    case warning
    /// Unusual, but harmless as far as is known.
    case note
  }

  /// The rule's identifier, such as `aasa.unknown-key`; its meaning never changes.
  public let rule: String
  /// What it means on a device.
  public let severity: Severity
  /// What is wrong, in one sentence.
  public let message: String
  /// The consequence, and what to do about it.
  public let help: String?
  /// The line of the file, from 1; nil where it is about the whole file.
  public let line: Int?
  /// The column in Unicode scalars, from 1.
  public let column: Int?
  /// RFC 6901 pointer to the value at fault, where there is one.
  public let pointer: String?

  init(_ finding: LinkspanCore.Finding) {
    rule = finding.rule
    severity =
      switch finding.severity {
      case .error: .error
      case .warning: .warning
      case .note: .note
      }
    message = finding.message
    help = finding.wholeHelp
    line = finding.location.start?.line
    column = finding.location.start?.column
    pointer = finding.location.pointer
  }

  /// `14:18: error[aasa.unknown-key]: …`, and the help behind it.
  public var description: String {
    let place = line.map { "\($0):\(column ?? 1): " } ?? ""
    return "\(place)\(severity.rawValue)[\(rule)]: \(message)" + (help.map { " \($0)" } ?? "")
  }
}
