internal import LinkspanCore

/// Covers that SwiftUI or a notification puts on: `if scenePhase == .background { Cover() }`.
extension ReviewedFile {
  /// Words of a cover that comes only when the app is in the background, in a file where none comes earlier.
  var lateCovers: [Int] {
    let uses = phaseUses + notificationUses
    guard uses.contains(where: { !$0.isEarly }) else { return [] }
    let states = coverStates
    guard !uses.contains(where: { $0.isEarly && cover(in: $0, states) != nil }) else { return [] }
    var seen: Set<Int> = []
    return uses.filter { !$0.isEarly }.compactMap { cover(in: $0, states) }.filter {
      seen.insert($0).inserted
    }
  }

  /// Code that runs, or shows something, in a phase of the app.
  private struct PhaseUse {
    let code: Range<Int>
    /// Whether it is before the background: inactive, or whatever is not active.
    let isEarly: Bool
    /// Whether it is a part of a view, so that whatever it shows covers something.
    let isView: Bool
  }

  /// Ours: the words of a condition, or of what it decides without a block.
  private static let reachLimit = 60

  // MARK: - SwiftUI

  private var phaseUses: [PhaseUse] {
    guard language == .swift, mentions(tokens.indices, { $0.hasSuffix("hase") }) else {
      return []
    }
    return tokens.indices.compactMap { index in
      guard index > 1, tokens[index - 1].isMark("."), index + 1 < tokens.count else { return nil }
      let sign = tokens[index - 2]
      switch tokens[index].text {
      case "background":
        guard sign.isMark("==") || sign.isWord("case") || sign.isMark(",") && isCase(index) else {
          return nil
        }
        let isEarly = caseNames(around: index).contains("inactive") || isEither(index, "inactive")
        return PhaseUse(code: decided(by: index), isEarly: isEarly, isView: isInView(index))
      case "inactive":
        guard sign.isMark("==") || sign.isWord("case") || sign.isMark(",") && isCase(index) else {
          return nil
        }
        return PhaseUse(code: decided(by: index), isEarly: true, isView: isInView(index))
      case "active":
        // `phase != .active` is inactive too; of `phase == .active` it is the other branch.
        if sign.isMark("!=") {
          return PhaseUse(code: decided(by: index), isEarly: true, isView: isInView(index))
        }
        guard sign.isMark("==") else { return nil }
        return PhaseUse(code: otherwise(behind: index), isEarly: true, isView: isInView(index))
      default: return nil
      }
    } + defaults
  }

  /// Whether a name stands in a `case` with several.
  private func isCase(_ index: Int) -> Bool { !caseNames(around: index).isEmpty }

  /// The names of the `case` that a name stands in; empty where it stands in none.
  private func caseNames(around index: Int) -> [String] {
    var start = index
    while start > 1, tokens[start - 1].isMark("."), tokens[start - 2].isMark(",") { start -= 3 }
    guard start > 1, tokens[start - 2].isWord("case") else { return [] }
    var names: [String] = []
    var place = start
    while place + 1 < tokens.count, names.count < 8 {
      names.append(tokens[place].text)
      guard tokens[place + 1].isMark(","), place + 3 < tokens.count else { break }
      place += 3
    }
    return names
  }

  /// Whether the same condition asks for another phase as well.
  private func isEither(_ index: Int, _ name: String) -> Bool {
    let range = max(0, index - 12)..<min(tokens.count, index + 12)
    return range.contains { place in
      tokens[place].isWord(name) && tokens[place - 1].isMark(".")
        && (min(place, index)..<max(place, index)).allSatisfy {
          !["{", "}", ";"].contains(tokens[$0].text)
        } && (min(place, index)..<max(place, index)).contains { tokens[$0].isMark("||") }
    }
  }

  /// The `default` of a `switch` by the phase that leaves `inactive` out.
  private var defaults: [PhaseUse] {
    tokens.indices.compactMap { index in
      guard tokens[index].isWord("default"), index + 1 < tokens.count, tokens[index + 1].isMark(":"),
        let body = block(around: index), mentions(body, "background") || mentions(body, "active"),
        !mentions(body, "inactive")
      else { return nil }
      return PhaseUse(code: caseBody(from: index), isEarly: true, isView: false)
    }
  }

  /// What a comparison decides: a block, a branch, a `case`, the value that it gives, or the call that it is an argument of.
  private func decided(by index: Int) -> Range<Int> {
    if !caseNames(around: index).isEmpty, !isCondition(index) { return caseBody(from: index) }
    let start = statementStart(of: index, in: 0..<tokens.count)
    if let brace = (index..<min(tokens.count, index + Self.reachLimit)).first(where: {
      tokens[$0].isMark("{") || tokens[$0].isMark(";") || tokens[$0].isMark("}")
    }), tokens[brace].isMark("{"), let end = tokens[brace].partner, isCondition(index) {
      return brace..<end
    }
    // `.blur(radius: phase == .background ? 20 : 0)`, `isCovered = phase == .background`
    return start..<statementEnd(from: index, in: 0..<tokens.count)
  }

  /// Whether a comparison stands in the condition of an `if` or `guard`.
  private func isCondition(_ index: Int) -> Bool {
    var place = index
    while place > 0, index - place < Self.reachLimit {
      place -= 1
      let token = tokens[place]
      if token.isWord("if") || token.isWord("guard") { return true }
      if ["{", "}", ";", "?"].contains(token.text), token.kind == .mark { return false }
      if let partner = token.partner, partner < place { place = partner }
      if beginsLine(place), token.kind == .word { return false }
    }
    return false
  }

  /// The `else` of a condition, and what `?` gives otherwise.
  private func otherwise(behind index: Int) -> Range<Int> {
    let limit = min(tokens.count, index + Self.reachLimit)
    guard let next = (index + 1..<limit).first(where: { ["{", "?", ";", "}"].contains(tokens[$0].text) })
    else {
      return index..<index
    }
    if tokens[next].isMark("?") {
      return statementStart(of: index, in: 0..<tokens.count)..<statementEnd(from: next, in: 0..<tokens.count)
    }
    guard tokens[next].isMark("{"), let end = tokens[next].partner, end + 2 < tokens.count,
      tokens[end + 1].isWord("else"), tokens[end + 2].isMark("{"), let last = tokens[end + 2].partner
    else { return index..<index }
    return end + 2..<last
  }

  private func block(around index: Int) -> Range<Int>? {
    var place = index - 1
    while place > 0, index - place < 400 {
      if let partner = tokens[place].partner {
        if partner > index { return tokens[place].isMark("{") ? place + 1..<partner : nil }
        place = partner
      }
      place -= 1
    }
    return nil
  }

  /// The statements of a `case`, up to the next one.
  private func caseBody(from index: Int) -> Range<Int> {
    guard
      let colon = (index..<min(tokens.count, index + Self.reachLimit)).first(where: { tokens[$0].isMark(":") }
      )
    else { return index..<index }
    var place = colon + 1
    while place < tokens.count, !tokens[place].isMark("}") {
      let token = tokens[place]
      if token.isWord("case") || token.isWord("default") || token.isMark("@"), !tokens[place - 1].isMark(".")
      {
        break
      }
      place = max(token.partner ?? place, place) + 1
    }
    return colon + 1..<min(place, tokens.count)
  }

  // MARK: - Notifications

  private var notificationUses: [PhaseUse] {
    tokens.indices.compactMap { index in
      guard tokens[index].kind == .word, let moment = Moment(notification: tokens[index].text),
        moment == .didEnterBackground || moment == .willResignActive,
        let closure = closure(behind: index)
      else { return nil }
      return PhaseUse(code: closure, isEarly: moment == .willResignActive, isView: false)
    }
  }

  /// The closure that the call around a word runs: an argument, the one behind it, or that of `sink` further on.
  private func closure(behind index: Int) -> Range<Int>? {
    var place = index + 1
    while place < tokens.count, place - index < Self.reachLimit {
      let token = tokens[place]
      if token.isMark(";") || token.isMark("}") { return nil }
      if token.isMark("{"), let end = token.partner { return place..<end }
      if token.isMark("("), let end = token.partner {
        if let brace = (place..<end).first(where: { tokens[$0].isMark("{") }),
          let last = tokens[brace].partner
        {
          return brace..<last
        }
        place = end
      }
      place += 1
    }
    return nil
  }

  // MARK: - What covers

  /// How the names of calls begin that put nothing on.
  private static let endings = [
    "remove", "uncover", "unblur", "stop", "cancel", "clear", "delete", "invalidate", "uninstall", "disable",
  ]

  static let covers = [
    "cover", "blur", "privacy", "shield", "splash", "curtain", "snapshot", "obscur", "redact", "overlay",
    "veil",
    "mask", "hidecontent", "protect", "opacity",
  ]

  private func cover(in use: PhaseUse, _ states: Set<String>) -> Int? {
    if use.isView, let view = use.code.first(where: isViewMade) { return view }
    return cover(in: use.code) ?? use.code.first { switchesOn($0, states) }
      ?? use.code.first { index in
        // One call further, to a function of the file.
        guard tokens[index].kind == .word, index + 1 < tokens.count, tokens[index + 1].isMark("("), index > 0,
          !tokens[index - 1].isMark(".") || tokens[index - 2].isWord("self")
        else { return false }
        let called = functions.filter { $0.name == tokens[index].text }
        return called.count == 1 && cover(in: called[0].body ?? 0..<0) != nil
      }
  }

  /// A view such as `Color.black` or `Rectangle()`.
  private func isViewMade(_ index: Int) -> Bool {
    guard index > 0, tokens[index].kind == .word, tokens[index].text.first?.isUppercase ?? false,
      index + 1 < tokens.count,
      !tokens[index - 1].isMark("."), tokens[index].text != "EmptyView"
    else { return false }
    return tokens[index + 1].isMark("(") || tokens[index + 1].isMark("{")
      || tokens[index + 1].isMark(".") && tokens[index].text == "Color"
  }

  /// Whether a condition stands in a view, and not in an action that runs at some time.
  private func isInView(_ index: Int) -> Bool {
    guard index > 2,
      (max(0, index - 4)..<index).contains(where: { tokens[$0].text.lowercased().contains("scenephase") })
    else { return false }
    let actions: Set<String> = [
      "onChange", "onReceive", "task", "onAppear", "sink", "Task", "onDisappear", "func", "didSet",
    ]
    var place = index - 1
    var blocks = 0
    while place > 0, index - place < 2_000, blocks < 8 {
      if let partner = tokens[place].partner {
        if partner > index, tokens[place].isMark("{") {
          blocks += 1
          let start = statementStart(of: place, in: 0..<tokens.count)
          if (start..<place).contains(where: { actions.contains(tokens[$0].text) }) { return false }
          if (start..<place).contains(where: { tokens[$0].isWord("body") || tokens[$0].isWord("View") }) {
            return true
          }
        }
        place = min(place, partner)
      }
      place -= 1
    }
    return false
  }

  /// Whether one of the states that decide about a cover is switched on: `hidden = true`, `hidden = phase == .background`.
  private func switchesOn(_ index: Int, _ states: Set<String>) -> Bool {
    guard tokens[index].kind == .word, states.contains(tokens[index].text), index + 2 < tokens.count,
      tokens[index + 1].isMark("=")
    else { return false }
    return tokens[index + 2].isWord("true")
      || tokens[index + 2..<min(index + 8, tokens.count)].contains { $0.isMark("==") || $0.isMark("!=") }
  }

  /// The names of what decides about a cover: `.blur(radius: hidden ? 20 : 0)`, `if hidden { Color.black }`.
  private var coverStates: Set<String> {
    guard language == .swift else { return [] }
    return Set(
      tokens.indices.lazy.filter { index in
        tokens[index].kind == .word && index > 1 && index + 2 < tokens.count && decidesCover(index)
      }.map { tokens[$0].text })
  }

  /// Whether a state decides about a modifier that covers, or about a view that fills a place.
  private func decidesCover(_ index: Int) -> Bool {
    if tokens[index - 1].isWord("if"), tokens[index + 1].isMark("{"), let end = tokens[index + 1].partner {
      let shown = (index + 2..<end).first(where: isViewMade)
      return shown.map { ["Color", "Rectangle"].contains(tokens[$0].text) || isCoverName(tokens[$0].text) }
        ?? false
    }
    // `.blur(radius: hidden ? 20 : 0)`
    guard tokens[index + 1].isMark("?") else { return false }
    let start = tokens[index - 1].isMark(":") ? index - 3 : index - 1
    return start > 1 && tokens[start].isMark("(") && tokens[start - 2].isMark(".")
      && isCoverName(tokens[start - 1].text)
  }

  private func isCoverName(_ name: String) -> Bool {
    let lower = name.lowercased()
    return Self.covers.contains(where: lower.contains)
  }

  /// The word that puts a cover on: a view over others, a view or state that is called one, a blur.
  func cover(in code: Range<Int>) -> Int? {
    code.first { index in
      let token = tokens[index]
      guard token.kind == .word, index > 0 else { return false }
      if ["addSubview", "insertSubview", "bringSubviewToFront"].contains(token.text) { return true }
      let lower = token.text.lowercased()
      guard isCoverName(lower), !Self.endings.contains(where: lower.hasPrefix),
        !lower.hasPrefix("hidec") || lower.contains("content"), index + 1 < tokens.count
      else { return false }
      let next = tokens[index + 1]
      if next.isMark("(") || next.isMark("{") { return true }
      if next.isMark("=") {
        let value = index + 2 < tokens.count ? tokens[index + 2].text : ""
        return !["false", "NO", "nil"].contains(value)
      }
      if next.isMark("."), index + 2 < tokens.count {
        let member = tokens[index + 2].text
        if member == "isHidden" || member == "hidden" {
          return index + 4 < tokens.count && ["false", "NO"].contains(tokens[index + 4].text)
        }
        return [
          "show", "present", "add", "apply", "enable", "install", "activate", "shared", "makeKeyAndVisible",
        ]
        .contains { member.hasPrefix($0) }
      }
      // `[self showCover]`
      return language == .objectiveC && tokens[index - 1].isWord("self") && next.isMark("]")
    }
  }
}
