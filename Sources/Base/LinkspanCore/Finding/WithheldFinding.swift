/// A finding for readers who may not see the file: the rule and the place, without any text of the file.
///
/// A server reads files that other people put there, and tells about them in its log and on its pages. A file may hold
/// anything, also a key that a link leads to, so a message that quotes it would publish that. Here the sentence is the
/// rule's own summary, and the pointer counts the keys that are not words of the format.
package struct WithheldFinding: Hashable, Sendable {
  /// What a kind of file may be said to contain: its rules and the words of its format, both known without any file.
  package struct Format: Sendable {
    /// The summary of each rule by its identifier.
    package let summaries: [String: String]
    /// The keys that the format defines.
    package let keys: Set<String>

    package init(rules: [CheckRule], keys: Set<String>) {
      summaries = Dictionary(rules.map { ($0.identifier, $0.summary) }) { first, _ in first }
      self.keys = keys
    }
  }

  package let rule: String
  package let severity: Finding.Severity
  /// The path that leads to the file.
  package let file: String
  package let start: SourcePosition?
  /// RFC 6901 pointer in which `[unknown 2]` stands for the second key of its object that the format does not define.
  package let pointer: String?
  /// What must hold.
  package let summary: String
  /// The releases that it holds for, as ``Finding/releases`` has them.
  package let releases: HeldReleases?
  /// How many more of its kind and severity its file has, which are not in the list.
  package let unlisted: Int

  /// - Parameter root: The value that the finding's pointer begins at; nil when nothing could be read.
  package init(_ finding: Finding, in root: JSONNode?, _ format: Format) {
    rule = finding.rule
    severity = finding.severity
    file = finding.location.file
    start = finding.location.start
    pointer = finding.location.pointer.map { Self.counted($0, in: root, format.keys) }
    summary = format.summaries[finding.rule] ?? "The file follows this rule."
    releases = finding.releases
    unlisted = finding.unlisted
  }

  /// The pointer with its unknown keys counted.
  private static func counted(_ pointer: String, in root: JSONNode?, _ keys: Set<String>) -> String {
    var node = root
    var text = ""
    // The text before the first slash is empty.
    for step in pointer.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
      let name = Self.unescaped(step)
      switch node?.value {
      case .array(let elements):
        guard let index = Int(name), elements.indices.contains(index) else { return text + "/[unknown]" }
        text += "/\(index)"
        node = elements[index]
      case .object(let members):
        if keys.contains(name) {
          text += "/\(step)"
        } else {
          let unknown = members.filter { !keys.contains($0.name) }
          guard let place = unknown.lastIndex(where: { $0.name == name }) else { return text + "/[unknown]" }
          text += "/[unknown \(place + 1)]"
        }
        node = node?[name]
      default: return text + "/[unknown]"
      }
    }
    return text
  }

  /// A step of a pointer as the key it stands for (RFC 6901, 4): `~1` before `~0`, or `~01` would become a slash.
  private static func unescaped(_ step: Substring) -> String {
    var name = String.UnicodeScalarView()
    var isEscape = false
    for scalar in step.unicodeScalars {
      switch (isEscape, scalar) {
      case (true, "0"): name.append("~")
      case (true, _): name.append("/")
      case (false, "~"): break
      case (false, _): name.append(scalar)
      }
      isEscape = !isEscape && scalar == "~"
    }
    return String(name)
  }

  /// One line:
  ///
  ///     apple-app-site-association:14:18: error[aasa.unknown-key] at /applinks/[unknown 1]. The rule: Every key is one that
  ///     iOS reads.
  package var text: String {
    var text = file.onOneLine
    if let start { text += ":\(start.line):\(start.column)" }
    text += ": \(severity.rawValue)[\(rule)]"
    if let pointer, !pointer.isEmpty { text += " at \(pointer)" }
    text += ". The rule: \(summary)"
    if let name = releases?.name { text += " This holds for \(name)." }
    if unlisted > 0 { text += " \(unlisted) more of this kind are not listed." }
    return text
  }

  /// The members that ``Finding/json`` has, as far as the file does not show in them.
  package var json: JSON {
    var members: [(String, JSON)] = [
      ("rule", .string(rule)), ("severity", .string(severity.rawValue)), ("file", .string(file)),
      ("line", .init(start?.line)), ("column", .init(start?.column)), ("pointer", .init(pointer)),
      ("message", .string("The rule: \(summary)")),
    ]
    if let releases { members.append(("releases", releases.json)) }
    if unlisted > 0 { members.append(("unlisted", .int(unlisted))) }
    return .object(members)
  }
}

extension Sequence<Finding> {
  /// The findings without any text of the file.
  package func withheld(in root: JSONNode?, _ format: WithheldFinding.Format) -> [WithheldFinding] {
    map { WithheldFinding($0, in: root, format) }
  }
}
