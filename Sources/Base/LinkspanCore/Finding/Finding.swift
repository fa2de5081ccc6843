/// A problem in a file: what, where, why and what to do.
///
/// A finding is a value in a list. If a file could not be checked at all, that is an error, which is thrown.
package struct Finding: Hashable, Sendable {
  /// What the finding means on a device.
  package enum Severity: String, Hashable, Sendable, CaseIterable {
    /// An app that should open doesn't, or a page the app can't show opens it.
    case error
    /// It depends: on the OS version, on the way the link is followed, on undocumented behaviour.
    case warning
    /// Unusual, but harmless as far as is known.
    case note
  }

  /// A place inside an input.
  package struct Location: Hashable, Sendable {
    package var file: String
    package var start: SourcePosition?
    /// The position just after the last character.
    package var end: SourcePosition?
    /// RFC 6901 pointer to the JSON value, when there is one.
    package var pointer: String?
    /// The line at `start`, or the part of it around the place.
    package var excerpt: String?
    /// How many characters of the line precede the excerpt.
    package var excerptColumn = 0

    @inline(never) package init(
      file: String, start: SourcePosition? = nil, end: SourcePosition? = nil, pointer: String? = nil,
      excerpt: String? = nil
    ) {
      self.file = file
      self.start = start
      self.end = end
      self.pointer = pointer
      self.excerpt = excerpt
    }

    /// The place of a byte range in a text.
    @inline(never) package init(_ source: SourceText, _ range: Range<Int>, pointer: String? = nil) {
      let excerpt = source.excerpt(around: range.lowerBound)
      self.init(
        file: source.name, start: source.position(at: range.lowerBound),
        end: source.position(at: range.upperBound), pointer: pointer, excerpt: excerpt.text)
      excerptColumn = excerpt.skipped
    }
  }

  /// The rule's identifier, such as `aasa.unknown-key`.
  package var rule: String
  package var severity: Severity
  package var location: Location
  /// What is wrong, in one sentence, with a capital letter and a full stop. As in the help, links have no
  /// user and password, and there is neither a private key nor a token.
  package let message: String
  /// The consequence, and what to do about it: a line, and those of ``addHelp(_:)``. A line end in a name of the file begins
  /// none.
  package var help: String?
  /// The number in the catalogue of the rule it rests on, such as `J14`.
  package var source: String?
  /// How to mend it, where only one answer can be meant.
  package var fix: Fix?
  /// The releases that it holds for, of those that were asked about; nil where it is not about releases.
  package var releases: HeldReleases?
  /// Other places of the file that it is about, such as the rules that decide before one that is never reached.
  package var related: [Location] = []
  /// How many more of its kind and severity its file has, which are not in the list.
  package var unlisted = 0

  @inline(never) package init(
    rule: String, severity: Severity, at location: Location, message: String, help: String? = nil,
    source: String? = nil, fix: Fix? = nil
  ) {
    self.rule = rule
    self.severity = severity
    self.location = location
    self.message = Self.sentence(message.withoutUserInformationOfLinks.withoutSecrets)
    self.help = help.map(Self.line)
    self.source = source
    self.fix = fix
  }

  /// Adds a line to the help.
  package mutating func addHelp(_ line: String) { help = (help.map { $0 + "\n" } ?? "") + Self.line(line) }

  /// ``help``, and for which releases the finding holds where that is not all of them.
  package var wholeHelp: String? {
    guard let name = releases?.name else { return help }
    let line = "This holds for \(name)."
    return help.map { $0 + "\n" + line } ?? line
  }

  private static func line(_ text: String) -> String {
    let text = text.withoutUserInformationOfLinks.withoutSecrets
    guard text.utf8.contains(UInt8(ascii: "\n")) else { return text }
    return text.unicodeScalars.reduce(into: "") { line, scalar in
      if scalar == "\n" { line += scalar.visibleEscape } else { line.unicodeScalars.append(scalar) }
    }
  }

  /// However a message was put together, it is read as a sentence.
  private static func sentence(_ text: String) -> String {
    let ending = text.last.map { ".?!:".contains($0) } ?? true ? "" : "."
    // 'iOS', a URL or an identifier keep their own way.
    let word = text.prefix { $0 != " " && $0 != "," }
    let isPlain = word.dropFirst().allSatisfy { $0.isLowercase || $0 == "-" }
    return (isPlain ? text.prefix(1).uppercased() : String(text.prefix(1))) + text.dropFirst() + ending
  }
}

extension Sequence<Finding> {
  /// By file, then place, then severity, then rule: the order a person reads in.
  package func inReadingOrder() -> [Finding] {
    let severities = Finding.Severity.allCases
    func key(_ finding: Finding) -> (String, Int, Int, Int, String, String) {
      (
        finding.location.file, finding.location.start?.line ?? 0, finding.location.start?.column ?? 0,
        severities.firstIndex(of: finding.severity)!, finding.rule, finding.message
      )
    }
    return self.map { (key($0), $0) }.sorted { $0.0 < $1.0 }.map { $0.1 }
  }

  /// How many there are, those included that are not listed.
  package func count(of severity: Finding.Severity) -> Int {
    reduce(0) { $1.severity == severity ? $0 + 1 + $1.unlisted : $0 }
  }
}

extension Finding {
  /// The same about bytes that no fix writes to: those inside a bundle, which would have to be signed again, and those
  /// of a configuration of another program.
  package var withoutFix: Finding {
    var finding = self
    finding.fix = nil
    return finding
  }
}
