import AppSiteAssociation
internal import AssociationDelivery
import LinkspanCore
import SimulatedDevices

/// Sites, and how the network treats them.
extension StoryParser {
  private static let siteExample = "{ \"example.com\": { folder: \"site/example.com\" } }"
  private static let siteKeys = ["folder", "file", "body", "hex", "at", "status", "type", "location"]
  private static let networkExample = "{ \"example.com\": { drops: \"crawler\" } }"
  private static let networkKeys = [
    "unresolvable", "private_address", "drops", "forbids", "down", "certificate", "latency_ms",
    "regions", "elsewhere",
  ]

  private enum Place: String, CaseIterable {
    case wellKnown = "well-known"
    case root

    var location: AssociationLocation {
      switch self {
      case .wellKnown: .wellKnown
      case .root: .root
      }
    }
  }

  private enum Certificate: String, CaseIterable {
    case expired
    case wrongName = "wrong-name"
    case untrusted
  }

  /// Host to site: one document, an array of them, or the path of a folder.
  mutating func readSites(_ node: JSONNode, _ name: String) -> [String: Site] {
    var sites: [String: Site] = [:]
    for (host, member) in hosts(node, name, example: "\(name): \(Self.siteExample)") {
      if name == "deploy" { namedHosts.append(NamedHost(host: host, key: name, range: member.nameRange)) }
      let nodes = member.value.array ?? [member.value]
      sites[host] = Site(nodes.flatMap { documents($0, of: host) })
    }
    if sites.count > context.limits.hosts {
      context.report(
        "too-many", node, "'\(name)' has \(sites.count) hosts; the limit is \(context.limits.hosts).",
        "Split the story into several.")
    }
    return sites
  }

  private mutating func documents(_ node: JSONNode, of host: String) -> [Site.Document] {
    if let folder = node.string { return read(folder: folder, node) }
    guard context.members(node, "a site", keys: Self.siteKeys, example: Self.siteExample) != nil else {
      return []
    }
    let contents = ["folder", "file", "body", "hex"].filter { node[$0] != nil }
    if contents.count > 1 {
      context.report(
        "contradiction", node, "The site has \(StoryContext.list(contents)); only one of them is allowed.",
        "To publish several documents, write an array of them.")
      return []
    }
    if let folder = node["folder"] {
      return context.string(folder, "folder", example: Self.siteExample).map { read(folder: $0, folder) }
        ?? []
    }
    var document = Site.Document()
    if let at = node["at"] {
      document.path = context.word(at, "at", Place.allCases)?.location.rawValue ?? document.path
    }
    if let status = node["status"] {
      document.status = context.int(status, "status", in: 200...599) ?? document.status
    }
    if let type = node["type"] {
      document.contentType = context.string(type, "type", example: "type: \"text/html\"")
    }
    if let location = node["location"] {
      document.location = context.string(location, "location", example: "location: \"https://…\"")
    }
    // In strict JSON, which the story's own dialect need not be.
    if let file = node["file"], let body = associationFile(file) { document.body = body }
    if let body = node["body"], let text = context.string(body, "body", example: "body: \"<html>\"") {
      document.body = Array(text.utf8)
    }
    if let hex = node["hex"], let text = context.string(hex, "hex", example: "hex: \"3082…\"") {
      if let bytes = ASCII.bytes(hex: text) {
        document.body = bytes
      } else {
        context.report(
          "hex", hex, "'hex' is not a sequence of hexadecimal pairs.", "Write two digits for each byte.")
      }
    }
    return [document]
  }

  /// The file as the story has it. Whatever else a host may publish stands under another key.
  private mutating func associationFile(_ node: JSONNode) -> [UInt8]? {
    context.expects(.names, at: node.range)
    if node.object != nil { return node.json.bytes }
    context.report(
      "type", node, "'file' is \(node.typeName); expected the association file itself, an object.",
      "For a file on disk write folder: \"site/example.com\", and for any other text body: \"…\".")
    return nil
  }

  /// The folder of a host, laid out as `linkspan check` reads it.
  private mutating func read(folder: String, _ node: JSONNode) -> [Site.Document] {
    var documents: [Site.Document] = []
    let base = folder.hasSuffix("/") ? String(folder.dropLast()) : folder
    for location in AssociationLocation.allCases {
      do {
        guard let bytes = try context.reader.file(base + location.rawValue) else { continue }
        documents.append(Site.Document(path: location.rawValue, body: bytes))
      } catch {
        context.report(
          "unreadable-file", node, "'\(base + location.rawValue)' cannot be read: \(error.reason).",
          "Fix the file, or name another folder.")
        return []
      }
    }
    if documents.isEmpty {
      context.report(
        "no-file", node, "'\(folder)' has no association file.",
        "Put one at \(base + AssociationLocation.wellKnown.rawValue); paths are relative to the story's folder."
      )
    }
    return documents
  }

  mutating func network(_ node: JSONNode) -> [String: HostFacts] {
    var network: [String: HostFacts] = [:]
    for (host, member) in hosts(node, "network", example: "network: \(Self.networkExample)") {
      namedHosts.append(NamedHost(host: host, key: "network", range: member.nameRange))
      network[host] = facts(member.value)
    }
    return network
  }

  private mutating func facts(_ node: JSONNode) -> HostFacts {
    var facts = HostFacts()
    let members = context.members(
      node, "a host of the network", keys: Self.networkKeys, example: Self.networkExample)
    for member in members ?? [] {
      let (name, value) = (member.name, member.value)
      switch name {
      case "unresolvable": facts.isUnresolvable = context.bool(value, name) ?? false
      case "private_address":
        facts.privateAddress = privateAddress(value)
      case "drops": facts.drops = context.word(value, name, HostFacts.Filter.allCases) ?? .nobody
      case "forbids": facts.forbids = context.word(value, name, HostFacts.Filter.allCases) ?? .nobody
      case "down": facts.isDown = context.bool(value, name) ?? false
      case "certificate":
        facts.certificate = context.word(value, name, Certificate.allCases).map {
          switch $0 {
          case .expired: .expired
          case .wrongName: .wrongName
          case .untrusted: .untrusted
          }
        }
      case "regions":
        facts.regions = context.strings(value, name, example: "regions: [\"US\", \"JP\"]").compactMap {
          context.region($0.0, $0.1)
        }
      case "elsewhere": facts.elsewhere = context.word(value, name, HostFacts.Fence.allCases) ?? .forbids
      case "latency_ms": facts.latency_ms = latency(value) ?? facts.latency_ms
      default: break
      }
    }
    return facts
  }

  /// An address that Apple's crawler refuses (T9); the crawler would connect to any other.
  private mutating func privateAddress(_ node: JSONNode) -> String? {
    let example = "private_address: \"10.0.0.5\""
    guard let text = context.string(node, "private_address", example: example) else { return nil }
    guard let address = SocketAddress(text, port: 443) else {
      context.report("address", node, "'\(text)' is not an address.", "For example: \(example).")
      return nil
    }
    guard address.isPublic else { return text }
    context.report(
      "address", node, "'\(text)' is a public address, which Apple's crawler connects to.",
      "Write a private one, as in \(example), or remove 'private_address'.")
    return nil
  }

  /// A number of milliseconds, or the smallest and the largest.
  private mutating func latency(_ node: JSONNode) -> ClosedRange<Int64>? {
    let allowed = 0...600_000
    let ends = node.array ?? [node, node]
    for end in ends { context.expects(.integer(allowed), at: end.range) }
    let numbers = ends.compactMap(\.int)
    guard ends.count == 2, numbers.count == 2, numbers.allSatisfy(allowed.contains), numbers[0] <= numbers[1]
    else {
      context.report(
        "number", node, "'latency_ms' is neither a number of milliseconds nor a range [smallest, largest].",
        "Write latency_ms: 50 or latency_ms: [20, 120]; at most \(allowed.upperBound).")
      return nil
    }
    return Int64(numbers[0])...Int64(numbers[1])
  }
}
