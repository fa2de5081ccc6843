/// Releases of iOS that read association files alike.
///
/// - Source: sections 6.2 to 6.4. iOS 9.3 changed where files are
///   fetched from (F2) and which hosts an entry covers (E5), not what a file says; since 14 nothing changed.
package struct ReleasePeriod: Hashable, Sendable {
  package var first: OSVersion
  /// nil: up to the newest.
  package var last: OSVersion?

  /// From the first release with universal links, oldest first; neighbours read something differently.
  package static let iOS = [
    ReleasePeriod(first: OSVersion(.iOS, 9), last: OSVersion(.iOS, 12, 5)),
    ReleasePeriod(first: OSVersion(.iOS, 13), last: OSVersion(.iOS, 13, 4)),
    ReleasePeriod(first: OSVersion(.iOS, 13, 5), last: OSVersion(.iOS, 13, 7)),
    ReleasePeriod(first: OSVersion(.iOS, 14), last: nil),
  ]

  /// `iOS 9.0–12.5`, or `iOS 14.0 and later`.
  package var name: String {
    guard let last else { return "\(first.name) and later" }
    if last == first { return first.name }
    return "\(first.name)–\(last.name.drop { $0 != " " }.dropFirst())"
  }
}

extension AppLinks {
  /// The keys of this file that the release a period begins with was the first to read (6.2 to 6.4), as they
  /// are written.
  ///
  /// - Parameter deciding: Rules that decided on either side, merged: of the keys of rules only theirs are
  ///   named. nil for every rule of the file.
  func news(since first: OSVersion, deciding: [RuleSettings]? = nil) -> [String] {
    let rules =
      deciding
      ?? entries.flatMap { entry in
        (entry.components ?? []).map(\.settings) + (entry.paths ?? []).map(\.settings)
      }
    let levels = entries.map(\.defaults) + [defaults]
    let settings = deciding ?? rules + levels
    var words: [String] = []
    switch (first.major, first.minor) {
    case (13, 0):
      if entries.contains(where: { $0.components != nil }) { words.append("\"components\"") }
      if entries.contains(where: { $0.appIDs != nil }) { words.append("\"appIDs\"") }
    case (13, 5):
      if settings.contains(where: { $0.caseSensitive != nil }) { words.append("\"caseSensitive\"") }
      if settings.contains(where: \.usesVariables) { words.append("$(…)") }
    case (14, 0):
      if settings.contains(where: { $0.percentEncoded != nil }) { words.append("\"percentEncoded\"") }
      if levels.contains(where: { $0 != RuleSettings() }) { words.append("\"defaults\"") }
    default: break
    }
    return words
  }
}

extension RuleSettings {
  /// Whether some pattern contains `$(…)`.
  var usesVariables: Bool {
    var patterns = [path, fragment].compactMap(\.self)
    switch query {
    case .whole(let text): patterns.append(text)
    case .items(let items): patterns += items.map(\.pattern)
    case .ignored, nil: break
    }
    return patterns.contains { $0.contains("$(") }
  }
}

extension CompiledRule {
  /// Whether some pattern contains `$(…)`. Items know it themselves: thousands of rules may share them.
  var usesVariables: Bool {
    if case .items(let items) = query, items.usesVariables { return true }
    var rest = settings
    if case .items = rest.query { rest.query = nil }
    return rest.usesVariables
  }
}
