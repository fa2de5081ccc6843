internal import LinkspanCore

extension AssociationRule {
  static let pathsUnderAppIDs = AssociationRule(
    identifier: "aasa.paths-under-app-ids",
    summary: "\"paths\" goes with \"appID\": releases that need paths do not read \"appIDs\".",
    severity: .warning,
    source: "6.3",
    bad: [
      #"{"applinks":{"apps":[],"details":[{⟦"appIDs"⟧:["ABCDE12345.com.example.app"],"paths":["/a"]}]}}"#
    ],
    good: [#"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.com.example.app","paths":["/a"]}]}}"#]
  ) { file, report in
    for entry in file.entries {
      guard entry.node["paths"] != nil, entry.node["appID"] == nil,
        let member = entry.node.object?.first(where: { $0.name == "appIDs" })
      else { continue }
      report.add(
        member.nameRange, entry.pointer.appending("appIDs"), "\"paths\" stands under \"appIDs\"",
        help:
          "iOS 12 and older read \"paths\" and know only \"appID\", so for them this entry is for no app. "
          + "Write one entry with \"appID\" for each app, or give iOS 13 and later \"components\".")
    }
  }

  static let mixedFormats = AssociationRule(
    identifier: "aasa.mixed-formats", summary: "An entry has \"components\" or \"paths\", not both.",
    severity: .warning, source: "J8",
    bad: [
      #"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.com.example.app",⟦"paths"⟧:["/a"],"components":[{"/":"/b"}]}]}}"#
    ],
    good: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a"}]}]}}"#
    ]
  ) { file, report in
    for entry in file.entries {
      guard entry.node["components"] != nil,
        let member = entry.node.object?.first(where: { $0.name == "paths" })
      else { continue }
      let paths = file.paths(of: entry).compactMap(\.node.string)
      let components = file.components(of: entry).map { RuleSettings($0.node).json.text }
      func shown(_ list: [String]) -> String {
        list.isEmpty ? "nothing" : list.prefix(3).joined(separator: ", ") + (list.count > 3 ? ", …" : "")
      }
      report.add(
        member.nameRange, entry.pointer.appending("paths"), "the entry mixes \"paths\" and \"components\"",
        help:
          "Apple calls the result unpredictable. By its rules iOS 12 and older read the paths (\(shown(paths))), "
          + "iOS 13 and later the components (\(shown(components))).")
    }
  }

  static let appsKey = AssociationRule(
    identifier: "aasa.apps-key",
    summary: "\"apps\" inside \"applinks\" is an empty array, for iOS and tvOS up to 12.", severity: .warning,
    source: "6.2",
    bad: [
      #"{"applinks":{"apps":⟦["ABCDE12345.com.example.app"]⟧,"details":[{"appID":"ABCDE12345.com.example.app","paths":["/a"]}]}}"#,
      #"{⟦"applinks"⟧:{"details":[{"appID":"ABCDE12345.com.example.app","paths":["/a"]}]}}"#,
    ],
    good: [
      #"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.com.example.app","paths":["/a"]}]}}"#,
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a"}]}]}}"#,
    ]
  ) { file, report in
    guard let (appLinks, pointer) = file.appLinks else { return }
    if let apps = appLinks["apps"] {
      guard apps.array?.isEmpty == false else { return }
      report.add(
        apps.range, pointer.appending("apps"), "\"apps\" inside \"applinks\" is not empty",
        help: "iOS 12 and older want \"apps\": []; later ones ignore it. The apps are named in \"details\".")
      return
    }
    let isForOldReleases = file.entries.contains { $0.node["paths"] != nil && $0.node["appID"] != nil }
    guard isForOldReleases, let member = file.root?.object?.last(where: { $0.name == "applinks" }) else {
      return
    }
    report.add(
      member.nameRange, pointer, "\"apps\": [] is absent",
      help: "iOS 12 and older take no links from a file without it, and the paths here are written for them.")
  }

  static let noDetails = AssociationRule(
    identifier: "aasa.no-details", summary: "\"applinks\" has \"details\".", severity: .warning,
    source: "6.2",
    bad: [#"{⟦"applinks"⟧:{"apps":[]}}"#], good: [#"{"applinks":{"details":[]}}"#]
  ) { file, report in
    guard let (appLinks, pointer) = file.appLinks, appLinks["details"] == nil,
      let member = file.root?.object?.last(where: { $0.name == "applinks" })
    else { return }
    report.add(
      member.nameRange, pointer, "\"applinks\" has no \"details\", so no link opens an app",
      help: "Add \"details\", or remove \"applinks\" when the site has no links.")
  }

  static let detailsObject = AssociationRule(
    identifier: "aasa.details-object", summary: "\"details\" is an array.", severity: .note, source: "J13",
    bad: [#"{"applinks":{"apps":[],"details":⟦{"ABCDE12345.com.example.app":{"paths":["/a"]}}⟧}}"#],
    good: [#"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.com.example.app","paths":["/a"]}]}}"#]
  ) { file, report in
    guard let (appLinks, pointer) = file.appLinks, let details = appLinks["details"], details.object != nil
    else { return }
    report.add(
      details.range, pointer.appending("details"), "\"details\" is an object keyed by application identifier",
      help:
        "That form is obsolete; devices still take it (observed), and which app comes first is undefined. "
        + "Write an array with an \"appID\" in each entry.")
  }

  static let matchesEverything = AssociationRule(
    identifier: "aasa.matches-everything", summary: "Every entry says which URLs it is for.",
    severity: .warning,
    source: "J10", bad: [#"{"applinks":{"details":[⟦{"appIDs":["ABCDE12345.com.example.app"]}⟧]}}"#],
    good: [#"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"*"}]}]}}"#]
  ) { file, report in
    for entry in file.entries where entry.node["components"] == nil && entry.node["paths"] == nil {
      guard entry.key != nil || entry.node["appID"] != nil || entry.node["appIDs"] != nil else { continue }
      report.add(
        entry.node.range, entry.pointer, "the entry has neither \"components\" nor \"paths\"",
        help: "By two reports it then matches every URL, by another none. "
          + "If every URL is meant, write \"components\": [{\"/\": \"*\"}].")
    }
  }

  static let emptyRules = AssociationRule(
    identifier: "aasa.empty-rules", summary: "The rules of an entry are not empty.", severity: .warning,
    source: "J9",
    bad: [#"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":⟦[]⟧}]}}"#],
    good: [#"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"*"}]}]}}"#]
  ) { file, report in
    for entry in file.entries {
      for key in ["components", "paths"] {
        guard let node = entry.node[key], node.array?.isEmpty == true else { continue }
        report.add(
          node.range, entry.pointer.appending(key), "\"\(key)\" is empty, so no URL matches",
          help: "If every URL is meant, write [{\"/\": \"*\"}]; if none, remove the entry.")
      }
    }
  }
}
