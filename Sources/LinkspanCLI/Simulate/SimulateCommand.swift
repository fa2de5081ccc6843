internal import HTTPEngine
internal import LinkspanCore
internal import LinkspanSimulator

extension Command {
  static let simulate = Command(
    name: "simulate", summary: "What would iPhones of many releases, and Apple's CDN, make of it?",
    operands: "STORY…",
    discussion: """
      A story names sites, apps, devices, a network and a script with expectations (Documentation/stories.md).
      It is played on a clock of its own, in an order that the seed decides: the same seed gives the same bytes.
      With --live the stand-in devices and the stand-in CDN ask a real server for the files; every host of the
      story is looked for at that one address. Ends with 1 when an expectation fails.
      After every step it is looked whether the invariants hold (Documentation/swarm.md). With --swarm chance makes
      the stories up, one a seed, with faults in them; a story that breaks an invariant is made as small as it can
      be, written to a file, and ends the swarm with 1.
      """,
    flags: [
      Flag("--seed", "NUMBER", "The seed, in place of the story's own"),
      Flag("--live", "ADDRESS:PORT", "Ask the server at this address instead of the story's sites"),
      Flag("--ca", "FILE", "Trust the authorities in this PEM file with --live (the system's)"),
      Flag("--har", "FILE", "Write every exchange of the story, as HAR 1.2"),
      Flag("--events", "Print everything that happened, not only what became of the links"),
      Flag(
        "--swarm", "NUMBER", "Make up this many stories, from --seed (1) on, and look for a broken invariant"),
      Flag("--shrunk", "FILE", "Where --swarm writes the story that breaks one (swarm-SEED.json5)"),
      Flag(
        "--plant", "BUG",
        "For testing the swarm itself: \(PlantedBug.allCases.map(\.rawValue).joined(separator: " or "))"),
    ],
    examples: [
      "linkspan simulate Examples/story.json5",
      "linkspan simulate Examples/story.json5 --live 127.0.0.1:8443 --ca certificate.pem --seed 7",
      "linkspan simulate --swarm 1000",
    ]
  ) { arguments, console throws(CommandError) in
    if arguments.value("--swarm") != nil { return try SwarmRun(arguments, console).run() }
    return try SimulateRun(arguments, console).run()
  }
}

extension Arguments {
  /// The mistake to plant.
  func plantedBug() throws(CommandError) -> PlantedBug? {
    guard let name = value("--plant") else { return nil }
    if let bug = PlantedBug(rawValue: name) { return bug }
    throw usage("there is no bug '\(name)' to plant")
  }
}

private struct SimulateRun {
  private let arguments: Arguments
  private let console: Console
  private let seed: UInt64?
  private let live: LiveTransport?
  private let plant: PlantedBug?

  init(_ arguments: Arguments, _ console: Console) throws(CommandError) {
    try arguments.expectOperands(1...Int.max)
    if arguments.has("--shrunk") { throw arguments.usage("'--shrunk' goes with '--swarm'") }
    self.arguments = arguments
    self.console = console
    if arguments.has("--har"), arguments.operands.count > 1 {
      throw arguments.usage("'--har' writes the exchanges of one story, and there are several")
    }
    seed = try arguments.number("--seed", atLeast: 0)
    plant = try arguments.plantedBug()
    let authorities = arguments.value("--ca")
    if let live = arguments.value("--live") {
      let trust: TLSTrust = authorities.map { .authorities(file: $0) } ?? .system
      self.live = LiveTransport(address: try SocketAddress.read(live), trust: trust)
    } else {
      if authorities != nil { throw arguments.usage("'--ca' goes with '--live'") }
      live = nil
    }
  }

  func run() throws(CommandError) -> ExitStatus {
    var status = ExitStatus.yes
    try live?.probe()
    for path in arguments.operands {
      let result = try play(path)
      if !result.failures.isEmpty || !result.violations.isEmpty { status = .no }
    }
    return status
  }

  private func play(_ path: String) throws(CommandError) -> SimulationResult {
    let story = try StoryFile(path, console).story
    let result: SimulationResult
    do throws(SimulationError) {
      result = try Simulation.run(story, seed: seed, transport: live?.transport, plant: plant)
    } catch {
      throw CommandError("'\(path)': \(error)")
    }
    if let file = arguments.value("--har") {
      try ArchiveFile.write(result.exchanges, start: result.start, to: file)
    }
    if arguments.has("--json") {
      let objects =
        result.events.map(\.json) + result.rows.map(\.json) + result.checks.map(\.json)
        + result.violations.map(\.json) + [result.summary]
      for object in objects { console.print(named(object, path)) }
    } else {
      console.print("\(path), seed \(result.seed)\n")
      if arguments.has("--events") {
        for event in result.events { console.print(event.line) }
        console.print("")
      }
      console.print(LinkTable(result.rows).text(style: console.style), terminator: "")
      for finding in result.findings + result.violations.map(\.finding) {
        console.print(finding.text(style: console.style))
      }
      console.print(summary(of: result, path: path))
    }
    return result
  }

  /// An object with its story's path, where several are played and nobody could tell them apart.
  private func named(_ object: JSON, _ path: String) -> JSON {
    guard arguments.operands.count > 1, case .object(var members) = object else { return object }
    members.insert(("story", .string(path)), at: min(1, members.count))
    return .object(members)
  }

  private func summary(of result: SimulationResult, path: String) -> String {
    let held = result.checks.count - result.failures.count
    var text = "\(held) of \(result.checks.count) expectations held, \(result.events.count) events, "
    text += "\(result.elapsed.components.seconds) s of virtual time, digest \(result.digest.text)"
    if !result.failures.isEmpty || !result.violations.isEmpty {
      let live = arguments.value("--live").map { " --live \($0)" } ?? ""
      text += "\nrepeat it with: linkspan simulate \(path) --seed \(result.seed)\(live)"
      if let plant { text += " --plant \(plant.rawValue)" }
    }
    return text
  }
}
