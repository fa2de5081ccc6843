package import LinkspanCore
internal import LinkspanForecast
internal import LinkspanStories
internal import ServiceConfiguration

/// The JSON Schemas of the files that people write, for editors without a language server.
package enum EditorSchema: String, CaseIterable, Sendable {
  case association, assetlinks, story, fleet, configuration

  /// Draft 7, which every editor reads.
  static let dialect = "http://json-schema.org/draft-07/schema#"

  package var json: JSON {
    let (title, body) =
      switch self {
      case .association: ("apple-app-site-association", AssociationSchema.json)
      case .assetlinks: ("assetlinks.json", StatementSchema.json)
      case .story: ("A story for linkspan simulate", Self.storyBody)
      case .fleet: ("A fleet for linkspan forecast", Self.fleetBody)
      case .configuration: ("linkspan.json5", Self.configurationBody)
      }
    guard case .object(let members) = body else { return body }
    let head: [(String, JSON)] = [("$schema", .string(Self.dialect)), ("title", .string(title))]
    return .object(head + members)
  }

  private static func learnt(
    _ examples: [String], _ choices: (SourceText) -> [(range: Range<Int>, choice: DocumentChoice)]
  ) -> DocumentShape {
    let shapes = examples.compactMap { text -> DocumentShape? in
      let source = SourceText(name: "example.json5", text)
      return JSONParser.parse(source.bytes, dialect: .json5).root.map {
        DocumentShape(of: $0, .init(choices(source)))
      }
    }
    return DocumentShape.merged(shapes).completed
  }

  private static var storyBody: JSON {
    let shape = learnt(StoryExample.texts) { StoryParser.choices(in: $0, reader: .none) }
    return shape.json(
      required: { name, keys in
        // Only expectations about taps name links.
        if name == "an expectation" { return keys.contains("links") ? ["opens"] : [] }
        let verb = name.hasPrefix("the step '") ? Array(keys.prefix(1)) : []
        return verb + (Self.neededInStory[name] ?? [])
      }, help: { _ in nil })
  }

  /// The keys without which `simulate` refuses an object whatever else is in it, by what the reader calls the object.
  private static let neededInStory: [String: [String]] = [
    "a story": ["start"], "a device": ["os"], "a clip": ["app", "experiences"], "an activity": ["type"],
    "an expectation about a clip": ["opens"], "a notification service extension": ["text"],
    "the step 'choose'": ["host"], "the step 'handoff'": ["from", "to"], "the step 'arrive'": ["app"],
    "the step 'screen'": ["app"], "the step 'save'": ["by", "in"], "the step 'read'": ["by", "in"],
  ]

  private static var fleetBody: JSON {
    let shape = learnt(FleetExample.texts) { FleetFile($0).choices }
    return shape.json(required: { _, _ in [] }, help: { _ in nil })
  }

  private static var configurationBody: JSON {
    let keys = ConfigurationKey.top
    func members(_ keys: [ConfigurationKey]) -> String {
      keys.map { "\($0.name): \($0.example)" }.joined(separator: ", ")
    }
    let text = "{ $schema: \"a\", \(members(keys)), server: { \(members(ConfigurationKey.server)) } }"
    let signed =
      "{ server: { signed: { a: { p12: \"a\", passphrase_file: \"b\", certificate: \"c\", key: \"d\", chain: \"e\" } } } }"
    let pushKeys =
      "{ server: { auth_keys: [{ topics: [\"a.b\"], environment: \"sandbox\", auth_key: \"a\", "
      + "auth_key_id: \"B1B2C3D4E5\", team_id: \"K6L7M8N9P0\" }] } }"
    let shape = learnt([text, signed, pushKeys]) { ConfigurationFile(reading: $0).choices }
    return shape.json(
      required: { name, keys in
        ["a certificate", "a key for provider tokens"].contains(name)
          ? keys.filter { $0 != "environment" } : []
      },
      help: { key in (keys + ConfigurationKey.server).first { $0.name == key }?.help })
  }
}
