internal import LinkspanCore

extension StatementRule {
  static let relationExtensions = StatementRule(
    identifier: "assetlinks.relation-extensions",
    summary: "The keys of 'relation_extensions' are relations of its "
      + "statement.", severity: .warning, source: "D7",
    bad: [
      #"[{"relation":["\#(Relation.handleAllURLs)"],"target":\#(exampleApp),"relation_extensions":{⟦"handle_all_urls"⟧:{}}}]"#,
      #"[{"relation":["\#(Relation.handleAllURLs)"],"target":\#(exampleApp),"relation_extensions":⟦[]⟧}]"#,
      #"[{"relation":["\#(Relation.handleAllURLs)"],"target":\#(exampleApp),"relation_extensions":{"\#(Relation.handleAllURLs)":{"dynamic_app_link_components":⟦{"/":"/a"}⟧}}}]"#,
    ],
    good: [
      #"[{"relation":["\#(Relation.handleAllURLs)"],"target":\#(exampleApp),"relation_extensions":{"\#(Relation.handleAllURLs)":{"dynamic_app_link_components":[{"/":"/a"}]}}}]"#
    ]
  ) { file, report in
    let consequence = "Android ignores it, so the app opens every link that its manifest declares."
    for (node, base) in file.objects {
      guard let extensions = node["relation_extensions"] else { continue }
      let pointer = base.appending("relation_extensions")
      guard let members = extensions.object else {
        report.add(
          extensions.range, pointer, "\"relation_extensions\" is \(extensions.typeName), not an object",
          help: "\(consequence) Write {\"\(Relation.handleAllURLs)\": {\"\(componentsKey)\": […]}}.")
        continue
      }
      let relations = (node["relation"]?.array ?? []).compactMap { $0.string }
      for member in members {
        let place = pointer.appending(member.name)
        if !relations.contains(member.name) {
          report.add(
            member.nameRange, place, "the statement has no relation '\(member.name)'",
            help: "\(consequence) The statement's relations: \(relations.joined(separator: ", ")).")
        }
        if let components = member.value[componentsKey], components.array == nil {
          report.add(
            components.range, place.appending(componentsKey),
            "\"\(componentsKey)\" is \(components.typeName), not an array",
            help: "\(consequence) Write an array of objects.")
        }
        for key in member.value.object ?? [] where key.name != componentsKey {
          let near = Spelling.nearest(to: key.name, among: [componentsKey])
          report.add(
            key.nameRange, place.appending(key.name), "'\(key.name)' is not a known extension",
            help: near.map { "\(consequence) Did you mean '\($0)'?" }
              ?? "Android ignores it. The only known extension is '\(componentsKey)'.",
            severity: near == nil ? .note : .warning)
        }
      }
    }
  }

  static let componentsKey = StatementKey.dynamicComponents
}
