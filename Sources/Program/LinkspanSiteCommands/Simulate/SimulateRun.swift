internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanFiles
internal import LinkspanSimulator
internal import LinkspanStandIns
internal import LinkspanStories
import SimulatedDevices
internal import SiteInput

/// In which form `simulate` answers.
enum SimulateFormat: String, CaseIterable {
  case text
  case json
  case junit
  case github

  /// What '--html' writes, of stories and of tables.
  static let page = OutputKind.page(of: "linkspan simulate")
}

/// `linkspan simulate STORY…`: plays the stories one by one and tells what came of each.
struct SimulateRun {
  private let arguments: Arguments
  private let console: Console
  private let seed: UInt64?
  private let live: LiveTransport?
  private let plant: PlantedBug?
  private let paths: [String]
  /// Of the timeline.
  private let page: OutputPlace?
  private let archive: OutputFile?
  private let format: SimulateFormat
  private var report = JUnitReport(name: "linkspan simulate")
  /// Whether the run is about several stories, as far as a person can tell: a folder counts, whatever is in it.
  private let isSeveral: Bool

  init(_ arguments: Arguments, _ console: Console) throws(LinkspanError) {
    try arguments.expectOperands(1...Int.max)
    if arguments.has("--shrunk") { throw arguments.usage("'--shrunk' goes with '--swarm'") }
    self.arguments = arguments
    self.console = console
    format = try arguments.format(SimulateFormat.self)
    if arguments.has("--events"), format == .junit || format == .github {
      throw arguments.usage("'--events' does not go with '--format \(format.rawValue)'")
    }
    page = try arguments.page(of: "linkspan simulate", besides: format)
    archive = try arguments.outputFile("--har", ArchiveFile.kind)
    seed = try arguments.number("--seed", atLeast: 0)
    plant = try arguments.plantedBug()
    if let live = arguments.value("--live") {
      self.live = LiveTransport(
        address: try SocketAddress.read(live, of: "--live"), trust: try arguments.trust())
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

  mutating func run() throws(LinkspanError) -> ExitStatus {
    if let live { try live.probe() }
    page?.reserve(console)
    var total = StoryTotal()
    var pages: [TimelineStory] = []
    for path in paths {
      let result: SimulationResult
      var mistakes: [Finding] = []
      do throws(LinkspanError) {
        result = try play(path, &mistakes)
      } catch {
        // One story that can't be read is no reason to keep the others' answers, nor what a report says of it.
        guard isSeveral || format == .junit || format == .github else { throw error }
        total.unplayed += 1
        report.suites.append(StoryReport.suite(unplayed: path, error, mistakes))
        Console.fail(error, command: "simulate", color: arguments.value("--color"))
        continue
      }
      total.add(result)
      tell(result, path)
      if let archive {
        try ArchiveFile.write(result.exchanges, start: result.start, version: Program.version, to: archive)
      }
      if page != nil {
        pages.append(TimelineStory(name: path, result: result, command: command(for: path, result)))
      }
    }
    switch format {
    case .junit: console.printRaw(report.xml)
    case .json: if isSeveral { console.print(total.json) }
    case .text, .github: if isSeveral { console.print(total.text) }
    }
    if let page { try TimelinePage.write(pages, to: page, console) }
    return total.status
  }

  /// - Parameter mistakes: Becomes what is wrong with a story that cannot be read.
  private func play(_ path: String, _ mistakes: inout [Finding]) throws(LinkspanError) -> SimulationResult {
    let story = try StoryFile(path, console) { findings in
      mistakes = findings
      if format == .github {
        console.printAnnotations(StoryReport.annotations(findings))
      } else {
        for finding in findings { console.note(finding.text()) }
      }
    }.story
    let progress = LiveProgress(start: story.start)
    defer { if live != nil { progress.end() } }
    do throws(SimulationError) {
      return try Simulation.run(
        story, seed: seed, transport: (live?.transport).map(progress.watching), plant: plant)
    } catch {
      throw LinkspanError("'\(path)': \(error)")
    }
  }

  // MARK: - What is told

  private mutating func tell(_ result: SimulationResult, _ path: String) {
    switch format {
    case .text: tellText(result, path)
    case .json:
      let objects =
        result.events.map(\.json) + result.rows.map(\.json)
        + OpeningHistory.all(in: result).map(\.json)
        + result.pushes.map(\.json) + result.checks.map(\.json) + result.violations.map(\.json) + [
          result.summary
        ]
      for object in objects { console.print(named(object, path)) }
    case .junit:
      report.suites.append(StoryReport.suite(of: result, path, repeated: command(for: path, result)))
    case .github:
      console.printAnnotations(StoryReport.annotations(result.findings + result.violations.map(\.finding)))
      console.print(line(of: result, path))
      if !result.allHeld { console.print("repeat it with: \(command(for: path, result))") }
    }
  }

  private func tellText(_ result: SimulationResult, _ path: String) {
    let style = console.style
    console.print(isSeveral ? line(of: result, path) : "\(path.onOneLine), seed \(result.seed)\n")
    if arguments.has("--events") { console.print(result.eventLines, terminator: "\n") }
    if !isSeveral {
      console.print(LinkTable(result.rows).text(style: style), terminator: "")
      console.print(PushTable(result.pushes).text(style: style), terminator: "")
      tellOutcomes(of: result)
      for history in OpeningHistory.all(in: result) {
        console.print(HistoryTable(history).text(style: style))
      }
    }
    for finding in result.findings + result.violations.map(\.finding) {
      console.print(finding.text(style: style))
    }
    if !isSeveral { console.print(summary(of: result)) }
    if !result.allHeld { console.print("repeat it with: \(command(for: path, result))") }
  }

  /// A story without links has no table: what came of each step stands in its expectations.
  private func tellOutcomes(of result: SimulationResult) {
    guard result.rows.isEmpty, !result.checks.isEmpty else { return }
    for check in result.checks {
      console.print("\(console.style.bold(check.link)) on \(check.device): \(check.actual)")
    }
    console.print("")
  }

  /// `held  PATH, seed 1: 10 of 10 expectations held, …`
  private func line(of result: SimulationResult, _ path: String) -> String {
    let mark = result.allHeld ? console.style.paint("held", .green) : console.style.paint("failed", .red)
    return "\(mark)  \(path.onOneLine), seed \(result.seed): \(summary(of: result))"
  }

  /// An object with its story's path, where several are played and nobody could tell them apart.
  private func named(_ object: JSON, _ path: String) -> JSON {
    guard isSeveral, case .object(var members) = object else { return object }
    members.insert(("story", .string(path)), at: min(1, members.count))
    return .object(members)
  }

  private func summary(of result: SimulationResult) -> String {
    let held = result.checks.count - result.failures.count
    return "\(held) of \(result.checks.count) expectations held, \(result.events.count.counted("event")), "
      + "\(result.elapsed.components.seconds) s of virtual time, digest \(result.digest.text)"
  }

  private func command(for path: String, _ result: SimulationResult) -> String {
    let live = arguments.value("--live").map { " --live \($0)" } ?? ""
    let plant = plant.map { " --plant \($0.rawValue)" } ?? ""
    return "linkspan simulate \(ShellWord.quoted(path)) --seed \(result.seed)\(live)\(plant)"
  }
}
