import AppSiteAssociation
internal import AssociationDelivery
import LinkspanCore
import SimulatedDevices

/// Writes a story as JSON5, so that reading it gives the same story again, with other places in the file.
package struct StoryWriter {
  let story: Story

  /// - Parameter remarks: Lines for the head of the file.
  package static func text(of story: Story, remarks: [String] = []) -> String {
    let writer = StoryWriter(story: story)
    return remarks.map { "// \($0)\n" }.joined() + writer.text
  }

  private var text: String {
    var text = "{\n  start: \(JSON.string(story.start.description).text),\n"
    text += "  seed: \(story.seed),\n"
    if !story.authorities.isEmpty {
      text += "  authorities: \(JSON.string(String(decoding: story.authorities, as: UTF8.self)).text),\n"
    }
    text += block("sites", story.sites.sorted { $0.key < $1.key }.map { ($0.key, Self.json($0.value)) })
    text += block("network", story.network.sorted { $0.key < $1.key }.map { ($0.key, Self.json($0.value)) })
    text += line("switches", switches)
    text += line("faults", faults)
    text += block(
      "apps",
      story.apps.map {
        ($0.name, .object(Self.members($0.build) + Self.members($0.push) + Self.members($0.continuity)))
      })
    text += block("clips", story.clips.map { ($0.name, json($0)) })
    text += block("devices", story.devices.map { ($0.name, json($0)) })
    if !story.links.isEmpty { text += "  links: \(JSON.array(story.links.map(JSON.string)).text),\n" }
    text += "  script: [\n"
    for step in story.script {
      text += "    \(JSON.object(json(step.action)).text),\n"
    }
    return text + "  ],\n}\n"
  }

  private func line(_ name: String, _ members: [(String, JSON)]) -> String {
    members.isEmpty ? "" : "  \(name): \(JSON.object(members).text),\n"
  }

  private func block(_ name: String, _ members: [(String, JSON)]) -> String {
    guard !members.isEmpty else { return "" }
    let lines = members.map { "    \(JSON.string($0.0).text): \($0.1.text),\n" }
    return "  \(name): {\n\(lines.joined())  },\n"
  }

  // MARK: - Parties

  private static func json(_ site: Site) -> JSON {
    let documents = site.documents.map(json)
    return documents.count == 1 ? documents[0] : .array(documents)
  }

  private static func json(_ document: Site.Document) -> JSON {
    let usual = Site.Document()
    var members: [(String, JSON)] = []
    if document.path != usual.path { members.append(("at", .string("root"))) }
    if document.status != usual.status { members.append(("status", .int(document.status))) }
    if let type = document.contentType, type != usual.contentType { members.append(("type", .string(type))) }
    if let location = document.location { members.append(("location", .string(location))) }
    if let root = JSONParser.parse(document.body).root, root.object != nil,
      root.json.bytes == document.body
    {
      members.append(("file", root.json))
    } else if let text = String(validating: document.body, as: UTF8.self) {
      if !text.isEmpty { members.append(("body", .string(text))) }
    } else {
      members.append(("hex", .string(ASCII.hexText(document.body))))
    }
    return .object(members)
  }

  private static func json(_ facts: HostFacts) -> JSON {
    var members: [(String, JSON)] = []
    if facts.isUnresolvable { members.append(("unresolvable", .bool(true))) }
    if let address = facts.privateAddress { members.append(("private_address", .string(address))) }
    if facts.drops != .nobody { members.append(("drops", .string(facts.drops.rawValue))) }
    if facts.forbids != .nobody { members.append(("forbids", .string(facts.forbids.rawValue))) }
    if let regions = facts.regions { members.append(("regions", .array(regions.map(JSON.string)))) }
    if facts.elsewhere != HostFacts().elsewhere {
      members.append(("elsewhere", .string(facts.elsewhere.rawValue)))
    }
    if facts.isDown { members.append(("down", .bool(true))) }
    switch facts.certificate {
    case .expired: members.append(("certificate", .string("expired")))
    case .wrongName: members.append(("certificate", .string("wrong-name")))
    // A story has no word for others.
    case .untrusted, .other: members.append(("certificate", .string("untrusted")))
    case nil: break
    }
    if facts.latency_ms != HostFacts().latency_ms {
      let ends = [facts.latency_ms.lowerBound, facts.latency_ms.upperBound]
      members.append(("latency_ms", .array(ends.map { .int(Int($0)) })))
    }
    return .object(members)
  }

  private static func members(_ build: AppBuild) -> [(String, JSON)] {
    var members: [(String, JSON)] = [
      ("identifier", .string(build.identifier)), ("domains", .array(build.entries.map(JSON.string))),
    ]
    if build.kind != .appStore { members.append(("build", .string(build.kind.rawValue))) }
    if build.isOnRemoteVolume { members.append(("remote_volume", .bool(true))) }
    if build.isBrowser { members.append(("browser", .bool(true))) }
    if !build.groups.isEmpty { members.append(("groups", .array(build.groups.map(JSON.string)))) }
    return members
  }

  private func json(_ device: DeviceTraits) -> JSON {
    var members: [(String, JSON)] = [("os", .string(device.os.description))]
    if device.isSimulator { members.append(("simulator", .bool(true))) }
    if device.isDeveloper != device.isSimulator {
      members.append(("developer", .bool(device.isDeveloper)))
    }
    if device.region != HostFacts.usualRegion { members.append(("region", .string(device.region))) }
    if !device.managedEntries.isEmpty {
      members.append(
        (
          "managed",
          .object([
            ("direct_downloads", .bool(device.isManaged)),
            ("domains", .object(domains(of: device))),
          ])
        ))
    } else if device.isManaged {
      members.append(("managed", .bool(true)))
    }
    return .object(members + Self.members(device.handoff))
  }

  private func domains(of device: DeviceTraits) -> [(String, JSON)] {
    device.managedEntries.sorted { $0.key < $1.key }.map { identifier, entries in
      let app = story.apps.first { $0.build.identifier == identifier }
      return (app?.name ?? identifier, .array(entries.map(JSON.string)))
    }
  }

  private var switches: [(String, JSON)] {
    let usual = CDNSwitches()
    let ofCDN = CDNSwitches.Key.allCases.compactMap { key -> (String, JSON)? in
      let value: JSON
      switch CDNSwitches.place(of: key) {
      case .flag(let path):
        guard story.cdnSwitches[keyPath: path] != usual[keyPath: path] else { return nil }
        value = .bool(story.cdnSwitches[keyPath: path])
      case .number(let path, _):
        guard story.cdnSwitches[keyPath: path] != usual[keyPath: path] else { return nil }
        value = .int(story.cdnSwitches[keyPath: path])
      case .size(let path, _):
        guard let size = story.cdnSwitches[keyPath: path] else { return nil }
        value = .int(size)
      case .word(let path):
        guard story.cdnSwitches[keyPath: path] != usual[keyPath: path] else { return nil }
        value = .string(story.cdnSwitches[keyPath: path])
      }
      return (key.rawValue, value)
    }
    let ofDevices = DeviceSwitches.keys.filter { story.deviceSwitches[keyPath: $0.path] }.map {
      ($0.name, JSON.bool(true))
    }
    return ofCDN + ofDevices
  }

  private var faults: [(String, JSON)] {
    var members: [(String, JSON)] = []
    for knob in FaultOptions.knobs {
      let likelihood = story.faults[keyPath: knob.path]
      guard likelihood.numerator > 0 else { continue }
      members.append(
        (knob.name, .array([.int(Int(likelihood.numerator)), .int(Int(likelihood.denominator))])))
    }
    if story.faults.clockDrift_ppm > 0 {
      members.append(("clock_drift_ppm", .int(Int(story.faults.clockDrift_ppm))))
    }
    return members
  }

  // MARK: - Steps

  private func json(_ action: StoryStep.Action) -> [(String, JSON)] {
    switch action {
    case .install(let apps, let devices): [("install", names(apps)), on(devices)]
    case .update(let apps, let devices): [("update", names(apps)), on(devices)]
    case .reinstall(let apps, let devices): [("reinstall", names(apps)), on(devices)]
    case .launch(let apps, let devices): [("launch", names(apps)), on(devices)]
    case .delete(let apps, let devices): [("delete", names(apps)), on(devices)]
    case .tap(let links, let way, let devices, let expectations):
      [("tap", urls(links))] + json(way) + [on(devices)]
        + (expectations.isEmpty ? [] : [("expect", .array(expectations.map(json)))])
    case .wait(let duration): [("wait", .string(StoryDuration.text(duration)))]
    case .deploy(let sites):
      [("deploy", .object(sites.sorted { $0.key < $1.key }.map { ($0.key, Self.json($0.value)) }))]
    case .network(let facts):
      [("network", .object(facts.sorted { $0.key < $1.key }.map { ($0.key, Self.json($0.value)) }))]
    case .choose(let browser, let host, let devices):
      [("choose", .string(browser ? "browser" : "app")), ("host", .string(host)), on(devices)]
    case .reboot(let devices): [("reboot", on(devices).1)]
    case .expect(let expectations): [("expect", .array(expectations.map(json)))]
    case .push(let step): members(step)
    case .continuity(let step): members(step)
    case .clip(let step): json(step)
    }
  }

  private func json(_ expectation: Expectation) -> JSON {
    let opens =
      switch expectation.opens {
      case .browser: "browser"
      case .unknown: "unknown"
      case .app(_, let name): name
      }
    var members: [(String, JSON)] = [
      ("opens", .string(opens)), ("links", urls(expectation.links)), on(expectation.devices),
    ]
    if let rule = expectation.rule { members.append(("rule", .string(rule))) }
    if let by = expectation.by { members.append(("by", .string(by))) }
    if let step = expectation.step { members.append(("step", .string(step.rawValue))) }
    return .object(members)
  }

  private func urls(_ links: [Int]) -> JSON { .array(links.map { .string(story.links[$0]) }) }

  private func names(_ apps: [Int]) -> JSON { .array(apps.map { .string(story.apps[$0].name) }) }

  func on(_ devices: [Int]) -> (String, JSON) {
    devices == Array(story.devices.indices)
      ? ("devices", .string("all")) : ("devices", .array(devices.map { .string(story.devices[$0].name) }))
  }

  private func json(_ way: WayOfFollowing) -> [(String, JSON)] {
    let from: (String, JSON) = ("from", .string(way.name))
    switch way {
    case .safari(let host): return [from, ("page", .string("https://\(host)/"))]
    case .ownApp(let identifier):
      guard let app = story.apps.first(where: { $0.build.identifier == identifier }) else { return [] }
      return [from, ("app", .string(app.name))]
    case .webView(let identifier):
      let app = story.apps.first { $0.build.identifier == identifier }
      return [from] + (app.map { [("app", .string($0.name))] } ?? [])
    case .longPress(let browser): return [from, ("choice", .string(browser ? "browser" : "app"))]
    case .redirect(let through), .tracker(let through):
      return [from, ("through", .array(through.map(JSON.string)))]
    case .chain(let chain): return json(chain)
    default: return [from]
    }
  }

  private func json(_ chain: Navigation) -> [(String, JSON)] {
    let app = story.apps.first { $0.build.identifier == chain.app }
    return [
      ("container", .string(chain.container.rawValue)), ("gesture", .string(chain.gesture.rawValue)),
    ]
      + (chain.pageHost.map { [("page", .string("https://\($0)/"))] } ?? [])
      + (chain.through.isEmpty ? [] : [("through", .array(chain.through.map(JSON.string)))])
      + (app.map { [("app", .string($0.name))] } ?? [])
  }
}
