internal import AppSiteAssociation
package import LinkspanCore

/// What Apple's tool answered on one machine: the lines that ``OracleScript`` wrote down.
package struct OraclePack: Sendable {
  /// One run of the tool.
  package struct Answer: Sendable {
    package var probe: OracleKit.Probe
    /// The exit status, and what the tool printed.
    package var status: Int
    package var lines: [String]
  }

  /// `Mac15,3`, or "unknown", as in every field of the machine.
  package private(set) var model = "unknown"
  package private(set) var system = "unknown"
  package private(set) var build = "unknown"
  package private(set) var answers: [Answer] = []

  static let mark = "linkspan oracle answers 1"
  /// Ours: a kit's answers take some 20 KB.
  package static let limitBytes = 4 << 20

  /// - Throws: What is wrong with the text, and in which line.
  package init(_ text: SourceText) throws(LinkspanError) {
    let bytes = ByteOrderMark.removed(from: text.bytes[...]) ?? text.bytes[...]
    // Of bytes: in a String CR and LF are one character.
    let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
      .map { String(decoding: $0.last == 0x0D ? $0.dropLast() : $0, as: UTF8.self) }
    guard lines.first.map({ $0 == Self.mark }) ?? false else {
      throw LinkspanError(
        "'\(text.name)' has no answers of swcutil: its first line is not '\(Self.mark)'.",
        help:
          "Run the script of 'linkspan oracle --out DIR' on a Mac, and give the file whose path it prints last."
      )
    }
    var open: Answer?
    for (index, line) in lines.enumerated().dropFirst() {
      func problem(_ message: String) -> LinkspanError {
        LinkspanError(
          "'\(text.name)', line \(index + 1): \(message).",
          help: "Run the script again; its answers need no edit.")
      }
      if line.hasPrefix("| ") || line == "|" {
        guard open != nil else { throw problem("an answer stands outside of a probe") }
        open?.lines.append(String(line.dropFirst(2)))
        continue
      }
      let word = line.prefix { $0 != " " }
      let rest = String(line.dropFirst(word.count + 1))
      switch word {
      case "": continue
      case "model": model = rest
      case "system": system = rest
      case "build": build = rest
      case "kit", "machine": continue
      case "probe":
        guard open == nil else { throw problem("the probe before this one has no 'end'") }
        open = Answer(probe: .init(name: rest, file: "", app: "", host: "", url: ""), status: 0, lines: [])
      case "app": open?.probe.app = rest
      case "host": open?.probe.host = rest
      case "url": open?.probe.url = rest
      case "file": open?.probe.file = rest
      case "status":
        guard let status = Int(rest) else { throw problem("the status '\(rest)' is no number") }
        open?.status = status
      case "end":
        guard let answer = open else { throw problem("'end' without a probe") }
        answers.append(answer)
        open = nil
      default: throw problem("'\(word)' is unknown")
      }
    }
    guard open == nil, !answers.isEmpty else {
      throw LinkspanError(
        "'\(text.name)' is cut short: \(open == nil ? "it has no probe" : "its last probe has no 'end'").",
        help: "Run the script again, and copy the whole file.")
    }
  }

  /// `Mac15,3, macOS 26.1 (25B78)`
  package var machine: String { "\(model), \(system) (\(build))" }
}

extension OraclePack.Answer {
  /// What the tool said of the application; nil where its lines say nothing that is known (section 11.1).
  var verdict: Decision.Verdict? {
    let subject = "{ s = applinks, a = \(probe.app), d = "
    if let line = lines.first(where: { $0.hasPrefix(subject) }) {
      if line.hasSuffix("blocked match.") { return .excluded }
      return line.hasSuffix("matched.") ? .match : nil
    }
    let isRefused = lines.contains {
      $0.hasPrefix("Input JSON did not match input URL")
        || ($0.hasPrefix("Input domain \"") && $0.contains("did not match"))
    }
    // Another application's line: this one has no part in the URL.
    let isOther = lines.contains { $0.hasPrefix("{ s = ") }
    return isRefused || isOther ? .noMatch : nil
  }
}
