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
      """,
    flags: [
      Flag("--seed", "NUMBER", "The seed, in place of the story's own"),
      Flag("--live", "ADDRESS:PORT", "Ask the server at this address instead of the story's sites"),
      Flag("--ca", "FILE", "Trust the authorities in this PEM file with --live (the system's)"),
      Flag("--har", "FILE", "Write every exchange of the story, as HAR 1.2"),
      Flag("--events", "Print everything that happened, not only what became of the links"),
    ],
    examples: [
      "linkspan simulate Examples/story.json5",
      "linkspan simulate Examples/story.json5 --live 127.0.0.1:8443 --ca certificate.pem --seed 7",
    ]
  ) { arguments, console throws(CommandError) in
    try SimulateRun(arguments, console).run()
  }
}

private struct SimulateRun {
  private let arguments: Arguments
  private let console: Console
  private let seed: UInt64?
  private let live: LiveTransport?

  init(_ arguments: Arguments, _ console: Console) throws(CommandError) {
    try arguments.expectOperands(1...Int.max)
    self.arguments = arguments
    self.console = console
    if arguments.has("--har"), arguments.operands.count > 1 {
      throw arguments.usage("'--har' writes the exchanges of one story, and there are several")
    }
    seed = try arguments.number("--seed", atLeast: 0)
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
      if !result.failures.isEmpty { status = .no }
    }
    return status
  }

  private func play(_ path: String) throws(CommandError) -> SimulationResult {
    let story: Story
    switch StoryParser.parse(try FileReader.read(path), reader: .files(beside: path)) {
    case .story(let read): story = read
    case .findings(let findings):
      for finding in findings { console.note(finding.text()) }
      throw CommandError("'\(path)' is no story; what is wrong with it stands above.")
    }
    let result: SimulationResult
    do throws(SimulationError) {
      result = try Simulation.run(story, seed: seed, transport: live?.transport)
    } catch {
      throw CommandError("'\(path)': \(error)")
    }
    if let file = arguments.value("--har") {
      try ArchiveFile.write(result.exchanges, start: result.start, to: file)
    }
    if arguments.has("--json") {
      let objects =
        result.events.map(\.json) + result.rows.map(\.json) + result.checks.map(\.json) + [result.summary]
      for object in objects { console.print(named(object, path)) }
    } else {
      console.print("\(path), seed \(result.seed)\n")
      if arguments.has("--events") {
        for event in result.events { console.print(event.line) }
        console.print("")
      }
      console.print(LinkTable(result.rows).text(style: console.style), terminator: "")
      for finding in result.findings { console.print(finding.text(style: console.style)) }
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
    if !result.failures.isEmpty {
      let live = arguments.value("--live").map { " --live \($0)" } ?? ""
      text += "\nrepeat it with: linkspan simulate \(path) --seed \(result.seed)\(live)"
    }
    return text
  }
}
