import AppSiteAssociation
internal import AssociatedDomains
internal import LinkspanCore

/// The keys that mean something at one place of the file.
private struct Keys {
  var place: String
  var known: [String]
  /// What an ignored key leads to.
  var consequence: String

  static let appLinks = Keys(
    place: "an applinks key", known: AssociationKey.appLinks.map { $0.name },
    consequence: "iOS ignores unknown keys.")
  static let service = Keys(
    place: "a key of this service", known: AssociationKey.service.map { $0.name },
    consequence: "iOS ignores unknown keys.")
  static let entry = Keys(
    place: "a key of an entry", known: AssociationKey.entry.map { $0.name },
    consequence: "iOS ignores unknown keys, so it has no effect.")
  static let component = Keys(
    place: "a component key", known: AssociationKey.component.map { $0.name },
    consequence: "iOS ignores unknown keys and applies the rest of the rule.")

  /// What comes of a rule without any part of a URL to compare (M5).
  ///
  /// - Returns: nil for a rule that has one, and for what is no rule.
  static func effect(of object: AssociationSource.RuleObject) -> String? {
    let settings = object.settings
    guard object.isComponent, settings.path == nil, settings.query == nil, settings.fragment == nil,
      !["/", "?", "#"].contains(where: { object.node[$0] != nil })
    else { return nil }
    return settings.exclude == true ? "excludes every URL" : "matches every URL"
  }

  /// Whether a key is for people who read the file.
  static func isRemark(_ name: String) -> Bool {
    let word = ASCII.lowercased(name)
    return word == "name" || name.hasPrefix("_") || name.hasPrefix("$")
      || ["comment", "description", "note"].contains { word.contains($0) }
  }

  /// What to do with a key that means something elsewhere in the file.
  func misplaced(_ name: String) -> String? {
    guard !known.contains("/") else {
      return ["appID", "appIDs", "paths"].contains(name)
        ? "It belongs in the entry, next to \"components\". \(consequence)" : nil
    }
    if known.contains("paths"), name == "substitutionVariables" {
      return "Define substitution variables in \"applinks\", for all entries. \(consequence)"
    }
    switch name {
    case "exclude", "excludes", "excluded":
      return "iOS ignores it here, so the pages it should exclude open the app. In \"paths\" write "
        + "\"NOT /page\"; in \"components\" write {\"/\": \"/page\", \"exclude\": true}, before the rules that match."
    case "caseSensitive", "percentEncoded", "/", "?", "#":
      return "iOS ignores it here. Move it into the rule or into \"defaults\"."
    case "components" where known.contains("details"), "paths" where known.contains("details"),
      "appID" where known.contains("details"), "appIDs" where known.contains("details"):
      return "iOS ignores it here. Move it into an entry of \"details\"."
    default: return nil
    }
  }

  func meant(_ name: String) -> String? {
    let plain = ASCII.lowercased(name).filter { $0 != "-" && $0 != "_" && $0 != " " }
    if let known = known.first(where: { ASCII.lowercased($0) == plain }) { return known }
    if let synonym = AssociationKey.synonyms[plain], known.contains(synonym) { return synonym }
    return Spelling.nearest(to: name, among: known.filter { $0.count > 1 })
  }
}

extension Keys {
  /// The known key instead of a misspelt one; a synonym is left to its author.
  func fix(
    _ member: JSONMember, in object: JSONNode, _ spellings: AssociationFix.Spellings, file: AssociationSource
  ) -> [Edit] {
    guard let meant = spellings.meant(by: member.name), spellings.count(of: meant) == 1 else { return [] }
    return AssociationFix.rename(member, to: meant, in: object, file: file)
  }
}

extension AssociationRule {
  /// Every key that means something somewhere in an association file.
  static let keys = Set(
    Service.allCases.map { $0.rawValue }
      + [Keys.appLinks, .service, .entry, .component].flatMap { $0.known })

  static let unknownKey = AssociationRule(
    identifier: "aasa.unknown-key", summary: "Every key is one that iOS reads.", severity: .error,
    source: "J2",
    bad: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a",⟦"exlude"⟧:true}]}]}}"#,
      #"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.com.example.app","paths":["/a/*"],⟦"exclude"⟧:["/a/b"]}]}}"#,
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{⟦"pathname"⟧:"/a"}]}]}}"#,
      #"{"applinks":{"details":[{⟦"appIds"⟧:["ABCDE12345.com.example.app"],"components":[{"/":"/a"}]}]}}"#,
    ],
    good: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a","exclude":true,"comment":"x"}]}]}}"#
    ]
  ) { file, report in
    func check(_ node: JSONNode, _ pointer: JSONPointer, _ keys: Keys, effect: String? = nil) {
      let members = node.object ?? []
      guard !members.allSatisfy({ keys.known.contains($0.name) }) else { return }
      let spellings = AssociationFix.Spellings(of: members, among: keys.known)
      var meantByName: [String: String?] = [:]
      for member in members where !keys.known.contains(member.name) {
        let isService = Service(rawValue: member.name) != nil && keys.place != Keys.component.place
        if isService { continue }
        let place = pointer.appending(member.name)
        var message: String { "'\(member.name)' is not \(keys.place)" }
        if let help = keys.misplaced(member.name) {
          report.add(member.nameRange, place, message, help: help)
          continue
        }
        let meant = meantByName[member.name] ?? keys.meant(member.name)
        meantByName[member.name] = .some(meant)
        if let meant {
          report.add(
            member.nameRange, place, message, help: "\(keys.consequence) Did you mean '\(meant)'?",
            severity: meant == "comment" ? .note : .error,
            fix: keys.fix(member, in: node, spellings, file: file))
        } else if Keys.isRemark(member.name) {
          report.add(
            member.nameRange, place, message,
            help: "\(keys.consequence) Known keys: \(keys.known.joined(separator: ", ")).", severity: .note)
        } else if let effect {
          report.add(
            member.nameRange, place, message,
            help: "iOS ignores unknown keys, so the rule \(effect) (M5). Write the path under \"/\".")
        } else {
          report.add(
            member.nameRange, place, message,
            help: "\(keys.consequence) Known keys: \(keys.known.joined(separator: ", ")).", severity: .warning
          )
        }
      }
    }
    for service in Service.allCases where service != .applinks {
      if let node = file.root?[service.rawValue] {
        check(node, JSONPointer().appending(service.rawValue), .service)
      }
    }
    guard let (appLinks, base) = file.appLinks else { return }
    check(appLinks, base, .appLinks)
    for entry in file.entries { check(entry.node, entry.pointer, .entry) }
    for object in file.ruleObjects {
      check(object.node, object.pointer, .component, effect: Keys.effect(of: object))
    }
  }
}
