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
      """,
    flags: [
      Flag("--seed", "NUMBER", "The seed, in place of the story's own"),
      Flag("--live", "ADDRESS:PORT", "Ask the server at this address instead of the story's sites"),
      Flag("--ca", "FILE", "Trust the authorities in this PEM file with --live (the system's)"),
      Flag("--events", "Print everything that happened, not only what became of the links"),
      Flag("--html", "OUT", "Write a timeline that a browser shows without a network"),
    ],
    examples: [
      "linkspan simulate Examples/story.json5",
      "linkspan simulate Examples/stories --html timeline.html",
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
  private let paths: [String]
  /// Whether the run is about several stories, as far as a person can tell: a folder counts, whatever is in it.
  private let isSeveral: Bool

  init(_ arguments: Arguments, _ console: Console) throws(CommandError) {
    try arguments.expectOperands(1...Int.max)
    self.arguments = arguments
    self.console = console
    seed = try arguments.number("--seed", atLeast: 0)
    let authorities = arguments.value("--ca")
    if let live = arguments.value("--live") {
      let trust: TLSTrust = authorities.map { .authorities(file: $0) } ?? .system
      self.live = LiveTransport(address: try SocketAddress.read(live), trust: trust)
    } else {
      if authorities != nil { throw arguments.usage("'--ca' goes with '--live'") }
      live = nil
    }
    paths = try StoryPaths.find(arguments.operands)
    isSeveral = paths != arguments.operands || paths.count > 1
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
        Console.fail(error, command: "simulate")
        continue
      }
      total.add(result)
      tell(result, path)
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
    let story: Story
    switch StoryParser.parse(try FileReader.read(path), reader: .files(beside: path)) {
    case .story(let read): story = read
    case .findings(let findings):
      for finding in findings { console.note(finding.text()) }
      throw CommandError("'\(path)' is no story; what is wrong with it stands above.")
    }
    do throws(SimulationError) {
      return try Simulation.run(story, seed: seed, transport: live?.transport)
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
        + result.checks.map(\.json) + [result.summary]
      for object in objects { console.print(named(object, path)) }
      return
    }
    let style = console.style
    if isSeveral {
      let mark = result.failures.isEmpty ? style.paint("held", .green) : style.paint("failed", .red)
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
    for finding in result.findings { console.print(finding.text(style: style)) }
    if !isSeveral { console.print(summary(of: result)) }
    if !result.failures.isEmpty { console.print("repeat it with: \(command(for: path, result))") }
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
    return "linkspan simulate \(ShellWord.quoted(path)) --seed \(result.seed)\(live)"
  }
}
