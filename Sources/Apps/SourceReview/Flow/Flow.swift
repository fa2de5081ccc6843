/// Follows the ways through a piece of code, and whether something happens on them.
///
/// Reads statements by their keywords and brackets: branches, early ends, closures. A loop is taken to run, and code of an
/// unknown kind to go on.
struct Flow {
  /// How branches that come together again agree.
  enum Merge {
    /// It has happened when it happened on every one.
    case every
    /// It has happened when it happened on one.
    case some
  }

  /// A place where the code ends.
  struct Exit {
    /// `return`, `throw`, or the closing brace.
    let token: Int
    /// The tokens of the statement.
    let statement: Range<Int>
    let hasHappened: Bool
  }

  /// What is known behind a piece of code.
  private struct State {
    var hasHappened: Bool
    /// Whether no way leads on.
    var ends = false
  }

  private let file: ReviewedFile
  private let merge: Merge
  /// Whether it happens at a token.
  private let happens: (Int) -> Bool
  private(set) var exits: [Exit] = []
  private var depth = 0

  /// Ours: blocks in blocks; deeper ones are generated.
  private static let depthLimit = 40

  /// - Parameter body: The tokens between the braces.
  init(_ body: Range<Int>, of file: ReviewedFile, _ merge: Merge, happens: @escaping (Int) -> Bool) {
    self.file = file
    self.merge = merge
    self.happens = happens
    end(of: body, read(body, State(hasHappened: false)))
  }

  private mutating func end(of body: Range<Int>, _ state: State) {
    guard !state.ends else { return }
    exits.append(
      Exit(
        token: body.upperBound, statement: body.upperBound..<body.upperBound, hasHappened: state.hasHappened))
  }

  private var tokens: [Token] { file.tokens }

  private func happens(in range: Range<Int>) -> Bool { range.contains(where: happens) }

  private mutating func read(_ range: Range<Int>, _ start: State) -> State {
    var state = start
    var place = range.lowerBound
    depth += 1
    defer { depth -= 1 }
    guard depth < Self.depthLimit else { return State(hasHappened: true) }
    while place < range.upperBound {
      let token = tokens[place]
      if token.isMark("{"), let partner = token.partner, partner > place {
        state = closure(place + 1..<min(partner, range.upperBound), state)
        place = partner + 1
        continue
      }
      guard token.kind == .word, !isMember(place) else {
        if happens(place) { state.hasHappened = true }
        place += 1
        continue
      }
      switch token.text {
      case "if": state = choice(&place, range, state)
      case "guard" where file.language == .swift: guardElse(&place, range, state).map { state = $0 }
      case "switch": state = cases(&place, range, state)
      case "do": state = attempt(&place, range, state)
      case "for", "while", "repeat": state = loop(&place, range, state)
      case "defer":
        let block = block(behind: place, range)
        if happens(in: block) { state.hasHappened = true }
        place = block.upperBound + 1
      case "return", "throw":
        let statement = place..<file.statementEnd(from: place, in: range)
        if happens(in: statement) { state.hasHappened = true }
        exits.append(Exit(token: place, statement: statement, hasHappened: state.hasHappened))
        return State(hasHappened: state.hasHappened, ends: true)
      case "fatalError", "preconditionFailure", "abort":
        return State(hasHappened: state.hasHappened, ends: true)
      case "break", "continue", "fallthrough": return state
      default:
        if happens(place) { state.hasHappened = true }
        place += 1
      }
      if state.ends { return state }
    }
    return state
  }

  /// Whether a word is no keyword: `.default`, `#if`, or the label of an argument such as `load(for: id)`.
  private func isMember(_ index: Int) -> Bool {
    if index + 1 < tokens.count, tokens[index + 1].isMark(":"), !tokens[index].isWord("default") {
      return true
    }
    return index > 0 && [".", "#"].contains(tokens[index - 1].text) && tokens[index - 1].kind == .mark
  }

  // MARK: - Statements with blocks

  /// What a closure holds runs at some time, and its ends are ends of the work.
  private mutating func closure(_ body: Range<Int>, _ state: State) -> State {
    guard happens(in: body) else { return state }
    guard !state.hasHappened || merge == .some else { return state }
    let statements = file.statements(of: body.lowerBound - 1..<body.upperBound + 1)
    end(of: statements, read(statements, State(hasHappened: state.hasHappened)))
    return State(hasHappened: true)
  }

  /// The next block behind a keyword: its inside; empty at the end where there is none.
  private func block(behind index: Int, _ range: Range<Int>) -> Range<Int> {
    var place = index + 1
    while place < range.upperBound {
      if tokens[place].isMark("{"), let partner = tokens[place].partner, partner > place {
        return place + 1..<min(partner, range.upperBound)
      }
      place =
        max(place, ["(", "["].contains(tokens[place].text) ? tokens[place].partner ?? place : place) + 1
    }
    return range.upperBound..<range.upperBound
  }

  /// One branch: a block, or in Objective-C a single statement.
  private mutating func branch(_ place: inout Int, _ range: Range<Int>, _ state: State) -> State {
    guard place < range.upperBound else { return state }
    if tokens[place].isMark("{"), let partner = tokens[place].partner, partner > place {
      let body = place + 1..<min(partner, range.upperBound)
      place = partner + 1
      return read(body, state)
    }
    var end = place
    while end < range.upperBound, !tokens[end].isMark(";") {
      end = max(tokens[end].partner ?? end, end) + 1
    }
    let statement = place..<min(end, range.upperBound)
    place = min(end + 1, range.upperBound)
    return read(statement, state)
  }

  private func merged(_ branches: [State], isComplete: Bool, before: State) -> State {
    let open = branches.filter { !$0.ends }
    if open.isEmpty, isComplete { return State(hasHappened: before.hasHappened, ends: true) }
    let all = open.map(\.hasHappened) + (isComplete ? [] : [before.hasHappened])
    return State(hasHappened: merge == .every ? !all.contains(false) : all.contains(true))
  }

  private mutating func choice(_ place: inout Int, _ range: Range<Int>, _ before: State) -> State {
    var before = before
    var branches: [State] = []
    while true {
      let start = place + 1
      var end = start
      if file.language == .objectiveC {
        end = start < range.upperBound ? (tokens[start].partner ?? start) + 1 : start
      } else {
        end = max(start, block(behind: place, range).lowerBound - 1)
      }
      if merge == .every, happens(in: start..<min(end, range.upperBound)) { before.hasHappened = true }
      place = end
      branches.append(branch(&place, range, before))
      guard place < range.upperBound, tokens[place].isWord("else") else {
        return merged(branches, isComplete: false, before: before)
      }
      place += 1
      if place < range.upperBound, tokens[place].isWord("if") { continue }
      branches.append(branch(&place, range, before))
      return merged(branches, isComplete: true, before: before)
    }
  }

  /// A `guard`; nil where it has no block.
  private mutating func guardElse(_ place: inout Int, _ range: Range<Int>, _ state: State) -> State? {
    let block = block(behind: place, range)
    var state = state
    let condition = place + 1..<max(place + 1, block.lowerBound - 1)
    if merge == .every, happens(in: condition) { state.hasHappened = true }
    // What is gone itself has nothing to call; of a member that is gone, as in `let window = self.window`, it is still there.
    let isSelf = condition.contains { index in
      ["self", "strongSelf", "weakSelf"].contains(tokens[index].text)
        && ["let", "var", "="].contains(tokens[index - 1].text)
        && ![".", "?"].contains(tokens[index + 1].text)
    }
    place = min(block.upperBound + 1, range.upperBound)
    if !(isSelf && merge == .every) { _ = read(block, state) }
    return state
  }

  private mutating func cases(_ place: inout Int, _ range: Range<Int>, _ before: State) -> State {
    let body = block(behind: place, range)
    var before = before
    if merge == .every, happens(in: place..<max(place, body.lowerBound - 1)) { before.hasHappened = true }
    place = min(body.upperBound + 1, range.upperBound)
    let labels = labels(in: body)
    var branches: [State] = []
    var hasDefault = file.language == .swift
    for (number, label) in labels.enumerated() {
      hasDefault = hasDefault || tokens[label.lowerBound].isWord("default")
      let end = number + 1 < labels.count ? labels[number + 1].lowerBound : body.upperBound
      // Without statements it shares those of the next.
      guard label.upperBound < end else { continue }
      branches.append(read(label.upperBound..<end, before))
    }
    return merged(branches, isComplete: hasDefault && !branches.isEmpty, before: before)
  }

  /// The `case …:` and `default:` of a `switch`.
  private func labels(in body: Range<Int>) -> [Range<Int>] {
    var labels: [Range<Int>] = []
    var place = body.lowerBound
    while place < body.upperBound {
      let token = tokens[place]
      let isLabel =
        token.isWord("default")
        || token.isWord("case")
          && !(["if", "guard", "while", "for", ","].contains(tokens[place - 1].text))
      if isLabel, !isMember(place) {
        var colon = place + 1
        while colon < body.upperBound, !tokens[colon].isMark(":") {
          colon = max(tokens[colon].partner ?? colon, colon) + 1
        }
        labels.append(place..<min(colon + 1, body.upperBound))
        place = colon + 1
      } else {
        place = max(token.partner ?? place, place) + 1
      }
    }
    return labels
  }

  private mutating func attempt(_ place: inout Int, _ range: Range<Int>, _ before: State) -> State {
    guard place + 1 < range.upperBound, tokens[place + 1].isMark("{") else {
      place += 1
      return before
    }
    place += 1
    var branches = [branch(&place, range, before)]
    while place < range.upperBound, tokens[place].isWord("catch") {
      let block = block(behind: place, range)
      place = max(place + 1, block.lowerBound - 1)
      branches.append(branch(&place, range, before))
    }
    return merged(branches, isComplete: true, before: before)
  }

  private mutating func loop(_ place: inout Int, _ range: Range<Int>, _ before: State) -> State {
    let block = block(behind: place, range)
    place = min(block.upperBound + 1, range.upperBound)
    let inside = read(block, before)
    return State(hasHappened: before.hasHappened || inside.hasHappened || happens(in: block))
  }
}
