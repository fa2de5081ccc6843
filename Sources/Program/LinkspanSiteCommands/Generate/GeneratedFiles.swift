internal import AssociatedDomains
internal import LinkCoverage
internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanFiles
internal import SiteInput

/// The files that 'generate --output' writes into a folder.
struct GeneratedFiles {
  private let folder: String
  private let association: OutputFile
  private let statements: OutputFile

  /// The largest file that devices take (R4).
  static let sizeLimitBytes = 131_072

  /// Looks at the folder before the search, which may take seconds.
  ///
  /// - Throws: That there is no such folder, or that a file in it is not to be overwritten.
  init(_ folder: String, _ arguments: Arguments) throws(LinkspanError) {
    guard try FileReader.kind(of: folder) != .missing else {
      throw LinkspanError(
        "the directory '\(folder)' of '--output' does not exist.",
        help: "Make it first: mkdir -p \(ShellWord.quoted(folder))")
    }
    self.folder = folder
    association = try arguments.output(
      at: "\(folder)/\(Self.associationName)",
      .form("a file in the layout of 'linkspan generate'") { Self.isOwn($0, Self.entries) })
    statements = try arguments.output(
      at: "\(folder)/\(Self.statementsName)",
      .form("a file in the layout of 'linkspan generate'") { Self.isOwn($0, { $0.array }) })
  }

  private static let associationName = "apple-app-site-association"
  private static let statementsName = "assetlinks.json"

  func write(_ site: GeneratedSite) throws(LinkspanError) {
    let files = [
      (association, Self.associationName, site.associationFile),
      (statements, Self.statementsName, site.statements),
    ]
    for case (let file, let name, let json?) in files {
      let bytes = Self.bytes(json)
      try file.refuseForeign(bytes)
      try SiteWriter.place(bytes, as: name, in: folder)
    }
  }

  /// Published files have no room for a mark: devices would read it, and the checker reports it. But this command has a
  /// layout of its own, which nobody types.
  private static func isOwn(_ bytes: [UInt8], _ elements: (JSONNode) -> [JSONNode]?) -> Bool {
    let document = JSONParser.parse(bytes)
    guard document.isWellFormed, let root = document.root, elements(root)?.isEmpty == false else {
      return false
    }
    return Self.bytes(root.json) == bytes
  }

  /// The entries and services of an association file that has nothing but what is written here; nil for any other file.
  private static func entries(_ root: JSONNode) -> [JSONNode]? {
    let names = Service.allCases.map { $0.rawValue }
    guard let members = root.object, members.allSatisfy({ names.contains($0.name) }) else { return nil }
    var all: [JSONNode] = []
    for member in members where member.name != Service.applinks.rawValue {
      guard member.value.object?.map({ $0.name }) == ["apps"] else { return nil }
      all.append(member.value)
    }
    guard let links = root[Service.applinks.rawValue] else { return all }
    guard let entries = links["details"]?.array,
      links.object?.allSatisfy({ ["substitutionVariables", "details"].contains($0.name) }) == true,
      entries.allSatisfy({ $0.object?.map { $0.name } == ["appIDs", "components"] })
    else { return nil }
    return all + entries
  }

  // MARK: - Layout

  /// Indented where that fits, else without blanks.
  static func bytes(_ json: JSON) -> [UInt8] {
    let indented = Array((Self.indented(json) + "\n").utf8)
    return indented.count <= sizeLimitBytes ? indented : json.bytes
  }

  /// With an indent for each level, and objects without lists on one line.
  static func indented(_ json: JSON, _ indent: String = "") -> String {
    let inner = indent + "  "
    switch json {
    case .object(let members) where members.contains { isNested($0.1) }:
      let lines = members.map { inner + JSON.string($0.0).text + ": " + indented($0.1, inner) }
      return "{\n" + lines.joined(separator: ",\n") + "\n\(indent)}"
    case .array(let elements) where elements.contains(where: isNested):
      return "[\n" + elements.map { inner + indented($0, inner) }.joined(separator: ",\n") + "\n\(indent)]"
    case .array(let elements): return "[" + elements.map { indented($0) }.joined(separator: ", ") + "]"
    case .object(let members):
      return "{ " + members.map { JSON.string($0.0).text + ": " + $0.1.text }.joined(separator: ", ") + " }"
    default: return json.text
    }
  }

  private static func isNested(_ json: JSON) -> Bool {
    switch json {
    case .object, .array: true
    default: false
    }
  }
}
