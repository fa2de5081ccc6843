package import LinkspanCore

/// A list of statements as Google's services read it: a faulty statement is dropped and the others count
/// (D3, and Google's compatibility suite, comptest2003).
package struct StatementList: Sendable {
  package struct Statement: Sendable {
    package let relations: [Relation]
    package let target: StatementTarget
    package let node: JSONNode
    package let pointer: JSONPointer
  }

  /// Another list whose statements count as if they stood here.
  package struct Include: Sendable {
    package let url: String
    package let isSecure: Bool
    package let node: JSONNode
    package let pointer: JSONPointer
  }

  /// A fault with its place.
  package struct Problem: Sendable {
    package let fault: StatementFault
    package let range: Range<Int>
    package let pointer: JSONPointer
  }

  package private(set) var statements: [Statement] = []
  package private(set) var includes: [Include] = []
  package private(set) var problems: [Problem] = []

  package init(_ root: JSONNode) {
    guard let elements = root.array else {
      note(
        StatementFault(
          .notAnArray, "the file is \(root.typeName), not an array",
          help: "A statement list is an array, even for a single statement: put '[' before it and ']' after "
            + "it."),
        root.range, JSONPointer())
      return
    }
    if elements.isEmpty {
      note(
        StatementFault(
          .emptyList, "the list is empty, so it has no effect", help: "Add a statement, or remove the file."),
        root.range, JSONPointer())
    }
    for (index, element) in elements.enumerated() { read(element, JSONPointer().appending(index)) }
  }

  private mutating func note(_ fault: StatementFault, _ range: Range<Int>, _ pointer: JSONPointer) {
    problems.append(Problem(fault: fault, range: range, pointer: pointer))
  }

  private mutating func read(_ node: JSONNode, _ pointer: JSONPointer) {
    guard let members = node.object else {
      return note(
        StatementFault(
          .statement, "the statement is \(node.typeName), not an object",
          help: "Write {\"relation\": […], \"target\": {…}}; otherwise the statement is ignored."),
        node.range, pointer)
    }
    if let include = node["include"] {
      if let other = members.first(where: { ["relation", "target"].contains($0.name) }) {
        return note(
          StatementFault(
            .includeFields, "the statement has both '\(other.name)' and \"include\"",
            help: "A statement either includes another list or makes a statement itself; this one is "
              + "ignored. "
              + "Split it into two statements."), other.nameRange, pointer.appending(other.name))
      }
      return readInclude(include, pointer.appending("include"))
    }
    let relations = readRelations(node, pointer)
    let target = readTarget(node, pointer)
    guard let relations, let target else { return }
    statements.append(Statement(relations: relations, target: target, node: node, pointer: pointer))
  }

  private mutating func readInclude(_ node: JSONNode, _ pointer: JSONPointer) {
    guard let text = node.string else {
      return note(
        StatementFault(
          .include, "\"include\" is \(node.typeName), not a string", help: "Write the URL of one other list."),
        node.range, pointer)
    }
    do throws(StatementFault) {
      let url = try WebSite.parts(of: text, as: .include)
      includes.append(Include(url: text, isSecure: url.site.isSecure, node: node, pointer: pointer))
    } catch {
      note(error, node.range, pointer)
    }
  }

  private mutating func readRelations(_ node: JSONNode, _ pointer: JSONPointer) -> [Relation]? {
    guard let list = node["relation"] else {
      note(
        StatementFault(
          .noRelation, "the statement has no \"relation\"",
          help:
            "Add \"relation\": [\"\(Relation.handleAllURLs)\"] for links; otherwise the statement is ignored."
        ),
        node.range, pointer)
      return nil
    }
    let pointer = pointer.appending("relation")
    guard let elements = list.array else {
      note(
        StatementFault(
          .relation, "\"relation\" is \(list.typeName), not an array",
          help: "Write an array, even for a single relation; otherwise the statement is "
            + "ignored."), list.range, pointer)
      return nil
    }
    if elements.isEmpty {
      note(
        StatementFault(
          .noRelation, "\"relation\" is empty, so the statement has no effect",
          help: "Add \"\(Relation.handleAllURLs)\" for links."), list.range, pointer)
      return nil
    }
    var relations: [Relation] = []
    for (index, element) in elements.enumerated() {
      guard let text = element.string else {
        note(
          StatementFault(
            .relation, "a relation is \(element.typeName), not a string",
            help: "Write a string such as \"\(Relation.handleAllURLs)\"; otherwise the statement is ignored."),
          element.range, pointer.appending(index))
        continue
      }
      do throws(StatementFault) {
        relations.append(try Relation(text))
      } catch {
        note(error, element.range, pointer.appending(index))
      }
    }
    return relations.count == elements.count ? relations : nil
  }

  private mutating func readTarget(_ node: JSONNode, _ pointer: JSONPointer) -> StatementTarget? {
    guard let target = node["target"] else {
      note(
        StatementFault(
          .noTarget, "the statement has no \"target\"",
          help: "Add an app or a website; otherwise the statement is ignored."), node.range, pointer)
      return nil
    }
    let pointer = pointer.appending("target")
    guard target.object != nil else {
      note(
        StatementFault(
          .noTarget, "\"target\" is \(target.typeName), not an object",
          help: "Write {\"namespace\": \"android_app\", …}; otherwise the statement is "
            + "ignored."), target.range, pointer
      )
      return nil
    }
    switch target["namespace"]?.string {
    case "web": return readSite(target, pointer)
    case "android_app": return readApp(target, pointer)
    default: break
    }
    let namespace = target["namespace"]
    let near = namespace?.string.flatMap {
      Spelling.nearest(to: ASCII.lowercased($0), among: ["android_app", "web"])
    }
    note(
      StatementFault(
        .namespace,
        namespace.map { "the namespace is \($0.string.map { "'\($0)'" } ?? $0.typeName)" }
          ?? "the target has no \"namespace\"",
        help: "Expected 'android_app' or 'web'; otherwise the statement is ignored."
          + (near.map { " Did you mean '\($0)'?" } ?? " The namespace is not the name of the app.")),
      namespace?.range ?? target.range, namespace == nil ? pointer : pointer.appending("namespace"))
    return nil
  }

  private mutating func readSite(_ target: JSONNode, _ pointer: JSONPointer) -> StatementTarget? {
    guard let site = target["site"], let text = site.string else {
      note(
        StatementFault(
          .site,
          target["site"].map { "\"site\" is \($0.typeName), not a string" } ?? "the target has no \"site\"",
          help: "Write \"site\": \"https://www.example.com\"; otherwise the statement is ignored."),
        target["site"]?.range ?? target.range, pointer)
      return nil
    }
    do throws(StatementFault) {
      return .web(try WebSite(text))
    } catch {
      note(error, site.range, pointer.appending("site"))
      return nil
    }
  }

  private mutating func readApp(_ target: JSONNode, _ pointer: JSONPointer) -> StatementTarget? {
    let name = readPackageName(target, pointer)
    let fingerprints = readFingerprints(target, pointer)
    guard let name, let fingerprints else { return nil }
    return .androidApp(packageName: name, fingerprints: fingerprints)
  }

  private mutating func readPackageName(_ target: JSONNode, _ pointer: JSONPointer) -> String? {
    guard let node = target["package_name"], let text = node.string else {
      note(
        StatementFault(
          .packageName,
          target["package_name"].map { "\"package_name\" is \($0.typeName), not a string" }
            ?? "the target has no \"package_name\"",
          help: "Write the app's applicationId, such as \"com.example.app\"; otherwise the statement is "
            + "ignored."),
        target["package_name"]?.range ?? target.range, pointer)
      return nil
    }
    do throws(StatementFault) {
      try AndroidApp.check(packageName: text)
      return text
    } catch {
      note(error, node.range, pointer.appending("package_name"))
      return nil
    }
  }

  private mutating func readFingerprints(
    _ target: JSONNode, _ pointer: JSONPointer
  ) -> [CertificateFingerprint]? {
    let key = "sha256_cert_fingerprints"
    guard let list = target[key], let elements = list.array, !elements.isEmpty else {
      let what =
        switch target[key] {
        case nil: "the target has no \"\(key)\""
        case let list? where list.array == nil: "\"\(key)\" is \(list.typeName), not an array"
        default: "\"\(key)\" is empty"
        }
      note(
        StatementFault(
          .fingerprints, what,
          help: "Write an array with at least one fingerprint of the app's certificates; otherwise the "
            + "statement is ignored."),
        target[key]?.range ?? target.range, target[key] == nil ? pointer : pointer.appending(key))
      return nil
    }
    var fingerprints: [CertificateFingerprint] = []
    for (index, element) in elements.enumerated() {
      let place = pointer.appending(key).appending(index)
      guard let text = element.string else {
        note(
          StatementFault(
            .fingerprint, "a fingerprint is \(element.typeName), not a string",
            help: "Write it in quotation marks; otherwise the statement is ignored."), element.range, place)
        continue
      }
      do throws(StatementFault) {
        fingerprints.append(try CertificateFingerprint(text))
      } catch {
        note(error, element.range, place)
      }
    }
    return fingerprints.count == elements.count ? fingerprints : nil
  }
}
