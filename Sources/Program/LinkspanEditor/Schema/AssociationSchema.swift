internal import AssociationCheck
internal import LinkspanCore

/// The schema of association files, made of the checker's table of keys.
///
/// It refuses keys where `check` reports them as an error or a warning: inside services every unknown one but remarks; at
/// the top, where devices pass over what they do not know, only those that are nearly a service. It refuses values where `check`
/// reports an error that a pattern can tell: what depends on other members, such as "percentEncoded", it leaves to `check`.
enum AssociationSchema {
  static var json: JSON {
    .object([
      ("type", .string("object")),
      ("properties", properties(AssociationKey.services)),
      ("propertyNames", SchemaPattern.knownOrFar(AssociationKey.services.map { $0.name })),
      // Without a service a file has no effect.
      ("anyOf", .array(AssociationKey.services.map { required($0.name) })),
      (
        "definitions",
        .object([
          ("service", object(AssociationKey.service)), ("appLinks", object(AssociationKey.appLinks)),
          ("entry", object(AssociationKey.entry)), ("listedEntry", listedEntry),
          ("component", object(AssociationKey.component)), ("texts", list(type("string"))),
          ("paths", list(text(SchemaPattern.path))),
          ("identifier", text(SchemaPattern.applicationIdentifier)),
          ("identifiers", list(reference("identifier"))),
        ])
      ),
    ])
  }

  private static func type(_ name: String) -> JSON { .object([("type", .string(name))]) }

  private static func required(_ key: String) -> JSON { .object([("required", .array([.string(key)]))]) }

  private static func reference(_ name: String) -> JSON {
    .object([("$ref", .string("#/definitions/\(name)"))])
  }

  private static func text(_ pattern: String) -> JSON {
    .object([("type", .string("string")), ("pattern", .string(pattern))])
  }

  /// An element of `details`, which names its apps itself.
  private static var listedEntry: JSON {
    .object([
      ("allOf", .array([reference("entry")])), ("anyOf", .array(["appIDs", "appID"].map(required))),
      ("properties", .object([("appIDs", .object([("minItems", .int(1))]))])),
    ])
  }

  /// `details` as an object, whose keys are the apps.
  private static var keyedEntries: JSON {
    .object([
      ("type", .string("object")), ("propertyNames", reference("identifier")),
      ("additionalProperties", reference("entry")),
    ])
  }

  private static func list(_ element: JSON) -> JSON {
    .object([("type", .string("array")), ("items", element)])
  }

  private static func map(_ value: JSON) -> JSON {
    .object([("type", .string("object")), ("additionalProperties", value)])
  }

  private static func either(_ shapes: JSON...) -> JSON { .object([("anyOf", .array(shapes))]) }

  private static func object(_ keys: [AssociationKey]) -> JSON {
    let remarks = SchemaPattern.remarks(
      beside: keys.filter { $0.value != .remark }.map { $0.name },
      misspelling: keys.filter { $0.value == .remark }.map { $0.name })
    return .object([
      ("type", .string("object")), ("properties", properties(keys)),
      ("patternProperties", .object(remarks.map { ($0, .bool(true)) })),
      ("additionalProperties", .bool(false)),
    ])
  }

  private static func properties(_ keys: [AssociationKey]) -> JSON {
    .object(
      keys.map { key in
        // Whatever "apps" of "applinks" lists, no release reads it.
        let shape =
          keys.contains { $0.name == "details" } && key.name == "apps" ? reference("texts") : shape(key)
        let description = ("description", JSON.string(key.summary))
        guard case .object(let members) = shape else { return (key.name, .object([description])) }
        // A sibling of a reference would not be read in draft 7.
        if members.first?.0 == "$ref" {
          return (key.name, .object([description, ("allOf", .array([shape]))]))
        }
        return (key.name, .object([description] + members))
      })
  }

  private static func shape(_ key: AssociationKey) -> JSON {
    switch key.value {
    case .applications: reference("identifiers")
    case .paths: reference("paths")
    case .application: reference("identifier")
    case .pattern: text(SchemaPattern.component(key.name))
    case .flag: type("boolean")
    case .remark: .bool(true)
    case .components: list(reference("component"))
    case .entries: either(list(reference("listedEntry")), keyedEntries)
    case .variables: map(list(text(SchemaPattern.variableValue)))
    case .defaults: reference("component")
    case .service: reference("service")
    case .appLinks: reference("appLinks")
    case .query: either(text(SchemaPattern.component(key.name)), map(text(SchemaPattern.component("item"))))
    }
  }
}
