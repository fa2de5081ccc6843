import AppSiteAssociation
package import LinkspanCore
import SimulatedDevices

/// Reads a story file (JSON5). Documentation/stories.md describes the format.
package struct StoryParser {
  /// What a file held: a story, or findings that say why there is none.
  package enum Result: Sendable {
    case story(Story)
    /// In the order of their places; never empty.
    case findings([Finding])
  }

  private static let keys = [
    "start", "seed", "sites", "network", "apps", "devices", "links", "script", "switches",
    "faults", "authorities", "clips", "$schema",
  ]

  var context: StoryContext
  /// The sites at the beginning, and the steps that publish others later, for apps whose identifier they tell.
  var sites: [String: Site] = [:]
  var deployments: [JSONNode] = []
  var assumptions: [String] = []
  var apps: [Story.App] = []
  var clips: [Story.Clip] = []
  /// The names of clips that could not be read: steps about them are not wrong as well.
  var unreadClips: Set<String> = []
  var devices: [DeviceTraits] = []
  /// Names of one device or of several to their places.
  var deviceGroups: [String: [Int]] = [:]
  var links: [String] = []
  var linkPlaces: [String: Int] = [:]
  /// Whether all of `links` could be read; else what refers to them cannot be judged.
  var areLinksKnown = true
  /// How many of ``links`` stand under `links`; what steps name follows.
  var listedLinkCount = 0
  /// What some tap so far named.
  var tappedLinks: Set<Int> = []
  var tappedDevices: Set<Int> = []
  var tapCount = 0
  /// The app and the devices of the last push so far, and how many pushes there are.
  var pushedApp: Int?
  var pushedDevices: [Int] = []
  var pushCount = 0
  var waited: Duration = .zero
  var namedHosts: [NamedHost] = []
  /// Warnings of steps.
  var stepWarnings: [Finding] = []

  private init(_ context: StoryContext) { self.context = context }

  /// Reads the story, and through the reader every file it names.
  package static func parse(
    _ source: SourceText, reader: StoryReader, limits: StoryLimits = StoryLimits()
  ) -> Result {
    var parser = StoryParser(StoryContext(source: source, reader: reader, limits: limits))
    let story = parser.parse()
    let findings = parser.context.findings.inReadingOrder()
    if findings.isEmpty, var story {
      story.warnings = parser.warnings().inReadingOrder()
      return .story(story)
    }
    return .findings(findings)
  }

  /// What may stand where in a story, as far as it can be read: what an editor offers.
  package static func choices(
    in source: SourceText, reader: StoryReader
  ) -> [(range: Range<Int>, choice: DocumentChoice)] {
    var parser = StoryParser(StoryContext(source: source, reader: reader, limits: StoryLimits()))
    _ = parser.parse()
    return parser.context.choices
  }

  private mutating func parse() -> Story? {
    var limits = JSONParser.Limits()
    limits.sizeBytes = context.limits.sizeBytes
    let bytes = context.source.bytes
    guard bytes.count <= limits.sizeBytes else {
      context.report(
        "too-large", at: 0..<0, "The story is \(bytes.count) bytes long; the limit is \(limits.sizeBytes).",
        "Move association files into a folder and name the folder.")
      return nil
    }
    let document = JSONParser.parse(bytes, dialect: .json5, limits: limits)
    for error in document.errors {
      context.report(error.kind.rawValue, at: error.range, error.message + ".", error.help)
    }
    guard document.errors.isEmpty, let root = document.root,
      context.members(root, "a story", keys: Self.keys, example: "{ start: \"2026-09-14T08:00:00Z\", … }")
        != nil
    else { return nil }
    return story(root)
  }

  private mutating func story(_ root: JSONNode) -> Story? {
    // Without a start the rest is read all the same, so that every mistake is told at once.
    var story = Story(name: context.source.name, start: start(root) ?? WallTime(milliseconds: 0))
    story.comment = StoryComment.read(context.source.bytes)
    // For editors: where the schema of stories is.
    if let node = root["$schema"] {
      _ = context.string(node, "$schema", example: "$schema: \"story.schema.json\"")
    }
    if let node = root["seed"], let seed = seed(node) { story.seed = seed }
    if let node = root["sites"] { sites = readSites(node, "sites") }
    story.sites = sites
    deployments = (root["script"]?.array ?? []).compactMap { $0["deploy"] }
    if let node = root["network"] { story.network = network(node) }
    if let node = root["switches"] { readSwitches(node, into: &story) }
    if let node = root["faults"] { story.faults = faults(node) }
    if let node = root["authorities"] { story.authorities = authorities(node) }
    if let node = root["apps"] { readApps(node) }
    if let node = root["clips"] { readClips(node) }
    if let node = root["devices"] { readDevices(node) }
    let mistakes = context.findings.count
    if let node = root["links"] { readLinks(node) }
    areLinksKnown = context.findings.count == mistakes
    listedLinkCount = links.count
    if let node = root["script"] { story.script = script(node) }
    story.apps = apps
    story.clips = clips
    story.assumptions = assumptions
    story.devices = devices
    story.links = links
    story.eventLimit = context.limits.events
    return story
  }

  /// As `--seed` takes it: a number, which for large ones is exact here, or its digits in quotation marks, as JSON tells it.
  private mutating func seed(_ node: JSONNode) -> UInt64? {
    context.expects(.integer(0...Int.max), at: node.range)
    let text: String? = if case .number(let digits) = node.value { digits } else { node.string }
    if let seed = node.int.flatMap({ UInt64(exactly: $0) }) ?? text.flatMap({ UInt64($0) }) { return seed }
    context.report(
      "number", node, "'seed' is not an integer from 0 to \(UInt64.max).", "Write, for example, seed: 0.")
    return nil
  }

  private mutating func start(_ root: JSONNode) -> WallTime? {
    let example = "start: \"2026-09-14T08:00:00Z\""
    guard let node = root["start"] else {
      context.report(
        "missing-key", at: root.range.lowerBound..<root.range.lowerBound + 1, "The story has no 'start'.",
        "Add the time at which the story begins: \(example).")
      return nil
    }
    context.expects(.form(WallTime.form), at: node.range)
    guard let text = context.string(node, "start", example: example) else { return nil }
    if let start = WallTime(text) {
      // A year of waits, and as much again for what devices do next.
      if start.advanced(by: .seconds(2 * 366 * 86_400)) <= WallTime.last { return start }
      context.report(
        "time", node, "'\(text)' is too late: times end with the year 9999, which the story could pass.",
        "Begin the story before 9997.")
      return nil
    }
    context.report("time", node, "'\(text)' is not an RFC 3339 time in UTC.", "Write it as in \(example).")
    return nil
  }

  /// An expectation that no device or no link is about.
  mutating func reportNothing(_ node: JSONNode) {
    guard !devices.isEmpty else {
      context.report(
        "contradiction", node, "The story has no device, so nothing can be expected.",
        "Declare one, as in devices: { iphone: { os: \"ios:17.4\" } }.")
      return
    }
    context.report(
      "contradiction", node, "No link has been tapped yet, so nothing can be expected.",
      "Add a 'tap' before it.")
  }

  private mutating func readSwitches(_ node: JSONNode, into story: inout Story) {
    let keys =
      CDNSwitches.Key.allCases.map(\.rawValue) + DeviceSwitches.keys.map(\.name)
    let example = "switches: { cdn_asks_root: false }"
    for member in context.members(node, "switches", keys: keys, example: example) ?? [] {
      if let key = CDNSwitches.Key(rawValue: member.name) {
        set(key, to: member.value, in: &story.cdnSwitches)
        continue
      }
      if let key = DeviceSwitches.keys.first(where: { $0.name == member.name }),
        let flag = context.bool(member.value, member.name)
      {
        story.deviceSwitches[keyPath: key.path] = flag
      }
    }
  }

  private mutating func set(_ key: CDNSwitches.Key, to node: JSONNode, in switches: inout CDNSwitches) {
    let name = key.rawValue
    switch CDNSwitches.place(of: key) {
    case .flag(let path):
      if let flag = context.bool(node, name) { switches[keyPath: path] = flag }
    case .number(let path, let range):
      if let number = context.int(node, name, in: range) { switches[keyPath: path] = number }
    case .size(let path, let range):
      if let number = context.int(node, name, in: range) { switches[keyPath: path] = number }
    case .word(let path):
      if let word = context.string(node, name, example: "\(name): \"US\""),
        let region = context.region(word, node)
      {
        switches[keyPath: path] = region
      }
    }
  }
}
