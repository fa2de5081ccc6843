internal import AppSiteAssociation
package import LinkspanCore

/// The rules about `components`, for components that lie in another kind of file.
///
/// Android's dynamic components took over the form of Apple's (D8, D9).
package enum ComponentRules {
  private static let rules: [AssociationRule] = [
    .wrongType, .notInComponents, .queryValue, .queryItem, .leadingDelimiter, .neverMatches, .queryInPath,
    .literalSyntax, .pathSegments, .unreachable,
  ]

  /// Android's components have no variables (D8), as iOS 13.0 has none: `$(` is text.
  private static let withoutVariables = ReleaseSet([
    ReleaseRange(first: OSVersion(.iOS, 13), last: OSVersion(.iOS, 13))
  ])

  /// Where the components stand in the association file that they are put into.
  package static let pointer = "/applinks/details/0/components"

  /// What the rules find when the components are those of an association file; the findings' pointers begin
  /// with ``pointer``.
  package static func findings(in components: JSONNode, of text: SourceText) -> [Finding] {
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
    return rules.flatMap { $0.findings(in: file, on: withoutVariables) }.map { finding in
      var finding = finding
      finding.releases = nil
      return finding
    }
  }
}
