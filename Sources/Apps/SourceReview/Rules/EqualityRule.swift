internal import LinkspanCore

extension ReviewRule {
  static let equalityWithoutHash = ReviewRule(
    "equality-without-hash", "Equality and hash come as a pair.", .error, source: "SR9",
    words: ["isEqual", "func ==", ")hash", ") hash"],
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
    var equalities: [String: Bool] = [:]
    for (number, function) in reviewed.functions.enumerated() {
      guard let type = function.type, function.body != nil, Self.names.contains(function.name) else {
        continue
      }
      let place = ReviewedProgram.Place(file: file, function: number)
      let siblings = program.siblings(of: place)
      let name = reviewed.types[type].name
      let hasHash =
        hashes[name]
        ?? (siblings.contains { program.function($0).name == "hash" }
          || program.declaresHash(name, near: siblings))
      hashes[name] = hasHash
      let hasEquality = equalities[name] ?? siblings.contains { program.function($0).name == "isEqual" }
      equalities[name] = hasEquality
      let help = "Equal objects must have equal hashes, or sets and dictionaries lose them. "
      switch function.name {
      case "isEqual" where function.parameters.count == 1 && !hasHash:
        report.add(
          function.nameToken, "'\(name)' has its own equality and not its own hash",
          help: help + "Override 'hash' with what 'isEqual' compares.")
      case "=="
      where !hasHash && program.isHashable(name, siblings, file) && reviewed.compares(name, function):
        report.add(
          function.nameToken,
          "'\(name)' is Hashable with its own '==', and its hash is made of all its members",
          help: help + "Write 'hash(into:)' with what '==' compares.")
      case "hash" where reviewed.language == .objectiveC && function.parameters.isEmpty:
        guard !hasEquality else { continue }
        report.add(
          function.nameToken, "'\(name)' has its own hash and not its own equality",
          help: help + "Override 'isEqual:' with what 'hash' is made of, or leave both out.")
      default: break
      }
    }
  }

  private static let names: Set<String> = ["isEqual", "==", "hash"]
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
}
