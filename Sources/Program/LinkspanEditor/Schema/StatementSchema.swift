internal import AssetLinks
internal import LinkspanCore

/// The schema of statement lists, made of the checker's table of keys. It refuses keys where `check` reports an error:
/// those that are nearly a key, and those that articles invented.
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
    case .relations, .fingerprints:
      return [("type", .string("array")), ("minItems", .int(1)), ("items", .object([text]))]
    case .extensions: return [("type", .string("object"))]
    case .url, .packageName, .site: return [text]
    case .namespace: return [("enum", .array([.string("android_app"), .string("web")]))]
    case .target:
      let forms = [
        form("android_app", ["package_name", "sha256_cert_fingerprints"]), form("web", ["site"]),
      ]
      return object(StatementKey.target) + [("anyOf", .array(forms))]
    }
  }

  /// A target of one namespace.
  private static func form(_ namespace: String, _ keys: [String]) -> JSON {
    let named = JSON.object([("namespace", .object([("const", .string(namespace))]))])
    return .object([
      ("properties", named), ("required", .array((["namespace"] + keys).map(JSON.string))),
    ])
  }
}
