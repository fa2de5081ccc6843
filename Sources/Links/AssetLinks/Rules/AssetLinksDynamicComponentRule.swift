internal import AppSiteAssociation
import AssociationCheck
internal import LinkspanCore

extension StatementRule {
  /// The keys of a dynamic component.
  static let componentKeys = StatementKey.dynamicComponentKeys

  static let dynamicComponent = StatementRule(
    identifier: "assetlinks.dynamic-component",
    summary: "Dynamic components have the form of Apple's components, and each can be "
      + "reached.", severity: .warning,
    source: "D8",
    bad: [
      #"[{"relation":["\#(Relation.handleAllURLs)"],"target":\#(exampleApp),"relation_extensions":{"\#(Relation.handleAllURLs)":{"dynamic_app_link_components":[{"/":"*"},⟦{"/":"/a","exclude":true}⟧]}}}]"#,
      #"[{"relation":["\#(Relation.handleAllURLs)"],"target":\#(exampleApp),"relation_extensions":{"\#(Relation.handleAllURLs)":{"dynamic_app_link_components":[{"/":⟦"/a?id=*"⟧}]}}}]"#,
      #"[{"relation":["\#(Relation.handleAllURLs)"],"target":\#(exampleApp),"relation_extensions":{"\#(Relation.handleAllURLs)":{"dynamic_app_link_components":[{⟦"path"⟧:"/a"}]}}}]"#,
      #"[{"relation":["\#(Relation.handleAllURLs)"],"target":\#(exampleApp),"relation_extensions":{"\#(Relation.handleAllURLs)":{"dynamic_app_link_components":[{"/":⟦"/$(lang)/*"⟧}]}}}]"#,
    ],
    good: [
      #"[{"relation":["\#(Relation.handleAllURLs)"],"target":\#(exampleApp),"relation_extensions":{"\#(Relation.handleAllURLs)":{"dynamic_app_link_components":[{"/":"/a","exclude":true},{"/":"*","comment":"all others"}]}}}]"#
    ]
  ) { file, report in
    for (node, base) in file.objects {
      for member in node["relation_extensions"]?.object ?? [] {
        guard let components = member.value[componentsKey], let elements = components.array else { continue }
        let pointer = base.appending("relation_extensions").appending(member.name).appending(componentsKey)
        for (index, element) in elements.enumerated() {
          for key in element.object ?? [] where !componentKeys.contains(key.name) {
            report.add(
              key.nameRange, pointer.appending(index).appending(key.name),
              "'\(key.name)' is not a key of a dynamic component",
              help:
                "Known keys: \(componentKeys.joined(separator: ", ")). Android ignores the key and applies the "
                + "rest of the component.")
          }
          for (pattern, place) in patterns(of: element, at: pointer.appending(index))
          where pattern.string?.contains("$(") == true {
            report.add(
              pattern.range, place, "the pattern has a variable, and dynamic components have none",
              help:
                "Variables are Apple's; Google documents none (D8), so Android is taken to compare the text "
                + "literally (inferred). Write a component for each value.")
          }
        }
        for finding in ComponentRules.findings(in: components, of: file.text) {
          var finding = finding
          finding.location.pointer = finding.location.pointer.map {
            "\(pointer)\($0.dropFirst(ComponentRules.pointer.utf8.count))"
          }
          finding.rule = "assetlinks.dynamic-component"
          finding.severity = finding.severity == .error ? .warning : finding.severity
          finding.source = "D9"
          finding.help =
            (finding.help ?? "")
            + " This follows Apple's rules, whose form Android adopted; Google does not document "
            + "the differences."
          report.add(finding)
        }
      }
    }
  }

  /// The patterns of a component, those of query items among them.
  private static func patterns(of component: JSONNode, at pointer: JSONPointer) -> [(JSONNode, JSONPointer)] {
    (component.object ?? []).filter { ["/", "?", "#"].contains($0.name) }.flatMap { member in
      let place = pointer.appending(member.name)
      guard let items = member.value.object else { return [(member.value, place)] }
      return items.map { ($0.value, place.appending($0.name)) }
    }
  }
}
