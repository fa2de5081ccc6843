package import LinkspanCore

/// The lists that `$(name)` may stand for in one file, each made ready once however many patterns use it.
package struct SubstitutionVariables: Sendable {
  /// The user's own, by name.
  package let values: [ExactText: [String]]
  private let lists: [ExactText: PatternList]
  private let foldedLists: [ExactText: PatternList]

  private static let folded = TextForm(isCaseSensitive: false)

  /// The predefined ones alone.
  package static let none = SubstitutionVariables([:])

  package init(_ values: [ExactText: [String]]) {
    self.values = values
    lists = values.mapValues { PatternList($0, form: TextForm()) }
    foldedLists = values.mapValues { PatternList($0, form: Self.folded) }
  }

  /// The predefined lists where the user has some of the same names; nil where no name is taken (S7).
  var withoutPredefinedNames: SubstitutionVariables? {
    let own = values.filter { name, _ in !PredefinedVariables.names.contains(name.text) }
    return own.count == values.count ? nil : SubstitutionVariables(own)
  }

  /// Each list with the predefined one of the same name; nil where no name is taken (S7).
  var withPredefinedValues: SubstitutionVariables? {
    if withoutPredefinedNames == nil { return nil }
    return SubstitutionVariables(
      Dictionary(
        uniqueKeysWithValues: values.map { name, list in
          (name, list + PredefinedVariables.values(name.text))
        }))
  }

  func isDefined(_ name: String) -> Bool { values[ExactText(name)] != nil }

  /// The user's list of that name, else the predefined one; nil when there is neither.
  func list(_ name: String, isCaseSensitive: Bool) -> PatternList? {
    if let own = (isCaseSensitive ? lists : foldedLists)[ExactText(name)] { return own }
    return switch name {
    case "region": isCaseSensitive ? Self.regions : Self.foldedRegions
    case "lang": isCaseSensitive ? Self.languages : Self.foldedLanguages
    default: nil
    }
  }

  // The predefined lists are long and always the same.
  private static let regions = PatternList(LocaleCodes.regions, form: TextForm())
  private static let foldedRegions = PatternList(LocaleCodes.regions, form: folded)
  private static let languages = PatternList(LocaleCodes.languages, form: TextForm())
  private static let foldedLanguages = PatternList(LocaleCodes.languages, form: folded)
}
