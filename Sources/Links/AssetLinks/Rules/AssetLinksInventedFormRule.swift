internal import LinkspanCore

extension StatementRule {
  static let inventedKeys = Set(StatementKey.invented)

  static let inventedForm = StatementRule(
    identifier: "assetlinks.invented-form",
    summary: "Paths belong in the app's manifest or, since Android 15, in 'relation_extensions'.",
    severity: .error, source: "D11",
    bad: [
      #"[{"relation":["\#(Relation.handleAllURLs)"],"target":\#(exampleApp),⟦"exclude"⟧:{"paths":["/a"]}}]"#
    ],
    good: [
      #"[{"relation":["\#(Relation.handleAllURLs)"],"target":\#(exampleApp),"relation_extensions":{"\#(Relation.handleAllURLs)":{"dynamic_app_link_components":[{"/":"/a","exclude":true},{"/":"*"}]}}}]"#
    ]
  ) { file, report in
    for (node, pointer) in file.objects {
      let places = [(node, pointer)] + (node["target"].map { [($0, pointer.appending("target"))] } ?? [])
      for (place, pointer) in places {
        for member in place.object ?? [] where inventedKeys.contains(member.name) {
          report.add(
            member.nameRange, pointer.appending(member.name),
            "'\(member.name)' is not a key of a statement",
            help:
              "Android ignores it, so the app opens every link that its manifest declares. Restrict the intent filters "
              + "of the manifest, or use \"dynamic_app_link_components\" (Android 15 and later).")
        }
      }
    }
  }
}
