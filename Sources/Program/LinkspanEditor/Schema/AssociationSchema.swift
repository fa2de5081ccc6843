internal import AssociationCheck
internal import LinkspanCore

/// The schema of association files, made of the checker's table of keys.
///
/// It refuses keys where `check` reports them as an error or a warning: inside services every unknown one but remarks; at
/// the top, where devices pass over what they do not know, only those that are nearly a service.
enum AssociationSchema {
  static var json: JSON {
    .object([
      ("type", .string("object")),
      ("properties", properties(AssociationKey.services)),
      ("propertyNames", SchemaPattern.knownOrFar(AssociationKey.services.map { $0.name })),
      (
        "definitions",
        .object([
          ("service", object(AssociationKey.service)), ("appLinks", object(AssociationKey.appLinks)),
          ("entry", object(AssociationKey.entry)), ("component", object(AssociationKey.component)),
          ("texts", list(type("string"))),
        ])
      ),
    ])
  }

  private static func type(_ name: String) -> JSON { .object([("type", .string(name))]) }

  private static func reference(_ name: String) -> JSON {
    .object([("$ref", .string("#/definitions/\(name)"))])
  }

  private static func list(_ element: JSON) -> JSON {
    .object([("type", .string("array")), ("items", element)])
  }

  private static func map(_ value: JSON) -> JSON {
    .object([("type", .string("object")), ("additionalProperties", value)])
  }

  private static func either(_ shapes: JSON...) -> JSON { .object([("anyOf", .array(shapes))]) }

  private static func object(_ keys: [AssociationKey]) -> JSON {
    .object([
      ("type", .string("object")), ("properties", properties(keys)),
      ("patternProperties", .object([(SchemaPattern.remark, .bool(true))])),
      ("additionalProperties", .bool(false)),
    ])
  }

  private static func properties(_ keys: [AssociationKey]) -> JSON {
    .object(
      keys.map { key in
        let shape = shape(key.value)
        let description = ("description", JSON.string(key.summary))
        guard case .object(let members) = shape else { return (key.name, .object([description])) }
        // A sibling of a reference would not be read in draft 7.
        if members.first?.0 == "$ref" {
          return (key.name, .object([description, ("allOf", .array([shape]))]))
        }
        return (key.name, .object([description] + members))
      })
  }

  private static func shape(_ value: AssociationKey.Value) -> JSON {
    switch value {
    case .applications, .paths: reference("texts")
    case .application, .pattern: type("string")
    case .flag: type("boolean")
    case .remark: .bool(true)
    case .components: list(reference("component"))
    case .entries: either(list(reference("entry")), map(reference("entry")))
    case .variables: map(reference("texts"))
    case .defaults: reference("component")
    case .service: reference("service")
    case .appLinks: reference("appLinks")
    case .query: either(type("string"), type("object"))
    }
  }
}
