internal import AssetLinks
internal import LinkspanCore

/// The schema of statement lists, made of the checker's table of keys. It refuses keys where `check` reports an error:
/// those that are nearly a key, and those that articles invented. Of values it refuses what a pattern can tell, in the kind of target
/// that they count for.
enum StatementSchema {
  static var json: JSON {
    let own = [required("relation"), required("target")]
    let include: [(String, JSON)] = [
      ("required", .array([.string("include")])), ("not", .object([("anyOf", .array(own))])),
    ]
    let forms = [JSON.object(include), required("relation", "target")]
    let statement: [(String, JSON)] = object(StatementKey.statement) + [("anyOf", .array(forms))]
    return .object([("type", .string("array")), ("items", .object(statement))])
  }

  private static func required(_ keys: String...) -> JSON {
    .object([("required", .array(keys.map(JSON.string)))])
  }

  private static func object(_ keys: [StatementKey]) -> [(String, JSON)] {
    let properties = keys.map { key -> (String, JSON) in
      let description: (String, JSON) = ("description", .string(key.summary))
      return (key.name, .object([description] + shape(key.value)))
    }
    let names = SchemaPattern.knownOrFar(keys.map { $0.name }, refusing: StatementKey.invented)
    return [
      ("type", .string("object")), ("properties", .object(properties)), ("propertyNames", names),
    ]
  }

  private static func shape(_ value: StatementKey.Value) -> [(String, JSON)] {
    let text: (String, JSON) = ("type", .string("string"))
    switch value {
    case .relations: return list([text, pattern(SchemaPattern.relation)])
    // What they have to be depends on the namespace.
    case .fingerprints, .packageName, .site: return []
    case .extensions: return [("type", .string("object"))]
    case .url: return [text, pattern(SchemaPattern.include)]
    case .namespace: return [("enum", .array([.string("android_app"), .string("web")]))]
    case .target:
      let forms = [
        form(
          "android_app",
          [
            ("package_name", [text, pattern(SchemaPattern.packageName)]),
            ("sha256_cert_fingerprints", list([text, pattern(SchemaPattern.fingerprint)])),
          ]),
        form("web", [("site", [text, pattern(SchemaPattern.site)])]),
      ]
      return object(StatementKey.target) + [("anyOf", .array(forms))]
    }
  }

  private static func pattern(_ text: String) -> (String, JSON) { ("pattern", .string(text)) }

  private static func list(_ element: [(String, JSON)]) -> [(String, JSON)] {
    [("type", .string("array")), ("minItems", .int(1)), ("items", .object(element))]
  }

  /// A target of one namespace: what it needs, and what that has to look like.
  private static func form(_ namespace: String, _ keys: [(String, [(String, JSON)])]) -> JSON {
    let named: (String, JSON) = ("namespace", .object([("const", .string(namespace))]))
    let properties = [named] + keys.map { ($0.0, JSON.object($0.1)) }
    return .object([
      ("properties", .object(properties)), ("required", .array(properties.map { JSON.string($0.0) })),
    ])
  }
}
