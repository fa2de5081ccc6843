internal import LinkspanCore

extension StatementRule {
  static let unknownRelation = StatementRule(
    identifier: "assetlinks.unknown-relation", summary: "Android uses the relation.",
    severity: .error, source: "D6",
    bad: [
      #"[{"relation":[⟦"delegate_permission/common.handle_all_url"⟧],"target":\#(exampleApp)}]"#,
      #"[{"relation":[⟦"delegate_permission/handle_all_urls"⟧],"target":\#(exampleApp)}]"#,
    ],
    good: [exampleList, #"[{"relation":["navigate/yellow_brick_road"],"target":\#(exampleApp)}]"#]
  ) { file, report in
    for (node, base) in file.objects {
      for (index, element) in (node["relation"]?.array ?? []).enumerated() {
        guard let text = element.string, !Relation.known.contains(text), let near = nearest(to: text) else {
          continue
        }
        report.add(
          element.range, base.appending("relation").appending(index),
          "Android does not use the relation '\(text)'",
          help: "The statement has no effect. Did you mean '\(near)'?")
      }
    }
  }

  private static func nearest(to text: String) -> String? {
    do throws(StatementFault) {
      let relation = try Relation(text)
      let common = "\(relation.kind)/common.\(relation.detail)"
      return Relation.known.contains(common) ? common : Spelling.nearest(to: text, among: Relation.known)
    } catch {
      // What is wrong with its form is for 'assetlinks.relation' to say.
      return nil
    }
  }
}
