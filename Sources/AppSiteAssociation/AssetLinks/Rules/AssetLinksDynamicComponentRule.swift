internal import LinkspanCore

extension StatementRule {
  /// What holds for Apple's `components` and, as far as is known, for their like on Android (D8, D9).
  private static let sharedRules: [AssociationRule] = [
    .wrongType, .notInComponents, .queryValue, .queryItem, .leadingDelimiter, .neverMatches, .queryInPath,
    .literalSyntax, .pathSegments, .unreachable,
  ]

  static let dynamicComponent = StatementRule(
    identifier: "assetlinks.dynamic-component",
    summary: "Dynamic components have the shape of Apple's, and each of them can decide.", severity: .warning,
    source: "D8",
    bad: [
      #"[{"relation":["\#(Relation.handleAllURLs)"],"target":\#(exampleApp),"relation_extensions":{"\#(Relation.handleAllURLs)":{"dynamic_app_link_components":[{"/":"*"},⟦{"/":"/a","exclude":true}⟧]}}}]"#,
      #"[{"relation":["\#(Relation.handleAllURLs)"],"target":\#(exampleApp),"relation_extensions":{"\#(Relation.handleAllURLs)":{"dynamic_app_link_components":[{"/":⟦"/a?id=*"⟧}]}}}]"#,
      #"[{"relation":["\#(Relation.handleAllURLs)"],"target":\#(exampleApp),"relation_extensions":{"\#(Relation.handleAllURLs)":{"dynamic_app_link_components":[{⟦"path"⟧:"/a"}]}}}]"#,
    ],
    good: [
      #"[{"relation":["\#(Relation.handleAllURLs)"],"target":\#(exampleApp),"relation_extensions":{"\#(Relation.handleAllURLs)":{"dynamic_app_link_components":[{"/":"/a","exclude":true},{"/":"*","comment":"all others"}]}}}]"#
    ]
  ) { file, report in
    let known = ["/", "?", "#", "exclude", "comment"]
    for (node, base) in file.objects {
      for member in node["relation_extensions"]?.object ?? [] {
        guard let components = member.value[componentsKey], let elements = components.array else { continue }
        let pointer = base.appending("relation_extensions").appending(member.name).appending(componentsKey)
        for (index, element) in elements.enumerated() {
          for key in element.object ?? [] where !known.contains(key.name) {
            report.add(
              key.nameRange, pointer.appending(index).appending(key.name),
              "'\(key.name)' is not a key of a dynamic component",
              help: "Known are \(known.joined(separator: ", ")); the component means what is left of it.")
          }
        }
        for finding in findings(in: components, of: file.text) {
          var finding = finding
          finding.location.pointer = finding.location.pointer.map { "\(pointer)\($0.dropFirst(shell.count))" }
          finding.rule = "assetlinks.dynamic-component"
          finding.severity = finding.severity == .error ? .warning : finding.severity
          finding.source = "D9"
          finding.help =
            (finding.help ?? "")
            + " This is judged by Apple's rules, whose form Android took over; how far it "
            + "agrees in detail is not published."
          report.add(finding)
        }
      }
    }
  }

  /// Where the components stand in the association file that they are put into.
  private static let shell = "/applinks/details/0/components"

  /// What the shared rules find when the components are those of an association file.
  private static func findings(in components: JSONNode, of text: SourceText) -> [Finding] {
    let nowhere = components.range
    func object(_ name: String, _ value: JSONNode) -> JSONNode {
      JSONNode(.object([JSONMember(name: name, nameRange: nowhere, value: value)]), at: nowhere)
    }
    let app = JSONNode(.array([JSONNode(.string("ABCDE12345.com.example.app"), at: nowhere)]), at: nowhere)
    let entry = JSONNode(
      .object([
        JSONMember(name: "appIDs", nameRange: nowhere, value: app),
        JSONMember(name: "components", nameRange: nowhere, value: components),
      ]), at: nowhere)
    let root = object("applinks", object("details", JSONNode(.array([entry]), at: nowhere)))
    let file = AssociationSource(text, root: root)
    return sharedRules.flatMap { $0.findings(in: file) }
  }
}
