internal import LinkspanCore

extension ReviewRule {
  static let equalityWithoutHash = ReviewRule(
    "equality-without-hash", "Equality and hash come as a pair.", .error, source: "SR9",
    words: ["isEqual", "Hashable", ")hash", ") hash"],
    bad: [
      """
      class Recipe: NSObject {
        override func ⟦isEqual⟧(_ object: Any?) -> Bool { (object as? Recipe)?.identifier == identifier }
      }
      """,
      """
      @implementation Recipe
      - (BOOL)⟦isEqual⟧:(id)object {
        return [self.identifier isEqual:[object identifier]];
      }
      @end
      """,
      """
      struct Recipe: Hashable {
        var identifier: String
        var title: String
        static func ⟦==⟧ (left: Recipe, right: Recipe) -> Bool { left.identifier == right.identifier }
      }
      """,
    ],
    good: [
      """
      class Recipe: NSObject {
        override func isEqual(_ object: Any?) -> Bool { (object as? Recipe)?.identifier == identifier }
        override var hash: Int { identifier.hash }
      }
      """,
      """
      struct Recipe: Equatable {
        var identifier: String
        static func == (left: Recipe, right: Recipe) -> Bool { left.identifier == right.identifier }
      }
      """,
    ]
  ) { file, program, report in
    let reviewed = program.files[file]
    // For each type, since a file may have many.
    var hashes: [String: Bool] = [:]
    for (number, function) in reviewed.functions.enumerated() {
      guard let type = function.type, let body = function.body, ["isEqual", "=="].contains(function.name)
      else {
        continue
      }
      let siblings = program.siblings(of: ReviewedProgram.Place(file: file, function: number))
      let name = reviewed.types[type].name
      let hasHash =
        hashes[name]
        ?? (siblings.contains { program.function($0).name == "hash" }
          || program.declaresHash(name, near: siblings))
      hashes[name] = hasHash
      guard !hasHash else { continue }
      let help = "Equal objects must have equal hashes, or sets and dictionaries lose them. "
      if function.name == "isEqual" {
        guard reviewed.overridesEquality(function), !reviewed.comparesIdentity(body),
          program.hasOtherHash(name, function, siblings, file)
        else { continue }
        report.add(
          function.nameToken, "'\(name)' has its own equality and not its own hash",
          help: help + "Override 'hash' with what 'isEqual' compares.")
      } else {
        guard program.isHashable(name, siblings, file), reviewed.compares(name, function),
          !reviewed.comparesHashes(function)
        else { continue }
        if let values = program.storedValues(ofType: type, in: file),
          reviewed.compares(function, all: values)
        {
          continue
        }
        report.add(
          function.nameToken,
          "'\(name)' is Hashable with its own '==', and its hash is made of all its members",
          help: help + "Write 'hash(into:)' with what '==' compares.")
      }
    }
  }
}

extension ReviewedProgram {
  /// Whether one of the files of a type declares a property `hash`.
  fileprivate func declaresHash(_ type: String, near siblings: [Place]) -> Bool {
    Set(siblings.map(\.file)).contains { index in
      files[index].types.contains { part in
        part.name == type
          && part.body.contains { place in
            files[index].tokens[place].isWord("var") && place + 1 < part.body.upperBound
              && ["hash", "hashValue"].contains(files[index].tokens[place + 1].text)
          }
      }
    }
  }

  private func declaration(of type: String, in file: Int) -> Part? {
    parts(of: type, in: file).first { !self.type($0).isExtension }
  }

  /// What the values of a structure or enumeration store; nil for a class, whose hash somebody writes, and for a type that is
  /// declared elsewhere.
  fileprivate func storedValues(ofType number: Int, in file: Int) -> StoredValues? {
    let own = files[file].types[number]
    let part = own.isExtension ? declaration(of: own.name, in: file) : Part(file: file, type: number)
    guard let part, !type(part).isClass else { return nil }
    return files[part.file].storedValues(of: type(part))
  }

  /// Whether equal objects of a class may get different hashes, since it inherits the hash of NSObject. A class of somebody
  /// else may have a hash that agrees.
  fileprivate func hasOtherHash(
    _ name: String, _ function: ReviewedFunction, _ siblings: [Place], _ file: Int
  ) -> Bool {
    guard files[file].language == .swift else { return true }
    guard var own = declaration(of: name, in: file) else { return false }
    for _ in 0..<Self.baseLimit {
      guard let base = type(own).inherited.first else { return false }
      if base == "NSObject" { return true }
      guard let next = declaration(of: base, in: own.file) else {
        return isDeclared(base) || comparesNoKey(function, siblings, file)
      }
      if declaresHash(base, near: functions(of: base, in: next.file)) { return false }
      own = next
    }
    return false
  }

  /// Ours: classes that inherit from each other.
  private static var baseLimit: Int { 8 }

  /// Whether a class names the key of its rows in a database, of which its hash is made, and one other thing is compared.
  private func comparesNoKey(_ function: ReviewedFunction, _ siblings: [Place], _ file: Int) -> Bool {
    guard let place = siblings.first(where: { self.function($0).name == "primaryKey" }),
      let key = self.function(place).body?.map({ files[place.file].tokens[$0] }).first(where: {
        $0.kind == .text
      }),
      let body = function.body
    else { return false }
    return body.count(where: { files[file].tokens[$0].isMark("==") }) == 1
      && !files[file].mentions(body, key.text)
  }

  fileprivate func isHashable(_ type: String, _ siblings: [Place], _ file: Int) -> Bool {
    Set(siblings.map(\.file) + [file]).contains { index in
      files[index].types.contains { $0.name == type && $0.inherited.contains("Hashable") }
    }
  }
}

extension ReviewedFile {
  /// Whether an operator compares two values of the type.
  fileprivate func compares(_ type: String, _ function: ReviewedFunction) -> Bool {
    function.parameters.count == 2
      && function.parameters.allSatisfy { $0.type.contains(type) || $0.type.contains("Self") }
  }

  /// Whether a method is the equality of NSObject, and not one of the class for values of its own kind.
  fileprivate func overridesEquality(_ function: ReviewedFunction) -> Bool {
    guard function.parameters.count == 1 else { return false }
    guard language == .swift else { return true }
    // `public override func isEqual(_ object: Any?)`
    let before = tokens[max(0, function.nameToken - 5)..<function.nameToken]
    return before.contains { $0.isWord("override") } && function.parameters[0].label == "_"
      && ["Any", "AnyObject", "NSObject"].contains(function.parameters[0].type.first)
  }

  /// Whether an object is equal to nothing but itself, as without an equality of its own.
  fileprivate func comparesIdentity(_ body: Range<Int>) -> Bool {
    let words = tokens[body].map(\.text).filter { !["return", ";", "(", ")"].contains($0) }
    if (3...4).contains(words.count), words.contains("self"),
      words.dropFirst().dropLast().allSatisfy({ $0 == "==" || $0 == "=" })
    {
      return true
    }
    return language == .swift && words.contains("self") && comparesNothingElse(body)
  }

  /// Whether `===` is all that is asked, perhaps behind a cast: nothing is called, and no member is read.
  private func comparesNothingElse(_ body: Range<Int>) -> Bool {
    let signs = body.filter { tokens[$0].isMark("==") }
    return !signs.isEmpty && signs.allSatisfy { tokens[$0 + 1].isMark("=") }
      && !body.contains { index in
        tokens[index].isMark(".") || tokens[index].isMark("||")
          || tokens[index].isMark("(") && tokens[index - 1].kind == .word
            && !["if", "guard", "return"].contains(tokens[index - 1].text)
      }
  }

  /// Whether `==` asks the hashes themselves: `left.hashValue == right.hashValue`.
  fileprivate func comparesHashes(_ function: ReviewedFunction) -> Bool {
    (function.body ?? 0..<0).contains { index in
      tokens[index].isWord("hashValue") && function.parameters.contains { isMember(index, of: $0.name) }
    }
  }
}
