import AppSiteAssociation

/// The rules of a file by their places, the lists of each entry made once.
struct RulePlaces {
  private let components: [Int: [AssociationSource.Rule]]
  private let paths: [Int: [AssociationSource.Rule]]

  init(_ file: AssociationSource) {
    components = Dictionary(
      file.entries.map { ($0.index, file.components(of: $0)) }, uniquingKeysWith: { first, _ in first })
    paths = Dictionary(
      file.entries.map { ($0.index, file.paths(of: $0)) }, uniquingKeysWith: { first, _ in first })
  }

  func rule(at place: Reachability.Place) -> AssociationSource.Rule? {
    guard let index = place.rule, let rules = (place.isPath ? paths : components)[place.entry],
      rules.indices.contains(index)
    else { return nil }
    return rules[index]
  }
}
