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
  private static let widest = 80
  private static let lineLimit = 23
  /// Ours: what was seen takes a third of it.
  private static let evidenceLimit = 8

  private static func width(_ style: TextStyle) -> Int { min(widest, style.columns ?? widest) }

  /// One screen about this target, in lines no wider than the terminal. What somebody is to copy is longer where it has to
  /// be, and neither broken nor cut.
  func text(_ style: TextStyle) -> String {
    let width = Self.width(style)
    var head = style.bold(Self.clipped(shownTarget.onOneLine, width)) + "\n"
    let colour: TextStyle.Colour = verdict == .opens ? .green : verdict == .browser ? .red : .yellow
    let wording = verdict == .unknown ? "unknown" : outcome.onOneLine
    // The verdict is painted, so the line is not broken behind it.
    head += "  \(Self.clipped(question, 40)): \(style.paint(Self.clipped(wording, 34), colour))\n"
    var lines: [String] = []
    if let cause {
      lines += [""] + Self.lines(cause.title, first: "Cause    ", width: width)
      lines += Self.evidence(cause, width: width) + Self.remedy(cause, width: width)
      let words = cause.owner == .none ? "no one: it works as Apple intends" : Self.words(cause.owner)
      lines.append("Who      \(words)")
      lines.append("Sure     \(Self.words(cause.sureness))")
    }
    var foot: [String] = []
    if !also.isEmpty {
      foot += Self.lines(
        also.map { "\($0.id) (\(Self.words($0.owner)))" }.joined(separator: ", "), first: "Also     ",
        width: width, limit: 2)
    }
    let room = Self.lineLimit - 2 - lines.count - foot.count
    foot += left(room: max(2, room), width: width)
    if !foot.isEmpty { lines += ([""] + foot).prefix(max(0, Self.lineLimit - 2 - lines.count)) }
    return head + lines.joined(separator: "\n") + "\n"
  }

  /// As many of the first as there is room for; each is whole, since it may name an address to look at.
  private static func evidence(_ cause: FoundCause, width: Int) -> [String] {
    var lines: [String] = []
    for item in cause.evidence {
      let more = Self.lines(item, first: lines.isEmpty ? "Seen     " : "         ", width: width)
      guard lines.isEmpty || lines.count + more.count <= evidenceLimit else { break }
      lines += more
    }
    return lines
  }

  private static func remedy(_ cause: FoundCause, width: Int) -> [String] {
    let texts = cause.remedy.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    // Below its sentence stands what is to be pasted.
    return lines(texts[0], first: "Remedy   ", width: width) + texts.dropFirst().map { "    " + $0.onOneLine }
  }

  private func left(room: Int, width: Int) -> [String] {
    guard !notChecked.isEmpty, room > 1 else { return [] }
    var lines: [String] = []
    var shown = 0
    for item in notChecked {
      let more = Self.lines(item, first: shown == 0 ? "Unknown  " : "         ", width: width)
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
      Self.width(style))
  }

  static func words(_ owner: Cause.Owner) -> String {
    switch owner {
    case .site: "the site"
    case .app: "the app"
    case .cdn: "the CDN"
    case .sender: "the sender"
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

  private static func lines(_ text: String, first: String, width: Int, limit: Int = .max) -> [String] {
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
