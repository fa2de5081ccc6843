package import LinkspanCore
internal import SimulatedStores

/// The form of a service story in a file: JSON5, a step a line.
extension ServiceStory {
  /// - Parameter remarks: Comment lines for its head.
  package func text(remarks: [String]) -> String {
    var lines = remarks.map { "// \($0)" }
    let shares = sharesSites ? " shares: true," : ""
    lines += [
      "{", "  service: {",
      "    seed: \"\(seed)\", servers: \(serverCount), store: \"\(store.rawValue)\",\(shares)",
      "    steps: [",
    ]
    for entry in entries {
      let members = entry.step.members.map { name, value in
        switch value {
        case .int(let number): "\(name): \(number)"
        case .text(let text): "\(name): \"\(text)\""
        }
      }
      lines.append("      {" + (members + ["chance: \"\(entry.chance)\""]).joined(separator: ", ") + "},")
    }
    return (lines + ["    ],", "  },", "}", ""]).joined(separator: "\n")
  }

  /// Ours: a made-up story has some hundred steps.
  private static let stepLimit = 10_000

  /// Reads a story.
  ///
  /// - Parameter root: The whole file.
  /// - Throws: What is wrong with it, and in which step.
  package init(_ root: JSONNode?) throws(LinkspanError) {
    guard let service = root?["service"], let steps = service["steps"]?.array else {
      throw LinkspanError(
        "this is no story of the service: it has no 'service' with 'steps'.",
        help: "'linkspan simulate --swarm NUMBER --service' writes one where a promise is broken.")
    }
    guard let seed = service["seed"]?.string.flatMap({ UInt64($0) }) else {
      throw LinkspanError("'seed' of the story is missing, or is no number in quotation marks.")
    }
    guard steps.count <= Self.stepLimit else {
      throw LinkspanError("the story has \(steps.count) steps; the limit is \(Self.stepLimit).")
    }
    let servers = service["servers"].map { $0.int ?? 0 } ?? 1
    guard (1...Self.serverLimit).contains(servers) else {
      throw LinkspanError("'servers' of the story is not a number from 1 to \(Self.serverLimit).")
    }
    // Stories of before have none.
    guard let store = Store(rawValue: service["store"].map { $0.string ?? "" } ?? Store.sqlite.rawValue)
    else {
      throw LinkspanError("'store' of the story is neither \"sqlite\" nor \"postgres\".")
    }
    self.seed = seed
    self.store = store
    serverCount = servers
    sharesSites = service["shares"]?.bool ?? false
    entries = []
    for (index, node) in steps.enumerated() {
      guard let step = Self.step(node), let chance = node["chance"]?.string.flatMap({ UInt64($0) }) else {
        throw LinkspanError(
          "step \(index + 1) of the story cannot be read.",
          help: "Each step has 'do', its values, and 'chance', as the swarm writes them.")
      }
      entries.append(Entry(step: step, chance: chance))
    }
  }

  private static func step(_ node: JSONNode) -> ServiceStep? {
    func number(_ name: String, below limit: Int) -> Int? {
      node[name]?.int.flatMap { (0..<limit).contains($0) ? $0 : nil }
    }
    let device = number("device", below: deviceCount)
    let person = number("person", below: personCount)
    let credential = number("credential", below: credentialCount)
    switch node["do"]?.string {
    case "register": return device.flatMap { device in person.map { .register(device: device, person: $0) } }
    case "delete": return device.map { .delete(device: $0) }
    case "look": return device.map { .look(device: $0) }
    case "intrude": return .intrude
    case "mistake":
      guard let credential, let number = number("number", below: ClientMistake.all.count) else { return nil }
      return .mistake(number: number, credential: credential)
    case "burst":
      guard let credential, let count = number("count", below: 1_000) else { return nil }
      return .burst(credential: credential, count: count)
    case "survey": return credential.map { .survey(credential: $0) }
    case "uninstall": return device.map { .uninstall(device: $0) }
    case "erase": return person.map { .erase(person: $0) }
    case "notify":
      guard let person, let credential else { return nil }
      return .notify(person: person, credential: credential, key: number("key", below: keyCount))
    case "campaign": return credential.map { .campaign(credential: $0) }
    case "channel":
      let act = node["act"]?.string.flatMap(ChannelAsk.Act.init)
      guard let act, let credential else { return nil }
      return .channel(act, credential: credential, key: number("key", below: keyCount))
    case "message": return credential.map { .message(credential: $0) }
    case "import": return person.map { .importing(person: $0) }
    case "pause": return .pause
    case "resume": return .resume
    case "cancel": return .cancel
    case "export": return .export
    case "prune": return .prune
    case "wait": return number("ms", below: 100_000_000).map { .wait(milliseconds: Int64($0)) }
    case "clock":
      return node["ms"]?.int.flatMap { abs($0) <= 86_400_000 ? .clock(milliseconds: Int64($0)) : nil }
    case "kill": return .kill
    case "power-cut": return .powerCut
    case "restart": return .restart
    case "apns": return node["mood"]?.string.flatMap(ServiceStep.Mood.init).map { .apns($0) }
    case "disk": return node["state"]?.string.flatMap(ServiceStep.Disk.init).map { .disk($0) }
    case "database": return node["state"]?.string.flatMap(ServiceStep.Database.init).map { .database($0) }
    case "database-restart": return .restartDatabase
    default: return visit(node) ?? site(node)
    }
  }

  /// Steps at the console.
  private static func visit(_ node: JSONNode) -> ServiceStep? {
    func number(_ name: String, below limit: Int) -> Int? {
      node[name]?.int.flatMap { (0..<limit).contains($0) ? $0 : nil }
    }
    let name = node["do"]?.string
    let user = number("user", below: userCount)
    if name == "password" { return user.map { .password(user: $0) } }
    guard let browser = number("browser", below: browserCount) else { return nil }
    switch name {
    case "login": return user.map { .login(browser: browser, user: $0) }
    case "guess":
      guard let user, let count = number("count", below: 100) else { return nil }
      return .guess(browser: browser, user: user, count: count)
    case "page": return .page(browser: browser)
    case "form": return number("device", below: deviceCount).map { .form(browser: browser, device: $0) }
    case "logout": return .logout(browser: browser)
    default: return nil
    }
  }

  /// Steps about the files of hosts.
  private static func site(_ node: JSONNode) -> ServiceStep? {
    let name = node["do"]?.string ?? ""
    if name == "read" { return .read }
    if name == "scrape" { return .scrape }
    if name == "reload" { return .reload }
    if name == "configure" {
      return node["version"]?.int.flatMap { (0..<versionCount).contains($0) ? .configure(version: $0) : nil }
    }
    guard let host = node["host"]?.int, (0..<hostCount).contains(host) else { return nil }
    if let order = ServiceStep.Order(rawValue: name) { return .order(order, host: host) }
    if name == "undeploy" { return .undeploy(host: host) }
    if name == "fetch" { return .fetch(host: host) }
    guard let version = node["version"]?.int, (0..<versionCount).contains(version) else { return nil }
    switch name {
    case "deploy": return .deploy(host: host, version: version)
    case "upload": return .upload(host: host, version: version)
    default: return nil
    }
  }
}
