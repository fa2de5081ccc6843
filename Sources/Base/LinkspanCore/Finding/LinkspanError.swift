/// Why something that a person asked for could not be done: what, where, why, and what to do. Nothing in it is secret.
package struct LinkspanError: Error, CustomStringConvertible {
  package enum Kind: Sendable {
    /// Options contradict each other or are incomplete; nothing was attempted.
    case usage
    /// A file, the system, a library or the network refused.
    case failure
    /// It cannot be done now, and later it may. Nothing was changed.
    case unavailable
    /// It may have been done or not.
    case uncertain
  }

  package let kind: Kind
  /// What is wrong: a whole sentence, or with a ``place`` what is true of it, without a full stop.
  package let what: String
  /// Where: the file, the folder, the address or the host at fault; nil where ``what`` says it.
  package let place: String?
  /// Why: what the system or a library said, without a full stop; nil where ``what`` says it.
  package let reason: String?
  /// The system's error number that the reason is the words of (errno(3)); nil for other reasons.
  package let code: CInt?
  /// The mistakes of a file that it is about.
  package let findings: [Finding]
  /// What to do; nil where nothing better than the message can be said.
  package let help: String?

  /// - Parameter what: A whole sentence.
  package init(_ what: String, findings: [Finding] = [], help: String? = nil) {
    self.init(kind: .failure, what: what, findings: findings, help: help?.onOneLine)
  }

  /// - Parameters:
  ///   - what: A whole sentence.
  ///   - helpLines: What to do, a line each.
  package init(_ what: String, helpLines: [String]) {
    let help = helpLines.isEmpty ? nil : helpLines.map { $0.onOneLine }.joined(separator: "\n")
    self.init(kind: .failure, what: what, help: help)
  }

  /// - Parameter what: What is true of the place, without a full stop.
  package init(_ what: String, at place: String, why: String? = nil, code: CInt? = nil, help: String? = nil) {
    self.init(kind: .failure, what: what, place: place, reason: why, code: code, help: help?.onOneLine)
  }

  /// - Parameter what: Without a full stop.
  package init(_ what: String, why: String, code: CInt? = nil, help: String? = nil) {
    self.init(kind: .failure, what: what, reason: why, code: code, help: help?.onOneLine)
  }

  @inline(never) private init(
    kind: Kind, what: String, place: String? = nil, reason: String? = nil, code: CInt? = nil,
    findings: [Finding] = [], help: String? = nil
  ) {
    self.kind = kind
    self.what = what.withoutCredentials
    self.place = place?.withoutCredentials
    self.reason = reason?.withoutCredentials
    self.code = code
    self.findings = findings
    self.help = help?.withoutCredentials
  }

  /// A list in another encoding than the one that all others are in.
  ///
  /// - Parameter name: The file's, in quotation marks.
  package static func inUTF16(_ name: String) -> LinkspanError {
    LinkspanError("\(name) is in UTF-16; expected UTF-8.", help: "'iconv -f UTF-16 -t UTF-8' converts it.")
  }

  /// A device, of which bytes may come without end.
  package static func device(_ path: String) -> LinkspanError {
    LinkspanError("is a device; expected a file", at: path)
  }

  /// Something that cannot be done now, and later may: nothing was changed, or that is not known.
  ///
  /// - Parameter what: A whole sentence.
  package static func temporary(
    _ what: String, isUncertain: Bool = false, help: String? = nil
  ) -> LinkspanError {
    LinkspanError(kind: isUncertain ? .uncertain : .unavailable, what: what, help: help?.onOneLine)
  }

  /// Options that do not go together.
  ///
  /// - Parameter what: Why, without a full stop.
  package static func usage(_ what: String) -> LinkspanError { LinkspanError(kind: .usage, what: what) }

  /// The server that an address names.
  ///
  /// - Parameter place: The flag that it was given with.
  /// - Throws: A usage error; nothing of a credential is in it.
  package static func server(
    _ address: ServiceAddress, of place: String, example: String, takesPath: Bool = false
  ) throws(LinkspanError) -> ServiceAddress.Server {
    do throws(ServiceAddress.Problem) {
      return try address.server(example: example, takesPath: takesPath)
    } catch {
      throw .usage("'\(place)': \(error)")
    }
  }

  /// What, where and why, in one sentence.
  package var message: String {
    guard place != nil || reason != nil else { return kind == .usage ? what + "." : what }
    return (place.map { "'\($0)' " } ?? "") + what + (reason.map { ": \($0)" } ?? "") + "."
  }

  /// The message and the mistakes of the file that it is about.
  package var problem: String { .explained(message, findings: findings, help: nil) }

  /// The message, and what to do on a line of its own.
  package var description: String { .explained(message, findings: findings, help: help) }

  /// The message and what to do, on one line.
  package var text: String { (message + (help.map { " " + $0 } ?? "")).onOneLine }
}
