import AppClips
import AppSiteAssociation
import LinkspanCore
import LinkspanStories
import SimulatedDevices

/// Puts App Clips into a made-up story: who has one, which experiences open it, and what is kept and taken over.
///
/// It draws from a generator of its own, so that the rest of the story is the same with clips and without.
struct SwarmClips {
  private var chance: SeededGenerator

  private static let group = "group.com.example"
  private static let paths = ["/", "/a", "/a/b", "/shop", "/shop/1", "/shopping", "/other"]

  /// - Parameter limit: The most steps a story may have.
  static func add(to story: inout Story, seed: UInt64, limit: Int) {
    var maker = SwarmClips(chance: SeededGenerator(seed: seed).fork("swarm clips"))
    // Three stories in four have none.
    guard maker.often(1, in: 4), !story.sites.isEmpty else { return }
    maker.fill(&story, limit: limit)
  }

  private mutating func fill(_ story: inout Story, limit: Int) {
    let hosts = story.sites.keys.sorted()
    for number in 1...Int(chance.draw(1...2)) {
      guard let clip = clip(number, story, hosts) else { continue }
      story.clips.append(clip)
      for host in hosts where often(3, in: 4) { list(clip.identifier, on: host, &story) }
    }
    guard !story.clips.isEmpty else { return }
    for place in story.apps.indices where often(1, in: 2) { story.apps[place].build.groups = [Self.group] }
    let room = limit - story.script.count
    guard room > 0 else { return }
    for _ in 1...min(chance.draw(4...16), Int64(room)) {
      let step = StoryStep(.clip(step(story, hosts)), at: .init(file: story.name))
      // A clip needs no app, so it may be opened before anything is installed.
      story.script.insert(step, at: Int(chance.draw(0...Int64(story.script.count))))
    }
  }

  /// One clip of one app; its identifier is the app's with a word behind it.
  private mutating func clip(_ number: Int, _ story: Story, _ hosts: [String]) -> Story.Clip? {
    let app = Int(chance.draw(0...Int64(story.apps.count - 1)))
    let identifier = story.apps[app].build.identifier + ".Clip"
    guard let dot = identifier.firstIndex(of: ".") else { return nil }
    let bundle = String(identifier[identifier.index(after: dot)...])
    var urls: [String] = []
    for _ in 1...chance.draw(1...3) {
      let url = "https://" + one(hosts) + one(Self.paths)
      if !urls.contains(url) { urls.append(url) }
    }
    let host = one(hosts)
    var members: [(String, JSON)] = [
      ("app", .object([("bundle_id", .string(String(bundle.dropLast(5)))), ("name", .string("Example"))])),
      (
        "clip",
        .object([("bundle_id", .string(bundle)), ("minimum_os", .string(one(["14.0", "15.0", "17.0"])))])
      ),
      (
        "advanced",
        .array(
          urls.map {
            .object([("url", .string($0)), ("title", .string("Shop")), ("subtitle", .string("Order"))])
          })
      ),
    ]
    if often(1, in: 2) {
      let website: [(String, JSON)] =
        often(1, in: 2) ? [("website", .string("https://" + host))] : []
      members.append(("default", .object([("subtitle", .string("Order"))] + website)))
    }
    let document = JSON.object(members)
    let file = ExperienceFile(SourceText(name: story.name, bytes: document.bytes))
    return Story.Clip(
      name: "clip-\(number)", app: app, identifier: identifier,
      domains: hosts.filter { _ in often(3, in: 4) }.map { "appclips:" + $0 },
      groups: often(1, in: 2) ? [Self.group] : [], experiences: file, experienceDocument: document)
  }

  /// Has a host's file name the clip, where it is a file that can.
  private mutating func list(_ identifier: String, on host: String, _ story: inout Story) {
    guard var documents = story.sites[host]?.documents else { return }
    for place in documents.indices {
      guard case .object(var members)? = JSONParser.parse(documents[place].body).root?.json,
        members.contains(where: { $0.0 == "applinks" })
      else { continue }
      var apps: [JSON] = []
      if let section = members.firstIndex(where: { $0.0 == "appclips" }) {
        if case .object(let listed) = members[section].1, case .array(let known)? = listed.first?.1 {
          apps = known
        }
        members.remove(at: section)
      }
      members.append(("appclips", .object([("apps", .array(apps + [.string(identifier)]))])))
      documents[place].body = JSON.object(members).bytes
    }
    story.sites[host] = Site(documents)
  }

  private mutating func step(_ story: Story, _ hosts: [String]) -> ClipStep {
    let clip = Int(chance.draw(0...Int64(story.clips.count - 1)))
    let chosen = story.devices.indices.filter { _ in often(2, in: 3) }
    let devices = chosen.isEmpty ? [0] : chosen
    switch chance.draw(0...9) {
    case 0...4:
      let entrance = one(Entrance.allCases)
      let url = entrance.opensAgain ? nil : "https://" + one(hosts) + one(Self.paths)
      return .invoke(
        ClipInvocation(clip: clip, url: url, entrance: entrance, devices: devices, expectations: []))
    case 5, 6: return .save(data(clip, story, devices))
    case 7, 8: return .read(data(clip, story, devices))
    default: return .remove(clips: [clip], devices: devices)
    }
  }

  private mutating func data(_ clip: Int, _ story: Story, _ devices: [Int]) -> ClipData {
    ClipData(
      key: one(["basket", "receipt"]), owner: often(1, in: 2) ? .clip(clip) : .app(story.clips[clip].app),
      store: one([.container, .keychain, .group(Self.group)]), devices: devices, isExpected: nil,
      location: .init(file: story.name))
  }

  private mutating func often(_ numerator: Int64, in denominator: Int64) -> Bool {
    chance.chance(numerator, in: denominator)
  }

  private mutating func one<Element>(_ elements: [Element]) -> Element {
    elements[Int(chance.draw(0...Int64(elements.count - 1)))]
  }
}
