import AppSiteAssociation
internal import LinkspanCore

extension AssociationRule {
  static let contradiction = AssociationRule(
    identifier: "aasa.contradiction",
    summary: "The conditions of a rule can be met together.",
    severity: .warning, source: "Q5",
    bad: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/item","?":{"id":"a*",⟦"ID"⟧:"B*"},"caseSensitive":false}]}]}}"#
    ],
    good: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/item","?":{"id":"a*","ID":"B*"}}]}]}}"#,
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/item","?":{"id":"a*","ID":"*B"},"caseSensitive":false}]}]}}"#,
    ], asksMeaning: true
  ) { file, reading, report in
    let pairs = file.ruleObjects.compactMap { object in twins(in: object).map { (object, $0) } }
    guard !pairs.isEmpty, let reachability = reading.reachability(&report.work) else { return }
    let places = RulePlaces(file)
    let dead = Set(
      reachability.unreachable.lazy.filter { $0.by.earlier.isEmpty }
        .compactMap { places.rule(at: $0.place)?.pointer.description })
    for (object, (first, second)) in pairs where dead.contains(object.pointer.description) {
      report.add(
        second.nameRange, object.pointer.appending("?").appending(second.name),
        "no URL meets all conditions of this rule",
        help:
          "Without case '\(second.name)' and '\(first.name)' are one query item (inferred), and every value of it has to "
          + "match both patterns, so "
          + (object.settings.exclude == true ? "the rule excludes nothing" : "the rule never matches")
          + ". Write one of them, or a rule for each.",
        related: [first.nameRange])
    }
  }

  /// Two items of a component's query that have one name where case does not count.
  private static func twins(in object: AssociationSource.RuleObject) -> (JSONMember, JSONMember)? {
    guard object.isComponent, object.settings.caseSensitive == false,
      let items = object.node["?"]?.object, items.count > 1
    else { return nil }
    let encoding = PatternEncoding(object.settings, .query, isItem: true)
    // A text that no URL has is told there.
    guard !items.contains(where: { encoding.isAbsent($0.name) || encoding.isAbsent($0.value.string ?? "") })
    else { return nil }
    var known: [[UInt8]: JSONMember] = [:]
    for item in items {
      let name = CaseFolding.fold(Array(item.name.utf8))
      if let first = known[name], !first.name.isExactly(item.name) { return (first, item) }
      known[name] = item
    }
    return nil
  }
}
