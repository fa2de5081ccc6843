internal import LinkspanCore

extension ReviewRule {
  static let nilInLiteral = ReviewRule(
    "nil-in-literal", "Nothing that may be nil goes into a literal dictionary or array.", .warning,
    source: "SR10", words: ["@{", "@[", "WithObjects", "setObject"],
    bad: [
      """
      @implementation Alerts
      - (NSDictionary *)info:(NSError *)error {
        return @{ @"reason": error.⟦localizedFailureReason⟧ };
      }
      @end
      """,
      """
      @implementation Alerts
      - (NSDictionary *)infoWithName:(nullable NSString *)name {
        return @{ @"name": ⟦name⟧ };
      }
      @end
      """,
      """
      @interface Profile ()
      @property (nonatomic, copy, nullable) NSString *name;
      @end
      @implementation Profile
      - (NSDictionary *)info { return @{ @"name": self.⟦name⟧ }; }
      @end
      """,
      """
      @implementation Alerts
      - (void)showError:(nullable NSError *)error {
        [self show:@{ @"domain": ⟦error⟧.domain }];
      }
      @end
      """,
      """
      @implementation Alerts
      - (NSDictionary *)info:(NSError *)error {
        return [NSDictionary dictionaryWithObjectsAndKeys:
            [error ⟦localizedFailureReason⟧], @"reason", [error localizedRecoverySuggestion], @"suggestion", nil];
      }
      @end
      """,
    ],
    good: [
      """
      @implementation Alerts
      - (NSDictionary *)info:(NSError *)error {
        return @{ @"reason": error.localizedFailureReason ?: @"" };
      }
      @end
      """,
      """
      @implementation Alerts
      - (NSDictionary *)infoWithName:(nullable NSString *)name {
        return name ? @{ @"name": name } : @{};
      }
      @end
      """,
      """
      @implementation Alerts
      - (void)showName:(nullable NSString *)name {
        [self.names enumerateUsingBlock:^(NSString *name) { [self show:@[ name ]]; }];
        while (name) { name = [self nameAfter:@[ name ]]; }
      }
      @end
      """,
      """
      @implementation Alerts
      - (NSDictionary *)info:(NSError *)error {
        NSMutableDictionary *info = [NSMutableDictionary dictionary];
        if (error.localizedFailureReason) {
          info[@"reason"] = error.localizedFailureReason;
        }
        return info;
      }
      @end
      """,
    ]
  ) { file, program, report in
    let reviewed = program.files[file]
    guard reviewed.language == .objectiveC else { return }
    let properties = reviewed.nullableProperties
    for index in reviewed.tokens.indices {
      let (range, ending) = reviewed.collection(at: index)
      guard !range.isEmpty else { continue }
      let elements = reviewed.elements(range)
      // The one `nil` that ends the list is no element.
      for element in ending == .listEnds ? elements.dropLast() : elements[...] {
        guard
          let place = reviewed.nullable(in: element)
            ?? (ending == .insertionStops && !reviewed.insertsIntoDictionary(index)
              ? nil : reviewed.nullableName(in: element, before: index, properties)),
          !reviewed.isGuarded(element, before: index)
        else {
          continue
        }
        let isNil = reviewed.tokens[place].isWord("nil")
        report.add(
          place,
          ending == .listEnds
            ? "the list ends here when '\(reviewed.tokens[place].text)' is nil"
            : "'\(reviewed.tokens[place].text)' \(isNil ? "is" : "may be") nil, and nil in \(ending.what) stops the app",
          help: ending == .listEnds
            ? "What follows is left out without a word. Build the collection step by step, and add only what is there."
            : "Add the value only when it is there, or use another one: 'value ?: @\"\"'.",
          severity: isNil && ending != .listEnds ? .error : nil)
        // One finding says it for the whole collection.
        break
      }
    }
  }
}

/// What becomes of a nil.
private enum NilOutcome {
  case literalStops
  case insertionStops
  case listEnds

  var what: String { self == .insertionStops ? "'setObject:forKey:'" : "a literal" }
}

extension ReviewedFile {
  /// Whether the receiver of `setObject:forKey:` is declared as a dictionary: user defaults and map tables take nil.
  fileprivate func insertsIntoDictionary(_ index: Int) -> Bool {
    guard index > 0, tokens[index - 1].kind == .word else { return false }
    let name = tokens[index - 1].text
    return tokens.indices.contains { place in
      guard tokens[place].isWord("NSMutableDictionary") else { return false }
      return (place + 1..<min(place + 12, tokens.count)).contains { next in
        tokens[next].isMark("*") && next + 1 < tokens.count && tokens[next + 1].isWord(name)
      }
    }
  }

  /// The elements of a collection that begins at a token; empty where none does.
  fileprivate func collection(at index: Int) -> (range: Range<Int>, outcome: NilOutcome) {
    let token = tokens[index]
    if token.isMark("@"), index + 1 < tokens.count,
      tokens[index + 1].isMark("{") || tokens[index + 1].isMark("[")
    {
      return (arguments(at: index + 1), .literalStops)
    }
    let lists: Set<String> = [
      "dictionaryWithObjectsAndKeys", "initWithObjectsAndKeys", "arrayWithObjects", "initWithObjects",
      "setWithObjects",
    ]
    guard token.kind == .word, lists.contains(token.text) || token.text == "setObject",
      index + 1 < tokens.count,
      tokens[index + 1].isMark(":")
    else { return (index..<index, .literalStops) }
    guard let message = message(around: index, within: 0..<tokens.count) else {
      return (index..<index, .literalStops)
    }
    if lists.contains(token.text) {
      let range = index + 2..<message.upperBound
      // `arrayWithObjects:count:` has no end of its own.
      return range.isEmpty || !tokens[range.upperBound - 1].isWord("nil")
        ? (index..<index, .listEnds) : (range, .listEnds)
    }
    let end = (index + 2..<message.upperBound).first { tokens[$0].isWord("forKey") } ?? index + 2
    return (index + 2..<end, .insertionStops)
  }

  /// Splits at commas, and at the colons of a dictionary.
  fileprivate func elements(_ range: Range<Int>) -> [Range<Int>] {
    var elements: [Range<Int>] = []
    var start = range.lowerBound
    var place = start
    while place < range.upperBound {
      let token = tokens[place]
      if token.isMark(",")
        || token.isMark(":") && tokens[range.lowerBound - 1].isMark("{") && !isChoice(start..<place)
      {
        elements.append(start..<place)
        start = place + 1
      }
      place = token.partner.map { $0 > place ? min($0, range.upperBound - 1) : place } ?? place
      place += 1
    }
    elements.append(start..<range.upperBound)
    return elements.filter { !$0.isEmpty }
  }

  private func isChoice(_ element: Range<Int>) -> Bool { element.contains { tokens[$0].isMark("?") } }

  /// The word of an element that may be nil; nil for one that says what to take instead.
  fileprivate func nullable(in element: Range<Int>) -> Int? {
    if element.contains(where: { tokens[$0].isMark("?") || tokens[$0].isMark("?:") }) { return nil }
    if element.count == 1, tokens[element.lowerBound].isWord("nil") { return element.lowerBound }
    let words: Set<String> = [
      "localizedFailureReason", "localizedRecoverySuggestion", "webpageURL", "referrerURL", "objectForKey",
      "valueForKey",
      "objectForKeyedSubscript", "URLWithString", "stringForKey", "imageNamed",
    ]
    // The value itself, and nothing inside a block or a literal of its own.
    let last = topLevelEnd(element)
    guard let last, words.contains(tokens[last].text), !isWrittenOut(last) else { return nil }
    return last
  }

  /// Whether a URL or the name of an image is written out, here or as a constant, or a value is asked for that every app has:
  /// then it was tried.
  private func isWrittenOut(_ index: Int) -> Bool {
    guard index + 3 < tokens.count, tokens[index + 3].isMark("]") else { return false }
    let argument = tokens[index + 2]
    if ["URLWithString", "imageNamed"].contains(tokens[index].text) {
      return argument.kind == .text || isConstant(argument.text)
    }
    return tokens[index].isWord("objectForKey")
      && ["CFBundleIdentifier", "CFBundleVersion", "NSLocaleLanguageCode"].contains(argument.text)
  }

  /// `kAddress`, as constants are named.
  private func isConstant(_ name: String) -> Bool {
    name.hasPrefix("k") && name.dropFirst().first?.isUppercase ?? false
  }

  /// The word that says what an element is: the last one of `a.b.c`, the first label of `[a b:c]`.
  private func topLevelEnd(_ element: Range<Int>) -> Int? {
    let first = tokens[element.lowerBound]
    if first.isMark("["), first.partner == element.upperBound - 1 {
      // Behind the receiver.
      var place = element.lowerBound + 1
      guard place < element.upperBound else { return nil }
      place = (tokens[place].partner.map { max($0, place) } ?? place) + 1
      while place < element.upperBound, tokens[place].isMark(".") { place += 2 }
      return place < element.upperBound && tokens[place].kind == .word ? place : nil
    }
    let last = element.upperBound - 1
    let isPath = element.allSatisfy { tokens[$0].kind == .word || tokens[$0].isMark(".") }
    return isPath && element.count > 1 ? last : nil
  }

  /// Ours: an `if` farther away than so many words is about something else.
  static let guardLimit = 4_000

  /// Whether the function asked before, in an `if`, for the same value.
  func isGuarded(_ element: Range<Int>, before index: Int) -> Bool {
    let body = functions.lazy.compactMap(\.body).first { $0.contains(index) } ?? 0..<index
    let start = max(body.lowerBound, index - Self.guardLimit)
    let wanted = element.map { tokens[$0].text }
    for place in start..<index where ["if", "while"].contains(tokens[place].text) {
      let condition = arguments(at: place + 1)
      guard condition.count >= wanted.count else { continue }
      for start in condition.lowerBound...(condition.upperBound - wanted.count)
      where zip(start..<start + wanted.count, wanted).allSatisfy({ tokens[$0].text == $1 }) {
        return true
      }
    }
    return false
  }
}
