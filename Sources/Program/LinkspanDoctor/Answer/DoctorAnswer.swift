internal import LinkspanCommand
internal import LinkspanCore

/// What `linkspan doctor` says of one target.
struct DoctorAnswer {
  enum Verdict: String, Hashable, Sendable, CaseIterable {
    case opens, browser, unknown

    var exitStatus: ExitStatus {
      switch self {
      case .opens: .yes
      case .browser: .no
      case .unknown: .failed
      }
    }
  }

  /// The link, the host or the path, as it was given.
  let target: String
  /// How the question goes on: "from messages on iOS 26.0".
  let question: String
  let verdict: Verdict
  /// What opens or happens, for people: the app, "the browser".
  let outcome: String
  let cause: FoundCause?
  let also: [FoundCause]
  /// Clauses without capital letter and full stop.
  let notChecked: [String]

  /// The target without the user and password of a URL.
  var shownTarget: String { target.withoutUserInformation }

  /// The worst first, as the exit status has it; then by the order of repair.
  var order: (Int, Int) {
    let place = -Int(verdict.exitStatus.rawValue)
    return (place, cause?.cause.rank ?? Int.max)
  }

  /// `{"type":"diagnosis",…}`
  var json: JSON {
    .object([
      ("type", .string("diagnosis")), ("target", .string(shownTarget)),
      ("verdict", .string(verdict.rawValue)),
      ("outcome", .string(outcome)), ("cause", cause.map { Self.json($0, isWhole: true) } ?? .null),
      ("also", .array(also.map { Self.json($0, isWhole: false) })),
      ("not_checked", .array(notChecked.map(JSON.string))),
    ])
  }

  private static func json(_ found: FoundCause, isWhole: Bool) -> JSON {
    var members: [(String, JSON)] = [
      ("id", .string(found.id)), ("title", .string(found.title)),
      ("owner", .string(found.owner.rawValue)),
    ]
    if isWhole {
      members += [
        ("evidence", .array(found.evidence.map(JSON.string))), ("remedy", .string(found.remedy)),
        ("certainty", .string(found.sureness.rawValue)),
      ]
    }
    return .object(members)
  }

  // MARK: - For people

  /// One screen: 24 lines of 80 columns, and one is the prompt's.
  private static let width = 80
  private static let lineLimit = 23

  /// One screen about this target.
  func text(_ style: TextStyle) -> String {
    var head = style.bold(Self.clipped(shownTarget.onOneLine, Self.width)) + "\n"
    let colour: TextStyle.Colour = verdict == .opens ? .green : verdict == .browser ? .red : .yellow
    let wording = verdict == .unknown ? "unknown" : outcome.onOneLine
    // The verdict is painted, so the line is not broken behind it.
    head += "  \(Self.clipped(question, 40)): \(style.paint(Self.clipped(wording, 34), colour))\n"
    var lines: [String] = []
    if let cause {
      lines += [""] + Self.lines(cause.title, first: "Cause    ", limit: 2)
      for (index, item) in cause.evidence.prefix(4).enumerated() {
        lines += Self.lines(item, first: index == 0 ? "Seen     " : "         ", limit: 2)
      }
      lines += remedy(cause)
      let words = cause.owner == .none ? "no one: it works as Apple intends" : Self.words(cause.owner)
      lines.append("Who      \(words)")
      lines.append("Sure     \(Self.words(cause.sureness))")
    }
    var foot: [String] = []
    if !also.isEmpty {
      foot += Self.lines(
        also.map { "\($0.id) (\(Self.words($0.owner)))" }.joined(separator: ", "), first: "Also     ",
        limit: 2)
    }
    let room = Self.lineLimit - 2 - lines.count - foot.count
    foot += left(room: max(2, room))
    return head
      + (lines + (foot.isEmpty ? [] : [""] + foot)).prefix(Self.lineLimit - 2).joined(separator: "\n")
      + "\n"
  }

  private func remedy(_ cause: FoundCause) -> [String] {
    var lines: [String] = []
    for (index, line) in cause.remedy.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if index == 0 {
        lines += Self.lines(String(line), first: "Remedy   ", limit: 3)
      } else {
        // To be pasted: never broken, only cut where nobody could read it anyway.
        lines.append("    " + Self.clipped(String(line).onOneLine, Self.width - 4))
      }
    }
    return Array(lines.prefix(9))
  }

  private func left(room: Int) -> [String] {
    guard !notChecked.isEmpty, room > 1 else { return [] }
    var lines: [String] = []
    var shown = 0
    for item in notChecked {
      let more = Self.lines(item, first: shown == 0 ? "Unknown  " : "         ", limit: 2)
      guard lines.count + more.count < room - 1 else { break }
      lines += more
      shown += 1
    }
    if shown < notChecked.count {
      let count = notChecked.count - shown
      lines.append(
        (shown == 0 ? "Unknown  " : "         ") + "\(shown == 0 ? "" : "and ")\(count) more: --json")
    }
    return lines
  }

  /// One line about this target, below the screen of a worse one.
  func line(_ style: TextStyle) -> String {
    let id = cause.map { " (\($0.id))" } ?? ""
    return Self.clipped(
      "\(verdict == .opens ? "opens   " : verdict.rawValue.padded(to: 8)) \(shownTarget.onOneLine)\(id)",
      80)
  }

  static func words(_ owner: Cause.Owner) -> String {
    switch owner {
    case .site: "the site"
    case .app: "the app"
    case .cdn: "Apple's CDN"
    case .user: "the user"
    case .network: "the site's network"
    case .none: "no one"
    }
  }

  static func words(_ sureness: FoundCause.Sureness) -> String {
    switch sureness {
    case .documented: "documented by Apple, and seen here"
    case .observed: "observed by others, and seen here"
    case .inferred: "inferred"
    }
  }

  private static func lines(_ text: String, first: String, limit: Int) -> [String] {
    let rest = String(repeating: " ", count: first.count)
    let lines = WrappedText.lines(text.onOneLine, first: first, rest: rest, width: width)
      .split(separator: "\n").map(String.init)
    guard lines.count > limit else { return lines }
    return lines.prefix(limit - 1) + [clipped(lines[limit - 1] + " …", width - 1)]
  }

  private static func clipped(_ text: String, _ width: Int) -> String {
    text.count <= width ? text : text.prefix(width - 1) + "…"
  }
}
