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
      let removals = known[type.name] ?? Removals(type.name, file, program)
      known[type.name] = removals
      for index in type.body where reviewed.isAddition(index) {
        // Types nest; the innermost one reports.
        let isInner = reviewed.types.contains {
          $0.body.contains(index) && $0.body.count < type.body.count
        }
        guard !isInner, let observation = reviewed.observation(at: index) else { continue }
        switch observation.kind {
        case .selector: continue
        case .keyPath:
          if removals.removesKeyPath(observation.key) { continue }
          report.add(
            index, "the observer of \(observation.key.map { "'\($0)'" } ?? "a key path") is never removed",
            help:
              "Key-value observing must balance: call 'removeObserver(_:forKeyPath:)' with the same object and key path, "
              + "or keep the token of 'observe(_:options:changeHandler:)', which ends by itself.")
        case .block:
          if removals.removesTokens || reviewed.livesAsLongAsTheApp(index, in: type) { continue }
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

  init(_ type: String, _ file: Int, _ program: ReviewedProgram) {
    for place in program.functions(of: type, in: file) {
      let other = program.files[place.file]
      for index in program.function(place).body ?? 0..<0 where other.tokens[index].isWord("removeObserver") {
        let argument = index + 2 < other.tokens.count ? other.tokens[index + 2] : nil
        guard let observation = other.observation(at: index), observation.kind == .keyPath else {
          // `self.token` is another one than `self`.
          let isSelf = argument?.isWord("self") ?? false
          let isMember = index + 3 < other.tokens.count && other.tokens[index + 3].isMark(".")
          removesTokens = removesTokens || !isSelf || isMember
          continue
        }
        if let key = observation.key { keyPaths.insert(key) } else { removesAnyKeyPath = true }
      }
    }
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
    return function?.isStatic ?? false || type.name.hasSuffix("AppDelegate") || type.name.hasSuffix("App")
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
      return Observation(kind: .keyPath, key: key(behind: path + 2, in: range))
    }
    if labels.contains(where: { ["forName", "addObserverForName"].contains(tokens[$0].text) }) {
      return Observation(kind: .block, key: nil)
    }
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
    return words.isEmpty ? nil : words.joined(separator: ".")
  }
}
