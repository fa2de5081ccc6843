package import LinkspanCore

/// What a person typed behind a command's name, checked against its flags.
package struct Arguments: Sendable {
  package let command: Command
  package private(set) var operands: [String]
  private var values: [String: [String]]

  /// - Throws: What is wrong with a word, and the flag that was probably meant.
  package init(_ words: ArraySlice<String>, for command: Command) throws(LinkspanError) {
    var operands: [String] = []
    var values: [String: [String]] = [:]
    var rest = words
    while let word = rest.popFirst() {
      if word == "--" {
        operands += rest
        break
      }
      guard word.hasPrefix("-"), word.count > 1 else {
        operands.append(word)
        continue
      }
      let isShort = !word.hasPrefix("--")
      let typed = isShort ? word : String(word.prefix { $0 != "=" })
      guard let flag = command.flag(typed) else {
        if let other = command.elsewhere.first(where: { $0.word == typed }) {
          throw LinkspanError("there is no flag '\(typed)'.", help: other.instead)
        }
        if isShort { throw Self.usage(Self.noShortFlag(typed, command), command) }
        let name = typed
        let near = Self.nearest(to: name, among: command.allFlags.map { $0.name })
        throw Self.usage(
          "there is no flag '\(name)'" + (near.map { ". Did you mean '\($0)'?" } ?? ""), command)
      }
      let name = flag.name
      var value = ""
      if !isShort, let equals = word.firstIndex(of: "=") {
        guard flag.value != nil else { throw Self.usage("'\(name)' takes no value", command) }
        value = String(word[word.index(after: equals)...])
      } else if let wanted = flag.value {
        guard let next = rest.popFirst() else {
          throw Self.usage("'\(typed)' needs a value: \(wanted)", command)
        }
        value = next
      }
      if values[name] != nil, !flag.repeats { throw Self.usage("'\(typed)' is given twice", command) }
      if let refusal = flag.refusal(of: value) { throw Self.usage(refusal, command) }
      values[name, default: []].append(value)
    }
    let inputs = operands + Self.inputFlags.flatMap { values[$0] ?? [] }
    if inputs.count(where: { $0 == "-" }) > 1 {
      throw Self.usage("standard input, '-', is named more than once, and can be read once only", command)
    }
    self.command = command
    self.operands = operands
    self.values = values
  }

  /// The flags that name a file to be read beside the operands.
  private static let inputFlags = ["--file", "--urls", "--routes", "--site", "--app", "--batch"]

  /// Whether a word asks for the help, also beside words that are wrong. Behind `--` and as the value of a flag none does: a
  /// script may have it from a stranger, and the help ends with 0, as the answer yes does.
  static func askForHelp(_ words: ArraySlice<String>, of command: Command) -> Bool {
    var rest = words
    while let word = rest.popFirst(), word != "--" {
      guard let flag = command.flag(word) else { continue }
      if flag.name == Flag.usage.name { return true }
      if flag.value != nil { _ = rest.popFirst() }
    }
    return false
  }

  private static func noShortFlag(_ typed: String, _ command: Command) -> String {
    let known = command.allFlags.compactMap { $0.short }
    return "there is no flag '\(typed)'. The short ones are \(known.joined(separator: ", "))"
  }

  package func has(_ name: String) -> Bool {
    precondition(command.flag(name) != nil, "\(command.name) has no flag \(name)")
    return values[name] != nil
  }

  package func value(_ name: String) -> String? { all(name).last }

  package func all(_ name: String) -> [String] {
    let flag = command.flag(name)
    precondition(flag != nil, "\(command.name) has no flag \(name)")
    precondition(flag?.isAddress == false, "\(name) may hold a credential; read it with address(_:)")
    return values[name] ?? []
  }

  /// The address of a service; nil without the flag.
  package func address(_ name: String) -> ServiceAddress? {
    precondition(command.flag(name)?.isAddress == true, "\(name) of \(command.name) is not an address")
    return values[name]?.last.map { ServiceAddress($0) }
  }

  /// The case that a flag with choices names; nil without the flag.
  ///
  /// ``init(_:for:)`` refuses every other word, so a word without a case is a mistake of the flag's record.
  package func choice<Choice: RawRepresentable<String>>(_ name: String, _: Choice.Type = Choice.self)
    -> Choice?
  {
    value(name).map { word in
      guard let choice = Choice(rawValue: word) else {
        preconditionFailure("\(name) of \(command.name) takes '\(word)', which is no \(Choice.self)")
      }
      return choice
    }
  }

  /// A sign before what is not negative is a slip in a range, such as `+5`.
  private static func integer<Number: FixedWidthInteger>(_ text: String, _: Number.Type) -> Number? {
    text.hasPrefix("+") ? nil : Number(text)
  }

  /// An integer of at least the given one.
  package func number<Number: FixedWidthInteger>(_ name: String, atLeast least: Number) throws(LinkspanError)
    -> Number?
  {
    guard let text = value(name) else { return nil }
    guard let number = Self.integer(text, Number.self), number >= least else {
      let isTooLarge = !text.isEmpty && text.utf8.allSatisfy(ASCII.isDigit) && Number(text) == nil
      let range = isTooLarge ? "from \(least) to \(Number.max)" : "≥ \(least)"
      throw Self.usage("'\(name)': expected an integer \(range), got '\(text)'", command)
    }
    return number
  }

  /// An integer of a range that the API or the configuration has, too; refused in its words.
  package func number<Number: FixedWidthInteger>(
    _ name: String, in range: ClosedRange<Number>
  ) throws(LinkspanError) -> Number? {
    guard let text = value(name) else { return nil }
    guard let number = Self.integer(text, Number.self), range.contains(number) else {
      throw Self.usage(
        "'\(name)': expected an integer from \(range.lowerBound) to \(range.upperBound), got '\(text)'",
        command)
    }
    return number
  }

  /// Refuses operands beyond a count, and too few.
  package func expectOperands(_ range: ClosedRange<Int>) throws(LinkspanError) {
    if operands.count < range.lowerBound {
      let choices = command.operands.filter { $0 != "[" && $0 != "]" }.split(separator: "|")
      let words = choices.map { choice in choice.split(separator: " ").joined(separator: " ") }
      throw Self.usage("\(words.alternatives) is missing", command)
    }
    if operands.count > range.upperBound {
      throw Self.usage("unexpected argument '\(operands[range.upperBound])'", command)
    }
  }

  /// The one operand of a command whose operand is one of a few words.
  ///
  /// - Throws: That it is missing, that there are more, and what was expected instead of another word.
  package func chosenOperand() throws(LinkspanError) -> String {
    try expectOperands(1...1)
    if let refusal = Flag.refusal(of: operands[0], among: command.operandChoices()) { throw usage(refusal) }
    return operands[0]
  }

  /// The same, where a configuration's operands and values stand for those that were not typed.
  package func filled(operands: [String], _ flag: String, _ values: [String]) -> Arguments {
    var copy = self
    if copy.operands.isEmpty { copy.operands = operands }
    if copy.values[flag] == nil, !values.isEmpty { copy.values[flag] = values }
    return copy
  }

  /// The same, with other values of a flag.
  package func with(_ flag: String, _ values: [String]) -> Arguments {
    var copy = self
    copy.values[flag] = values.isEmpty ? nil : values
    return copy
  }

  /// The same question as words of another command: its operands, and the flags that both have.
  ///
  /// - Throws: What that command does not take.
  package func asked(of other: Command, operands: [String]) throws(LinkspanError) -> Arguments {
    var copy = try Arguments(operands[...], for: other)
    for (name, values) in values {
      guard let flag = other.flag(name) else { continue }
      if let refusal = values.lazy.compactMap({ flag.refusal(of: $0) }).first {
        throw Self.usage(refusal, other)
      }
      copy.values[name] = values
    }
    return copy
  }

  package func usage(_ message: String) -> LinkspanError { Self.usage(message, command) }

  private static func usage(_ message: String, _ command: Command) -> LinkspanError {
    LinkspanError(message + (message.hasSuffix("?") ? "" : "."), help: command.usage)
  }

  /// The word that differs by one letter, else the only one that is longer or shorter at its end, as `--cert` for
  /// `--certificate`; else one that differs by three letters at most, and by less than half of the longer. The dashes of
  /// flags are no letters.
  package static func nearest(to text: String, among words: [String]) -> String? {
    func letters(_ word: String) -> String { String(word.drop { $0 == "-" }) }
    let typed = letters(text)
    let near = words.map { (Spelling.distance(typed, letters($0)), $0) }.min { $0 < $1 }
    let slip = near.flatMap { distance, word in
      distance <= 3 && 2 * distance < max(typed.utf8.count, letters(word).utf8.count) ? word : nil
    }
    if slip != nil, near?.0 == 1 { return slip }
    let shorthands = words.filter { word in
      let short = min(text.utf8.count, word.utf8.count)
      return short >= shorthandBytes && (word.hasPrefix(text) || text.hasPrefix(word))
    }
    return shorthands.count == 1 ? shorthands[0] : slip
  }

  /// What a shorthand has at least, dashes included. Ours: `--cert`.
  private static let shorthandBytes = 6
}
