internal import LinkspanCore

extension ReviewRule {
  static let observerUnpaired = ReviewRule(
    "observer-unpaired", "An observer that does not end by itself is removed.", .warning, source: "SR8",
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
        override func viewDidLoad() {
          NotificationCenter.default.addObserver(
            self, selector: #selector(refresh), name: UIApplication.didBecomeActiveNotification, object: nil)
        }
      }
      """,
    ]
  ) { file, program, report in
    let reviewed = program.files[file]
    for type in reviewed.types {
      // What the whole type removes, in extensions too.
      var removed: Set<String> = []
      var removesAny = false
      for place in program.functions(of: type.name, in: file) {
        let other = program.files[place.file]
        for index in program.function(place).body ?? 0..<0 where other.tokens[index].isWord("removeObserver")
        {
          removesAny = true
          removed.formUnion(other.observation(at: index)?.key.map { [$0] } ?? [])
        }
      }
      for index in type.body where reviewed.tokens[index].isWord("addObserver") {
        // Types nest; the innermost one reports.
        let isInner = reviewed.types.contains {
          $0.body.contains(index) && $0.body.count < type.body.count
        }
        guard !isInner, let observation = reviewed.observation(at: index) else { continue }
        switch observation.kind {
        case .selector: continue
        case .keyPath:
          let isPaired = observation.key.map(removed.contains) ?? removesAny
          if isPaired || removed.contains("") { continue }
          report.add(
            index, "the observer of \(observation.key.map { "'\($0)'" } ?? "a key path") is never removed",
            help:
              "Key-value observing must balance: call 'removeObserver(_:forKeyPath:)' with the same object and key path, "
              + "or keep the token of 'observe(_:options:changeHandler:)', which ends by itself.")
        case .block:
          if removesAny { continue }
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

/// One call of `addObserver` or `removeObserver`.
private struct Observation {
  enum Kind {
    /// Ends by itself since iOS 9.
    case selector
    case keyPath
    case block
  }

  let kind: Kind
  /// The key path; empty for a removal that names none, nil for one that is not written out.
  let key: String?
}

extension ReviewedFile {
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
    return Observation(kind: .selector, key: tokens[index].isWord("removeObserver") ? "" : nil)
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
