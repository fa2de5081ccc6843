/// Reads a document that a person wrote, such as a story or a configuration: wrong types, unknown and repeated keys are
/// findings with their place, and reading goes on, so that one run reports all errors.
package protocol DocumentReading {
  /// Records an error at bytes of the document: its rule without the kind of document, such as `unknown-key`, and in `help`
  /// what to write instead.
  mutating func report(_ rule: String, at range: Range<Int>, _ message: String, _ help: String)

  /// Hears what may stand at a place, whether it does or not. A reader that nobody asks needs no function of its own.
  mutating func expects(_ choice: DocumentChoice, at range: Range<Int>)
}

/// What a reader takes at one place of a document: what an editor offers there, and a schema says.
package enum DocumentChoice: Hashable, Sendable {
  /// The keys of an object, and what the object is called.
  case keys([String], of: String)
  /// An object whose keys are free.
  case names
  /// The values of a key.
  case words([String])
  /// Values that the document itself defines, beside others.
  case offers([String])
  case flag
  case integer(ClosedRange<Int>)
  case number(ClosedRange<Double>)
  /// A string, or an array of them.
  case texts
  /// A string that this regular expression matches, as a schema says it.
  case form(String)
}

extension DocumentReading {
  package mutating func expects(_ choice: DocumentChoice, at range: Range<Int>) {}

  /// The same, for a whole value.
  package mutating func report(_ rule: String, _ node: JSONNode, _ message: String, _ help: String) {
    report(rule, at: node.range, message, help)
  }

  /// A wrong type: "'start' is a number; expected a string.", and "This is …" of what is no key, such as "an experience".
  package mutating func wrongType(_ node: JSONNode, _ name: String, wanted: String, example: String) {
    let subject = name.utf8.contains(0x20) ? "This" : "'\(name)'"
    report("type", node, "\(subject) is \(node.typeName); expected \(wanted).", "For example: \(example).")
  }

  /// The members of an object, after unknown and repeated keys have been reported.
  package mutating func members(
    _ node: JSONNode, _ name: String, keys: [String], example: String
  ) -> [JSONMember]? {
    guard let members = named(node, name, example: example) else { return nil }
    expects(.keys(keys, of: name), at: node.range)
    for member in members where !keys.contains(member.name) {
      let advice =
        Spelling.nearest(to: member.name, among: keys).map { "Did you mean '\($0)'?" }
        ?? "Known keys: \(Self.list(keys))."
      report("unknown-key", at: member.nameRange, "'\(member.name)' is not a key of \(name).", advice)
    }
    return members
  }

  /// The members of an object whose keys are free.
  package mutating func named(_ node: JSONNode, _ name: String, example: String) -> [JSONMember]? {
    guard let members = node.object else {
      wrongType(node, name, wanted: "an object", example: example)
      return nil
    }
    expects(.names, at: node.range)
    var seen: Set<String> = []
    for member in members where !seen.insert(member.name).inserted {
      report(
        "repeated-key", at: member.nameRange, "'\(member.name)' occurs twice in \(name).",
        "Keep one of the two.")
    }
    return members
  }

  /// A string; any other type is reported.
  package mutating func string(_ node: JSONNode, _ name: String, example: String) -> String? {
    if let text = node.string { return text }
    wrongType(node, name, wanted: "a string", example: example)
    return nil
  }

  /// True or false; any other type is reported.
  package mutating func bool(_ node: JSONNode, _ name: String) -> Bool? {
    expects(.flag, at: node.range)
    if let flag = node.bool { return flag }
    wrongType(node, name, wanted: "true or false", example: "\(name): true")
    return nil
  }

  /// An integer in the range; anything else is reported.
  package mutating func int(_ node: JSONNode, _ name: String, in range: ClosedRange<Int>) -> Int? {
    expects(.integer(range), at: node.range)
    if let number = node.int, range.contains(number) { return number }
    report(
      "number", node, "'\(name)' is not an integer from \(range.lowerBound) to \(range.upperBound).",
      "Write an integer in that range.")
    return nil
  }

  /// A word out of a few.
  package mutating func word<Word: RawRepresentable<String>>(
    _ node: JSONNode, _ name: String, _ words: [Word]
  ) -> Word? {
    let known = words.map { $0.rawValue }
    expects(.words(known), at: node.range)
    guard let text = string(node, name, example: "\(name): \"\(known[0])\"") else { return nil }
    if let word = Word(rawValue: text) { return word }
    let advice =
      Spelling.nearest(to: text, among: known).map { "Did you mean '\($0)'?" }
      ?? "Expected \(Self.list(known))."
    report("unknown-word", node, "'\(text)' is not a value of '\(name)'.", advice)
    return nil
  }

  /// A string, or an array of them.
  package mutating func strings(_ node: JSONNode, _ name: String, example: String) -> [(String, JSONNode)] {
    expects(.texts, at: node.range)
    if let text = node.string { return [(text, node)] }
    guard let elements = node.array else {
      wrongType(node, name, wanted: "a string or an array of strings", example: example)
      return []
    }
    return elements.compactMap { element in
      string(element, name, example: example).map { ($0, element) }
    }
  }

  /// The words in quotation marks: `'a', 'b' and 'c'`; `none` without any.
  package static func list(_ words: [String]) -> String {
    let quoted = words.map { "'\($0)'" }
    guard quoted.count > 1 else { return quoted.first ?? "none" }
    return quoted.dropLast().joined(separator: ", ") + " and " + quoted.last!
  }
}
