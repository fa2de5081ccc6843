internal import AppSiteAssociation
internal import HeldURLs
import LinkExplanation
internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanSimulator
import SimulatedDevices

/// An explanation for people, in lines of at most a hundred columns, and no wider than the terminal, which would break
/// them anew.
struct ExplanationText {
  private static let widest = 100

  private let explanation: Explanation
  private let remark: String?
  private let width: Int

  /// - Parameter columns: Those of the terminal; nil where there is none.
  init(_ explanation: Explanation, remark: String?, columns: Int?) {
    self.explanation = explanation
    self.remark = remark
    width = Self.width(columns)
  }

  /// How wide the lines of explanations are in a terminal of so many columns.
  static func width(_ columns: Int?) -> Int { min(widest, columns ?? widest) }

  /// Everything: each step with its source, each set of changes, and what is not known.
  func text(_ style: TextStyle) -> String {
    var text = head(style) + "\n"
    for step in explanation.chain.steps { text += line(step, style) }
    text += changes(style) + arrivals
    if !explanation.notKnown.isEmpty {
      text += "\nUnknown here:\n"
      for item in explanation.notKnown { text += wrapped(item, first: "  - ", rest: "    ") }
    }
    return text
  }

  /// The answer in at most twelve lines: what happens, the step that decides, and the cheapest changes.
  func brief(_ style: TextStyle) -> String {
    var text = head(style, isBrief: true)
    if let step = decisive {
      text += wrapped(
        step.message + Self.basis(step.provenance), first: "  because  ", rest: "           ",
        limit: remark == nil ? 3 : 2)
    }
    let isReached = explanation.goal.isReached(by: explanation.chain.verdict)
    if !isReached, explanation.chain.verdict.isDecided {
      let sets = explanation.changes.prefix(2)
      for (index, set) in sets.enumerated() {
        let words = set.map { "\($0.whoWords): \($0.what)" }.joined(separator: "; and ")
        text += wrapped(
          words, first: index == 0 ? "  change   " : "  or       ", rest: "           ",
          limit: index == 0 ? 3 : 1)
      }
      if sets.isEmpty { text += String(changes(style).dropFirst()) }
    }
    return text + left
  }

  /// What ``text(_:)`` says besides.
  private var left: String {
    let steps = explanation.chain.steps.count
    var parts = ["all \(steps) steps with their sources"]
    if explanation.changes.count > 2 { parts.append((explanation.changes.count - 2).counted("more change")) }
    if !explanation.notKnown.isEmpty {
      parts.append(explanation.notKnown.count.counted("thing") + " unknown here")
    }
    return wrapped("--why shows \(parts.joined(separator: ", ")).", first: "  ", rest: "  ", limit: 1)
  }

  /// The first step that keeps the app from opening; else the rule that opens it.
  private var decisive: ExplanationStep? {
    let steps = explanation.chain.steps
    return steps.first { $0.verdict == .no || $0.verdict == .unknown } ?? steps.first { $0.name == .pattern }
  }

  private func head(_ style: TextStyle, isBrief: Bool = false) -> String {
    let verdict = explanation.chain.verdict
    let link = explanation.link.withoutUserInformation.onOneLine
    let isCut = isBrief && link.count > width
    var text = style.bold(isCut ? link.prefix(width - 1) + "…" : link) + "\n"
    if let held = explanation.held {
      text += wrapped(
        "held as \(held.text.withoutUserInformation.onOneLine): \(held.summary)", first: "  ", rest: "    ",
        limit: isBrief ? 2 : .max)
    }
    if let remark { text += wrapped(remark, first: "  ", rest: "  ", limit: isBrief ? 1 : .max) }
    text += "  from \(explanation.way.name) on \(explanation.device.os.name): "
    text +=
      verdict.isUnknown
      ? style.paint("unknown (\(verdict.certainty.rawValue))", .yellow)
      : verdict.isDecided
        ? style.paint(
          "opens \((verdict.app ?? verdict.destination.words).onOneLine)", verdict.app == nil ? .cyan : .green
        )
        : style.paint("not decided", .yellow)
    return text + "\n"
  }

  private func line(_ step: ExplanationStep, _ style: TextStyle) -> String {
    let names = ExplanationStep.Name.allCases.map { $0.rawValue.count }.max() ?? 0
    let name = step.name.rawValue.padded(to: names)
    let mark =
      switch step.verdict {
      case .yes: style.paint("yes", .green)
      case .no: style.paint("no ", .red)
      case .unknown: style.paint("?  ", .yellow)
      case .notReached: "-  "
      }
    let basis = Self.basis(step.provenance)
    // The mark is painted, so the lines are broken as if it were blanks.
    let head = "  ___  \(name)  "
    let wrapped = wrapped(
      step.message + basis, first: head, rest: String(repeating: " ", count: head.count))
    return "  " + mark + String(wrapped.dropFirst(5))
  }

  /// What the app's code gets.
  private var arrivals: String {
    guard explanation.hasOwnArrival, !explanation.arrivals.isEmpty else { return "" }
    let width = explanation.arrivals.map { $0.head.count }.max() ?? 0
    var text = "\nIn the app it arrives by:\n"
    for arrival in explanation.arrivals {
      let doors = arrival.doors.isEmpty ? "nothing" : arrival.doors.joined(separator: ", then ")
      let head = "  " + arrival.head.padded(to: width) + "  "
      text += wrapped(
        "\(doors)  [\(arrival.certainty.rawValue)]", first: head,
        rest: String(repeating: " ", count: head.count))
    }
    return text
  }

  private func changes(_ style: TextStyle) -> String {
    let isReached = explanation.goal.isReached(by: explanation.chain.verdict)
    if isReached || !explanation.chain.verdict.isDecided { return "" }
    let aim = explanation.goal == .app ? "open the app" : "keep it from opening the app"
    guard !explanation.changes.isEmpty else {
      return explanation.isDecided
        ? "\nNo combination of up to three changes would \(aim).\n"
        : "\nNot decided what would \(aim): trying all changes takes more than the bound on work.\n"
    }
    var text = "\nTo \(aim)" + (explanation.changes.count > 1 ? ", one of these is enough" : "") + ":\n"
    for (index, set) in explanation.changes.enumerated() {
      for (place, change) in set.enumerated() {
        let head = place == 0 ? "  \(index + 1). " : "     and "
        text += wrapped(
          "\(change.whoWords): \(change.what)\(Self.basis(change.provenance))", first: head,
          rest: "     ")
      }
    }
    if explanation.changes.joined().contains(where: { $0.needsNewLook }) {
      text += wrapped(
        "A change at a site or in the network reaches a device at its next check, within about five days, or "
          + "when the app is installed or updated; \(explanation.cdnName) keeps a \"no\" for an hour and a file for six (V2, V3, "
          + "C5, C6).", first: "  ", rest: "  ")
    }
    return text
  }

  private static func basis(_ provenance: Provenance) -> String {
    provenance.rules.isEmpty ? "" : "  [\(provenance.text)]"
  }

  private func wrapped(_ text: String, first: String, rest: String, limit: Int = .max) -> String {
    let all = WrappedText.lines(text.onOneLine, first: first, rest: rest, width: width)
    let lines = all.split(separator: "\n")
    guard lines.count > limit else { return all }
    var last = lines[limit - 1]
    if last.count > width - 2 {
      last = last.prefix(width - 2)
      // Whole words, unless one is half the line.
      if let space = last.lastIndex(of: " "), last[..<space].count > width / 2 { last = last[..<space] }
    }
    return (lines.prefix(limit - 1) + [last + " …"]).joined(separator: "\n") + "\n"
  }
}
