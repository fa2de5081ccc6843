import AppSiteAssociation
internal import AssociatedDomains
internal import LinkspanCore

extension AssociationRule {
  static let wrongType = AssociationRule(
    identifier: "aasa.wrong-type",
    summary: "Every value has the type that its key "
      + "expects.", severity: .error,
    source: "6.4",
    bad: [
      #"{"applinks":{"details":[{"appIDs":⟦"ABCDE12345.com.example.app"⟧,"components":[{"/":"/a"}]}]}}"#,
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a","exclude":⟦"true"⟧}]}]}}"#,
      #"{"webcredentials":⟦["ABCDE12345.com.example.app"]⟧}"#,
    ],
    good: [
      #"{"applinks":{"apps":[],"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a"}]}]}}"#
    ]
  ) { file, report in
    let wanted: [String: (words: String, holds: (JSONNode) -> Bool)] = [
      "object": ("an object", { $0.object != nil }), "array": ("an array", { $0.array != nil }),
      "string": ("a string", { $0.string != nil }), "boolean": ("a boolean", { $0.bool != nil }),
      "details": ("an array of objects", { $0.array != nil || $0.object != nil }),
      "query": ("a string or an object of strings", { $0.string != nil || $0.object != nil }),
    ]
    func check(
      _ node: JSONNode?, _ pointer: JSONPointer, _ type: String, _ help: String? = nil,
      fix: (JSONNode) -> [Edit] = { _ in [] }
    ) {
      guard let node, let (words, holds) = wanted[type], !holds(node) else { return }
      report.add(
        node.range, pointer, "this is \(node.typeName); expected \(words)",
        help: help ?? "The effect is not documented; devices probably ignore the value.",
        fix: type == "boolean" ? AssociationFix.unquotedBoolean(node) : fix(node))
    }
    func elements(_ node: JSONNode?, _ pointer: JSONPointer, _ type: String, _ help: String? = nil) {
      check(node, pointer, "array", help, fix: { AssociationFix.listOfOne($0, of: type) })
      for (index, element) in (node?.array ?? []).enumerated() {
        check(element, pointer.appending(index), type)
      }
    }
    func settings(_ node: JSONNode, _ pointer: JSONPointer) {
      check(node["/"], pointer.appending("/"), "string")
      check(node["#"], pointer.appending("#"), "string")
      check(
        node["?"], pointer.appending("?"), "query",
        "Write one object with a pattern for each item, such as {\"id\": \"?*\"}; as written, iOS ignores the query."
      )
      check(
        node["exclude"], pointer.appending("exclude"), "boolean",
        "Write true or false without quotation marks. Linkspan reads it as true, so that an exclusion stays in effect."
      )
      check(node["caseSensitive"], pointer.appending("caseSensitive"), "boolean")
      check(node["percentEncoded"], pointer.appending("percentEncoded"), "boolean")
    }

    for service in Service.allCases {
      let pointer = JSONPointer().appending(service.rawValue)
      guard let node = file.root?[service.rawValue] else { continue }
      check(
        node, pointer, "object", serviceHelp(node, service),
        fix: service == .applinks ? { _ in [] } : AssociationFix.appsAround)
      elements(node["apps"], pointer.appending("apps"), "string")
    }
    guard let (appLinks, base) = file.appLinks else { return }
    check(appLinks["details"], base.appending("details"), "details")
    for (index, element) in (appLinks["details"]?.array ?? []).enumerated() {
      check(element, base.appending("details").appending(index), "object")
    }
    check(appLinks["substitutionVariables"], base.appending("substitutionVariables"), "object")
    for member in appLinks["substitutionVariables"]?.object ?? [] {
      elements(member.value, base.appending("substitutionVariables").appending(member.name), "string")
    }
    for object in file.ruleObjects {
      if !object.isComponent { check(object.node, object.pointer, "object") }
      settings(object.node, object.pointer)
    }
    for entry in file.entries {
      check(
        entry.node["appID"], entry.pointer.appending("appID"), "string",
        "\"appID\" is a single identifier; list several under \"appIDs\".")
      if let node = entry.node["appIDs"], let text = node.string {
        check(
          node, entry.pointer.appending("appIDs"), "array", "Write [\"\(text)\"].",
          fix: { AssociationFix.listOfOne($0, of: "string") })
      } else {
        elements(entry.node["appIDs"], entry.pointer.appending("appIDs"), "string")
      }
      for (key, type, other, example) in [
        ("paths", "string", "components", "[\"…\"]"), ("components", "object", "paths", "[{…}]"),
      ] {
        elements(
          entry.node[key], entry.pointer.appending(key), type,
          "Write \(example). "
            + (entry.node[other]?.array == nil
              ? "If devices ignore it, the entry has no rules and may match every URL (J10)."
              : "If devices ignore it, \"\(other)\" decides."))
      }
    }
  }

  /// What to write for a service that is no object: only `applinks` has `details` (6.2, J3).
  private static func serviceHelp(_ node: JSONNode, _ service: Service) -> String {
    let effect = "as written, the service has no effect."
    guard service == .applinks else { return "Write {\"apps\": […]}; \(effect)" }
    if let elements = node.array, elements.count == 1, elements[0]["details"] != nil {
      return "Write the object without '[' and ']' around it; \(effect)"
    }
    return "Write {\"details\": [{\"appIDs\": […], \"components\": […]}]}; \(effect)"
  }
}
