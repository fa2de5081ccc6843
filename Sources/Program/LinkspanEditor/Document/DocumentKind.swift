internal import AssociationCheck
internal import LinkspanCore

/// What a document of an editor is, and so by which reader it is judged.
package enum DocumentKind: String, Hashable, Sendable, CaseIterable {
  /// What `check` takes: association files, statement lists, entitlements and other files about apps.
  case site
  /// What `simulate` takes.
  case story
  /// What `forecast` takes.
  case fleet
  /// `linkspan.json5`.
  case configuration

  /// By name and content; nil for a file of somebody else, of which nothing is said.
  ///
  /// A name without an ending, in no language, is taken at its word, because an editor opens such a file here on purpose. In
  /// another language a document is judged that begins as JSON and is one of ours by name or content.
  package init?(name: String, language: String, bytes: [UInt8]) {
    let file = name.split(separator: "/").last.map(String.init) ?? name
    let ending = file.split(separator: ".").dropFirst().last.map { ASCII.lowercased($0) } ?? ""
    switch language {
    case "linkspan-story": self = .story
    case "linkspan-fleet": self = .fleet
    case "linkspan-configuration": self = .configuration
    case "linkspan", "linkspan-site": self = .site
    default:
      if file == "linkspan.json5" {
        self = .configuration
      } else if Self.propertyListEndings.contains(ending) {
        self = .site
      } else if ending == "xml" || language == "xml" {
        guard bytes.firstRange(of: Array("<plist".utf8)) != nil else { return nil }
        self = .site
      } else if Self.ofJSON.contains(ending) || Self.ofJSON.contains(language) {
        // One without a file that is being begun has no mark yet.
        let isBegun = !name.hasPrefix("/") && !JSONParser.parse(bytes).isWellFormed
        guard let kind = isBegun ? .site : Self.kind(ofJSON: bytes, name: file) else { return nil }
        self = kind
      } else if ending.isEmpty, ["", "plaintext"].contains(language) {
        self = .site
      } else {
        let first = bytes.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        let isJSON = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
        guard isJSON, let kind = Self.kind(ofJSON: bytes, name: file) else { return nil }
        self = kind
      }
    }
  }

  /// Endings, and an editor's names of the languages.
  private static let ofJSON: Set<String> = ["json", "jsonc", "json5"]
  private static let propertyListEndings: Set<String> = ["entitlements", "xcent", "plist"]

  /// Keys that only one kind of file has at its top, in the order of the question.
  private static let marks: [(kind: DocumentKind, keys: [String])] = [
    (.story, ["script", "clips", "switches", "faults", "authorities", "network"]),
    (.fleet, ["update", "growth_per_day", "zones", "cdn", "days", "devices"]),
    (.configuration, ["server", "releases", "sites"]),
  ]

  /// One that is being begun has no mark yet.
  private static func kind(named file: String) -> DocumentKind? {
    func isNamed(_ word: String) -> Bool { file == "\(word).json5" || file.hasSuffix(".\(word).json5") }
    return isNamed("story") ? .story : isNamed("fleet") ? .fleet : nil
  }

  private static func kind(ofJSON bytes: [UInt8], name: String) -> DocumentKind? {
    func mentions(_ word: String) -> Bool { bytes.firstRange(of: Array(word.utf8)) != nil }
    let plain = ASCII.lowercased(name)
    let isJSON5 = plain.hasSuffix(".json5")
    if isJSON5, let named = kind(named: plain) { return named }
    // 'simulate' takes JSON, too.
    if isJSON5 || mentions("\"start\"") {
      let keys = Set(JSONParser.parse(bytes, dialect: .json5).root?.object?.map { $0.name } ?? [])
      let isStory = keys.contains("start") && (keys.contains("apps") || keys.contains("sites"))
      if isStory, isJSON5 || keys.contains("script") { return .story }
      if isJSON5, let found = marks.first(where: { !keys.isDisjoint(with: $0.keys) }) { return found.kind }
    }
    if ["apple-app-site-association", "assetlinks", "aasa"].contains(where: plain.contains) { return .site }
    let services = AssociationKey.services.map { $0.name } + ["relation"]
    return services.contains(where: { mentions("\"\($0)\"") }) ? .site : nil
  }
}
