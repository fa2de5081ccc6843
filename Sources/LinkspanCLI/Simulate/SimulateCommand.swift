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
      STORY is a file, or a folder whose .json5 and .json files are all played. One story is told in full; of
      several, each has a line, and what failed stands beneath it. With --live the stand-in devices and the
      stand-in CDN ask a real server for the files; every host of the story is looked for at that one address.
      Ends with 1 when an expectation fails.
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
      Flag("--html", "OUT", "Write a timeline that a browser shows without a network"),
      Flag(
        "--swarm", "NUMBER", "Make up this many stories, from --seed (1) on, and look for a broken invariant"),
      Flag("--shrunk", "FILE", "Where --swarm writes the story that breaks one (swarm-SEED.json5)"),
      Flag(
        "--plant", "BUG", choices: PlantedBug.allCases.map(\.rawValue),
        "For testing the swarm itself: \(PlantedBug.allCases.map(\.rawValue).joined(separator: " or "))"),
    ],
    examples: [
      "linkspan simulate Examples/story.json5",
      "linkspan simulate Examples/stories --html timeline.html",
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
  private let paths: [String]
  /// Whether the run is about several stories, as far as a person can tell: a folder counts, whatever is in it.
  private let isSeveral: Bool

  init(_ arguments: Arguments, _ console: Console) throws(CommandError) {
    try arguments.expectOperands(1...Int.max)
    if arguments.has("--shrunk") { throw arguments.usage("'--shrunk' goes with '--swarm'") }
    self.arguments = arguments
    self.console = console
    seed = try arguments.number("--seed", atLeast: 0)
    plant = try arguments.plantedBug()
    if let live = arguments.value("--live") {
      self.live = LiveTransport(address: try SocketAddress.read(live), trust: try arguments.trust())
    } else {
      if arguments.has("--ca") { throw arguments.usage("'--ca' goes with '--live'") }
      live = nil
    }
    paths = try StoryPaths.find(arguments.operands)
    isSeveral = paths != arguments.operands || paths.count > 1
    if arguments.has("--har"), isSeveral {
      throw arguments.usage("'--har' writes the exchanges of one story; name one file")
    }
  }

  func run() throws(CommandError) -> ExitStatus {
    try live?.probe()
    var total = StoryTotal()
    var pages: [TimelineStory] = []
    for path in paths {
      let result: SimulationResult
      do throws(CommandError) {
        result = try play(path)
      } catch {
        // One story that can't be read is no reason to keep the others' answers.
        guard isSeveral else { throw error }
        total.unplayed += 1
        Console.fail(error, command: "simulate", color: arguments.value("--color"))
        continue
      }
      total.add(result)
      tell(result, path)
      if let file = arguments.value("--har") {
        try ArchiveFile.write(result.exchanges, start: result.start, to: file)
      }
      if arguments.has("--html") {
        pages.append(TimelineStory(name: path, result: result, command: command(for: path, result)))
      }
    }
    if isSeveral {
      if arguments.has("--json") { console.print(total.json) } else { console.print(total.text) }
    }
    if let out = arguments.value("--html") { try write(pages, to: out) }
    return total.status
  }

  private func play(_ path: String) throws(CommandError) -> SimulationResult {
    let story = try StoryFile(path, console).story
    do throws(SimulationError) {
      return try Simulation.run(story, seed: seed, transport: live?.transport, plant: plant)
    } catch {
      throw CommandError("'\(path)': \(error)")
    }
  }

  private func write(_ stories: [TimelineStory], to path: String) throws(CommandError) {
    let page: [UInt8]
    do throws(TimelinePage.TooManyEvents) {
      page = try TimelinePage.html(stories)
    } catch {
      throw CommandError("\(error)", help: "Let fewer devices take part, or play fewer stories at once.")
    }
    try FileWriter.write(page, to: path)
  }

  // MARK: - What is told

  private func tell(_ result: SimulationResult, _ path: String) {
    let histories = OpeningHistory.all(in: result)
    if arguments.has("--json") {
      let objects =
        result.events.map(\.json) + result.rows.map(\.json) + histories.map(\.json)
        + result.checks.map(\.json) + result.violations.map(\.json) + [result.summary]
      for object in objects { console.print(named(object, path)) }
      return
    }
    let style = console.style
    if isSeveral {
      let mark = result.allHeld ? style.paint("held", .green) : style.paint("failed", .red)
      console.print("\(mark)  \(path), seed \(result.seed): \(summary(of: result))")
    } else {
      console.print("\(path), seed \(result.seed)\n")
    }
    if arguments.has("--events") {
      for event in result.events {
        console.print(event.line + (event.grounds.map { "  [\($0.text)]" } ?? ""))
      }
      console.print("")
    }
    if !isSeveral {
      console.print(LinkTable(result.rows).text(style: style), terminator: "")
      for history in histories { console.print(HistoryTable(history).text(style: style)) }
    }
    for finding in result.findings + result.violations.map(\.finding) {
      console.print(finding.text(style: style))
    }
    if !isSeveral { console.print(summary(of: result)) }
    if !result.allHeld { console.print("repeat it with: \(command(for: path, result))") }
  }

  /// An object with its story's path, where several are played and nobody could tell them apart.
  private func named(_ object: JSON, _ path: String) -> JSON {
    guard isSeveral, case .object(var members) = object else { return object }
    members.insert(("story", .string(path)), at: min(1, members.count))
    return .object(members)
  }

  private func summary(of result: SimulationResult) -> String {
    let held = result.checks.count - result.failures.count
    return "\(held) of \(result.checks.count) expectations held, \(result.events.count) events, "
      + "\(result.elapsed.components.seconds) s of virtual time, digest \(result.digest.text)"
  }

  private func command(for path: String, _ result: SimulationResult) -> String {
    let live = arguments.value("--live").map { " --live \($0)" } ?? ""
    let plant = plant.map { " --plant \($0.rawValue)" } ?? ""
    return "linkspan simulate \(ShellWord.quoted(path)) --seed \(result.seed)\(live)\(plant)"
  }
}
