internal import LinkspanCore

extension ReviewRule {
  static let observerUnpaired = ReviewRule(
    "observer-unpaired", "An observer that does not end by itself is removed.", .warning, source: "SR8",
    words: ["addObserver"],
    bad: [
      """
      class Player: NSObject {
        func start() { item.⟦addObserver⟧(self, forKeyPath: "status", options: [], context: nil) }
      }
      """,
      """
      @implementation Player
      - (void)start {
        [self.item ⟦addObserver⟧:self forKeyPath:@"status" options:0 context:NULL];
      }
      @end
      """,
    ],
    good: [
      """
      class Player: NSObject {
        func start() { item.addObserver(self, forKeyPath: "status", options: [], context: nil) }
        deinit { item.removeObserver(self, forKeyPath: "status") }
      }
      """,
      """
      class Screen: UIViewController {
        func start() {
          NotificationCenter.default.addObserver(
            self, selector: #selector(refresh), name: UIApplication.didBecomeActiveNotification, object: nil)
        }
      }
      """,
    ]
  ) { file, program, report in
    let reviewed = program.files[file]
    var known: [String: Removals] = [:]
    for type in reviewed.types {
      for index in type.body where reviewed.isAddition(index) {
        // Types nest; the innermost one reports.
        let isInner = reviewed.types.contains {
          $0.body.contains(index) && $0.body.count < type.body.count
        }
        guard !isInner, let observation = reviewed.observation(at: index) else { continue }
        let removals = known[type.name] ?? Removals(type.name, file, program)
        known[type.name] = removals
        switch observation.kind {
        case .selector: continue
        case _ where removals.isSingle || reviewed.livesAsLongAsTheApp(index, in: type): continue
        case .keyPath:
          // Another object removes itself.
          if !observation.isSelf || removals.removesKeyPath(observation.key) { continue }
          report.add(
            index, "the observer of \(observation.key.map { "'\($0)'" } ?? "a key path") is never removed",
            help:
              "Key-value observing must balance: call 'removeObserver(_:forKeyPath:)' with the same object and key path, "
              + "or keep the token of 'observe(_:options:changeHandler:)', which ends by itself.")
        case .block:
          if removals.removesTokens || reviewed.handsOnToken(index, in: type) { continue }
          report.add(
            index, "the observer with a block is never removed",
            help:
              "The notification centre keeps the block, and what it captures, until 'removeObserver(_:)' gets the token that "
              + "this call returns. Observers with a selector end by themselves.")
        }
      }
    }
  }
}

/// What a type removes, in its extensions too.
private struct Removals {
  private var keyPaths: Set<String> = []
  /// Whether it removes key paths that are not written out.
  private var removesAnyKeyPath = false
  /// Whether it removes anything but itself.
  private(set) var removesTokens = false
  /// Whether there is one object of the type, which lives as long as the app.
  private(set) var isSingle = false

  init(_ type: String, _ file: Int, _ program: ReviewedProgram) {
    for part in program.parts(of: type, in: file) {
      let other = program.files[part.file]
      isSingle = isSingle || other.holdsItsOnly(program.type(part))
      // In functions, and in what properties do when they change.
      for index in program.type(part).body where other.tokens[index].isWord("removeObserver") {
        read(index, of: other)
      }
    }
    for place in program.functions(of: type, in: file) {
      isSingle = isSingle || program.files[place.file].makesItsOnly(program.function(place), type)
    }
  }

  private mutating func read(_ index: Int, of file: ReviewedFile) {
    guard let observation = file.observation(at: index), observation.kind == .keyPath else {
      // `self.token` is another one than `self`.
      let isSelf = index + 2 < file.tokens.count && file.tokens[index + 2].isWord("self")
      let isMember = index + 3 < file.tokens.count && file.tokens[index + 3].isMark(".")
      removesTokens = removesTokens || !isSelf || isMember
      return
    }
    if let key = observation.key { keyPaths.insert(key) } else { removesAnyKeyPath = true }
  }

  func removesKeyPath(_ key: String?) -> Bool {
    removesAnyKeyPath || (key.map(keyPaths.contains) ?? !keyPaths.isEmpty)
  }
}

/// One call of `addObserver` or `removeObserver`.
private struct Observation {
  enum Kind {
    /// Ends by itself since iOS 9.
    case selector
    case keyPath
    case block
  }

  let kind: Kind
  /// The key path; nil for one that is not written out.
  let key: String?
  /// Whether the object itself observes.
  var isSelf = true
}

extension ReviewedFile {
  fileprivate func isAddition(_ index: Int) -> Bool {
    tokens[index].isWord("addObserver") || tokens[index].isWord("addObserverForName")
  }

  /// Whether the observer belongs to the whole app: then nothing would ever remove it.
  fileprivate func livesAsLongAsTheApp(_ index: Int, in type: ReviewedType) -> Bool {
    let function = functions.filter { $0.body?.contains(index) ?? false }.min {
      $0.body!.count < $1.body!.count
    }
    let endings = ["AppDelegate", "App", "ExtensionDelegate", "AppCoordinator"]
    return function?.isStatic ?? false || endings.contains(where: type.name.hasSuffix)
  }

  /// Whether a type keeps the one object of it that there is: `static let shared = Player()`, `static var main: Player`.
  fileprivate func holdsItsOnly(_ type: ReviewedType) -> Bool {
    guard language == .swift else { return false }
    let name = type.name.split(separator: ".").last.map(String.init) ?? ""
    // Others for tests and previews.
    let others: Set<String> = ["preview", "mock", "sample", "example", "fake", "stub", "placeholder"]
    var place = type.body.lowerBound
    while place + 5 < type.body.upperBound {
      if tokens[place].isWord("static"), ["let", "var"].contains(tokens[place + 1].text),
        tokens[place + 3].isMark("=") || tokens[place + 3].isMark(":"), tokens[place + 4].isWord(name),
        !others.contains(tokens[place + 2].text),
        // An optional one may end.
        !["?", "!"].contains(tokens[place + 5].text)
      {
        return true
      }
      place = max(tokens[place].partner ?? place, place) + 1
    }
    return false
  }

  /// Whether a function says the same: `+ (instancetype)sharedPlayer`, or a `private init` that nobody else calls.
  fileprivate func makesItsOnly(_ function: ReviewedFunction, _ type: String) -> Bool {
    let before = tokens[max(0, function.nameToken - 4)..<function.nameToken]
    switch language {
    case .swift: return function.name == "init" && before.suffix(2).contains { $0.isWord("private") }
    case .objectiveC:
      return function.isStatic && function.name.hasPrefix("shared") && function.parameters.isEmpty
        && before.contains { ["instancetype", "id", type].contains($0.text) }
    }
  }

  /// Whether a function that the type inherits gets the token: `keep(center.addObserver(forName: …) { … })`.
  fileprivate func handsOnToken(_ index: Int, in type: ReviewedType) -> Bool {
    guard language == .swift else { return false }
    let start = chainStart(before: index - 1)
    guard start > 1, tokens[start - 1].isMark("("), tokens[start - 2].kind == .word,
      start - 2 > type.body.lowerBound,
      !tokens[start - 3].isMark(".") || tokens[max(0, start - 4)].isWord("self")
    else { return false }
    let name = tokens[start - 2].text
    // One without a body is what a protocol asks for.
    return !functions.contains { $0.name == name && $0.body != nil }
  }

  fileprivate func observation(at index: Int) -> Observation? {
    let range: Range<Int>
    switch language {
    case .swift:
      guard index + 1 < tokens.count, tokens[index + 1].isMark("(") else { return nil }
      range = arguments(at: index + 1)
    case .objectiveC:
      guard let message = message(around: index, within: 0..<tokens.count) else { return nil }
      range = message
    }
    let labels = range.filter {
      tokens[$0].kind == .word && $0 + 1 < tokens.count && tokens[$0 + 1].isMark(":")
    }
    if let path = labels.first(where: { tokens[$0].isWord("forKeyPath") }) {
      let observer = language == .swift ? range.lowerBound : index + 2
      return Observation(
        kind: .keyPath, key: key(behind: path + 2, in: range),
        isSelf: observer < tokens.count
          && ["self", "weakSelf", "strongSelf"].contains(tokens[observer].text))
    }
    // `addObserver:forName:` of Objective-C is a method of somebody else.
    let block = language == .swift ? "forName" : "addObserverForName"
    if labels.contains(where: { tokens[$0].isWord(block) }) { return Observation(kind: .block, key: nil) }
    return Observation(kind: .selector, key: nil)
  }

  /// A key path that is written out.
  private func key(behind start: Int, in range: Range<Int>) -> String? {
    var place = start
    var words: [String] = []
    while place < range.upperBound, !tokens[place].isMark(",") {
      if tokens[place].kind == .text { return tokens[place].text }
      if tokens[place].kind == .word, place + 1 < range.upperBound, tokens[place + 1].isMark(":") { break }
      if tokens[place].kind == .word { words.append(tokens[place].text) }
      place += 1
    }
    // `self.keyPath` is what `init` got as `keyPath`.
    if words.count > 1, words.first == "self" { words.removeFirst() }
    return words.isEmpty ? nil : words.joined(separator: ".")
  }
}
