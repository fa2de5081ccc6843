internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanFiles
internal import LinkspanSimulator
import LinkspanStories
import SimulatedDevices

/// `linkspan simulate --swarm`: many made-up stories, until one breaks an invariant.
struct SwarmRun {
  private let arguments: Arguments
  private let console: Console
  private let count: UInt64
  private let seed: UInt64
  private let plant: PlantedBug?
  /// Where a person wants the story; nil for a name with its seed.
  private let shrunkFile: OutputFile?
  /// Of the timeline of the one story.
  private let page: OutputPlace?

  private static let story = OutputKind.document(of: "linkspan simulate --swarm")

  /// Ours: a tenth of the swarm, and no more than takes some seconds.
  private var progressEvery: UInt64 { min(250, max(10, count / 10)) }

  init(_ arguments: Arguments, _ console: Console) throws(LinkspanError) {
    try arguments.expectOperands(0...0)
    for name in ["--live", "--ca", "--format", "--har"] where arguments.has(name) {
      throw arguments.usage("'\(name)' goes with a story")
    }
    self.arguments = arguments
    self.console = console
    count = try arguments.number("--swarm", atLeast: 1) ?? 1
    seed = try arguments.number("--seed", atLeast: 0) ?? 1
    plant = try arguments.plantedBug()
    shrunkFile = try arguments.outputFile("--shrunk", Self.story)
    for name in ["--events", "--html"] where arguments.has(name) && count != 1 {
      throw arguments.usage("'\(name)' shows one story: '--swarm 1 --seed NUMBER'")
    }
    page = try arguments.output("--html", SimulateFormat.page)
    if page?.isStandardOutput == true, arguments.has("--events") || arguments.has("--json") {
      let other = arguments.has("--events") ? "--events" : "--json"
      throw arguments.usage("'--html -' and '\(other)' both write to standard output")
    }
  }

  func run() throws(LinkspanError) -> ExitStatus {
    page?.reserve(console)
    var digest = Digest()
    var events = 0
    for place in 0..<count {
      let seed = seed &+ place
      let outcome: Swarm.Outcome
      do throws(SimulationError) {
        outcome = try Swarm.run(seed: seed, plant: plant)
      } catch {
        throw LinkspanError(
          "the story of seed \(seed): \(error)", help: "Repeat it with: \(command(1, seed: seed))")
      }
      digest.update(outcome.digest.text)
      events += outcome.eventCount
      try show(outcome.result, seed: seed)
      if let failure = outcome.failure { return try report(failure, seed: seed, played: place + 1) }
      if (place + 1).isMultiple(of: progressEvery), place + 1 < count {
        console.note("swarm: \(place + 1) of \(count) stories, \(events) events, every invariant held")
      }
    }
    if arguments.has("--json") {
      console.print(
        .object([
          ("type", .string("swarm")), ("held", .bool(true)), ("seed", .seed(seed)),
          ("stories", .number(String(count))), ("events", .int(events)),
          ("invariants", .int(Invariant.all.count)), ("digest", .string(digest.text)),
        ]))
    } else {
      console.print(
        "\(count) \(count == 1 ? "story" : "stories") from seed \(seed), \(events) events: \(Invariant.all.count) invariants held after every "
          + "step, digest \(digest.text)")
    }
    return .yes
  }

  /// Shows a story as `simulate` shows one of a person.
  private func show(_ result: SimulationResult, seed: UInt64) throws(LinkspanError) {
    if arguments.has("--events") {
      if arguments.has("--json") {
        for event in result.events { console.print(event.json) }
      } else {
        console.print(result.eventLines, terminator: "\n")
      }
    }
    guard let page else { return }
    let story = TimelineStory(name: "swarm, seed \(seed)", result: result, command: command(1, seed: seed))
    try TimelinePage.write([story], to: page, console)
  }

  private func command(_ count: UInt64, seed: UInt64) -> String {
    "linkspan simulate --swarm \(count) --seed \(seed)" + plantText
  }

  private var plantText: String { plant.map { " --plant \($0.rawValue)" } ?? "" }

  /// Ours: stories of one seed beside each other.
  private static let nameLimit = 1_000

  /// Where the story of a seed goes. Without '--shrunk' nobody named the file, so one that is there and was edited, or
  /// is something else, stays, and the story gets the next name.
  private func place(of seed: UInt64) throws(LinkspanError) -> OutputFile {
    if let shrunkFile { return shrunkFile }
    for number in 1...Self.nameLimit {
      let file = OutputFile("swarm-\(seed)\(number == 1 ? "" : ".\(number)").json5", Self.story)
      if try file.objection() == nil { return file }
    }
    throw LinkspanError(
      "there are \(Self.nameLimit) stories of seed \(seed) here already.",
      help: "Name a file with '--shrunk'.")
  }

  private func report(
    _ failure: Swarm.Failure, seed: UInt64, played: UInt64
  ) throws(LinkspanError) -> ExitStatus {
    let file = try place(of: seed)
    let path = file.path
    let shrunk = failure.shrunk
    let repeated = command(1, seed: seed)
    let shown = "linkspan simulate \(ShellWord.quoted(path))\(plantText)"
    let text = shrunk.text(remarks: ["Shrunk from: \(repeated)", "Shown by: \(shown)"])
    try file.write(Array(text.utf8))
    let invariant = failure.violation.invariant
    if arguments.has("--json") {
      console.print(
        .object([
          ("type", .string("swarm")), ("held", .bool(false)), ("seed", .seed(seed)),
          ("stories", .number(String(played))), ("invariant", .string(invariant.name)),
          ("sentence", .string(invariant.sentence)), ("rules", .array(invariant.rules.map(JSON.string))),
          ("certainty", .string(invariant.certainty.rawValue)), ("step", .int(failure.violation.step + 1)),
          ("steps", .int(failure.stepCount)), ("events", .int(failure.eventCount)),
          ("detail", .string(failure.violation.detail)), ("repeat", .string(repeated)),
          (
            "shrunk",
            .object([
              ("file", .string(path)), ("steps", .int(shrunk.story.script.count)),
              ("events", .int(shrunk.eventCount)), ("tries", .int(shrunk.tries)),
              ("detail", .string(shrunk.violation.detail)), ("repeat", .string(shown)),
            ])
          ),
        ]))
    } else {
      console.print(
        """
        seed \(seed), story \(played) of \(count): the invariant '\(invariant.name)' does not hold
          \(invariant.sentence) [\(invariant.rules.joined(separator: ", ")), \(invariant.certainty.rawValue)]
          after step \(failure.violation.step + 1) of \(failure.stepCount): \(failure.violation.detail)
          repeat it with: \(repeated)
        shrunk, in \(shrunk.tries) tries: steps \(shrunk.story.script.count), events \(shrunk.eventCount), \(path)
          \(shrunk.violation.detail)
          see it with: \(shown) --events
        """)
    }
    return .no
  }
}
