internal import Dispatch
package import LinkspanCommand
package import LinkspanCore
internal import LinkspanCrypto
internal import LinkspanFiles
internal import ServiceSwarm
internal import SimulatedDevices

/// `linkspan simulate --service`: made-up stories of the server with its registry, its sender, clients, APNs and a disk that
/// fails, until one breaks a promise; or one story from a file.
package struct ServiceSwarmRun {
  private let arguments: Arguments
  private let console: Console
  private let count: UInt64
  private let seed: UInt64
  private let shrunkFile: OutputFile?
  private let page: OutputPlace?
  private let key: P256PrivateKey
  /// One of ``PlantedBugs``.
  private let bug: String?
  /// A story to play instead.
  private let file: String?

  private static let story = OutputKind.document(of: "linkspan simulate --service")
  private static let html = OutputKind.page(of: "linkspan simulate")
  /// Stories between which processors wait for each other, and after which progress is told. Ours: the wait is the length of one
  /// story.
  private static let blockLength: UInt64 = 64

  package init(_ arguments: Arguments, _ console: Console) throws(LinkspanError) {
    self.arguments = arguments
    self.console = console
    for name in ["--live", "--ca", "--format", "--har"] where arguments.has(name) {
      throw arguments.usage("'\(name)' does not go with '--service'")
    }
    bug = try Self.bug(arguments)
    let hasStory = arguments.value("--swarm") == nil && bug != Self.list
    try arguments.expectOperands(hasStory ? 1...1 : 0...0)
    file = arguments.operands.first
    count = try arguments.number("--swarm", atLeast: 1) ?? 1
    seed = try arguments.number("--seed", atLeast: 0) ?? 1
    shrunkFile = try arguments.outputFile("--shrunk", Self.story)
    page = try arguments.output("--html", Self.html)
    for name in ["--events", "--html"] where arguments.has(name) && count != 1 {
      throw arguments.usage("'\(name)' shows one story: '--swarm 1 --seed NUMBER'")
    }
    if page?.isStandardOutput == true, arguments.has("--events") {
      throw arguments.usage("'--html -' and '--events' both write to standard output")
    }
    do throws(IdentityError) {
      key = try P256PrivateKey.generate()
    } catch {
      throw LinkspanError("no key can be made for the sender: \(error.message).")
    }
  }

  /// The word in place of a bug that asks for their names.
  private static let list = "list"

  /// The bug to plant.
  private static func bug(_ arguments: Arguments) throws(LinkspanError) -> String? {
    guard let name = arguments.value("--plant") else { return nil }
    let names = PlantedBugs.names
    guard !names.isEmpty else {
      throw arguments.usage(
        "'--plant': this build has no planted bugs of the service; a debug build has them")
    }
    if let refusal = Flag.refusal(of: name, among: names + [list]) {
      throw arguments.usage("'--plant' with '--service': \(refusal)")
    }
    return name
  }

  package func run() throws(LinkspanError) -> ExitStatus {
    if bug == Self.list {
      for name in PlantedBugs.names { console.print(name) }
      return .yes
    }
    page?.reserve(console)
    if let file { return try play(file) }
    var tally = Tally()
    while tally.stories < count {
      for play in plays(from: seed &+ tally.stories, count: min(Self.blockLength, count - tally.stories)) {
        tally.add(play)
        try show(play, command(1, seed: play.seed))
        if let violation = play.violation { return try report(play, violation, played: tally.stories) }
      }
      if tally.stories < count {
        console.note(
          "service swarm: \(tally.stories) of \(count) stories, \(tally.events) events, every promise held")
      }
    }
    tell(tally)
    return .yes
  }

  /// What came of all stories.
  private struct Tally {
    var stories: UInt64 = 0
    var digest = Digest()
    var counts: [Int] = []
    var reached: Set<String> = []

    var events: Int { counts.reduce(0, +) }
    var median: Int { counts.isEmpty ? 0 : counts.sorted()[counts.count / 2] }
    var never: [String] { Reached.all.filter { !reached.contains($0) } }

    mutating func add(_ play: ServicePlay) {
      stories += 1
      digest.update(play.digest.text)
      counts.append(play.events.count)
      reached.formUnion(play.reached)
    }
  }

  private func tell(_ tally: Tally) {
    if arguments.has("--json") {
      console.print(
        summary(
          seed: seed, digest: tally.digest, stories: tally.stories, events: tally.events, violation: nil,
          [
            ("median_events", .int(tally.median)),
            ("reached", .int(Reached.all.count - tally.never.count)),
            ("never_reached", .array(tally.never.map(JSON.string))),
          ]))
    } else {
      console.print(
        "\(count == 1 ? "1 story" : "\(count) stories") of the service from seed \(seed), \(tally.events) events: \(ServiceInvariant.allCases.count) promises"
          + " held, digest \(tally.digest.text)")
      if count > 1, !tally.never.isEmpty {
        console.print("never reached: \(tally.never.joined(separator: ", "))")
      }
    }
  }

  /// Those of consecutive seeds, in their order, played on all processors.
  private func plays(from first: UInt64, count: UInt64) -> [ServicePlay] {
    let found = LockedState<[Int: ServicePlay]>([:])
    let (key, bug) = (key, bug)
    DispatchQueue.concurrentPerform(iterations: Int(count)) { place in
      let play = ServiceSwarm.play(seed: first &+ UInt64(place), key, bug: bug)
      found.withLock { $0[place] = play }
    }
    return found.withLock { found in (0..<Int(count)).compactMap { found[$0] } }
  }

  private func play(_ file: String) throws(LinkspanError) -> ExitStatus {
    let document = JSONParser.parse(try FileReader.bytes(file), dialect: .json5)
    if let error = document.errors.first { throw LinkspanError("'\(file)' is not JSON5: \(error.message).") }
    let play = ServicePlay(try ServiceStory(document.root), key, bug: bug)
    try show(play, "linkspan simulate --service \(ShellWord.quoted(file))" + plantText)
    if arguments.has("--json") {
      console.print(
        summary(
          seed: play.seed, digest: play.digest, stories: 1, events: play.events.count,
          violation: play.violation))
    } else if let violation = play.violation {
      console.print(
        "\(file): the promise '\(violation.invariant.rawValue)' is broken\n  \(violation.invariant.sentence)\n"
          + "  after step \(violation.step + 1): \(violation.detail)")
    } else {
      console.print("\(file): every promise held, \(play.events.count) events, digest \(play.digest.text)")
    }
    return play.violation == nil ? .yes : .no
  }

  private func summary(
    seed: UInt64, digest: Digest, stories: UInt64, events: Int, violation: ServiceViolation?,
    _ more: [(String, JSON)] = []
  ) -> JSON {
    var members: [(String, JSON)] = [
      ("type", .string("summary")), ("held", .bool(violation == nil)), ("seed", .seed(seed)),
      ("stories", .number(String(stories))), ("events", .int(events)), ("digest", .string(digest.text)),
      ("invariants", .array(ServiceInvariant.allCases.map { .string($0.rawValue) })),
    ]
    if let violation {
      members += [
        ("invariant", .string(violation.invariant.rawValue)),
        ("sentence", .string(violation.invariant.sentence)),
        ("step", .int(violation.step + 1)), ("detail", .string(violation.detail)),
      ]
    }
    return .object(members + more)
  }

  private func show(_ play: ServicePlay, _ command: String) throws(LinkspanError) {
    if arguments.has("--events") {
      for event in play.events {
        if arguments.has("--json") {
          console.print(event.json)
        } else {
          console.print(event.line.onOneLine)
        }
      }
    }
    try page?.write(Array(ServicePage.html(play, command: command).utf8), console)
  }

  private func command(_ count: UInt64, seed: UInt64) -> String {
    "linkspan simulate --swarm \(count) --service --seed \(seed)" + plantText
  }

  private var plantText: String { bug.map { " --plant \($0)" } ?? "" }

  private func report(
    _ play: ServicePlay, _ violation: ServiceViolation, played: UInt64
  ) throws(LinkspanError) -> ExitStatus {
    let shrunk = ServiceSwarm.shrunk(play, violation, key, bug: bug)
    let smaller = shrunk.play.violation ?? violation
    let seed = play.seed
    let file: OutputFile
    if let shrunkFile {
      file = shrunkFile
    } else {
      file = try arguments.output(at: "service-\(seed).json5", Self.story)
    }
    let shown = "linkspan simulate --service \(ShellWord.quoted(file.path))" + plantText
    let remarks = [
      "Breaks the promise '\(violation.invariant.rawValue)': \(smaller.detail.onOneLine)",
      "Shrunk from: \(command(1, seed: seed))", "Shown by: \(shown) --events",
    ]
    try file.write(Array(shrunk.play.story.text(remarks: remarks).utf8))
    if arguments.has("--json") {
      console.print(
        summary(
          seed: seed, digest: play.digest, stories: played, events: play.events.count,
          violation: violation,
          [
            ("repeat", .string(command(1, seed: seed))),
            (
              "shrunk",
              .object([
                ("file", .string(file.path)), ("steps", .int(shrunk.play.story.stepCount)),
                ("events", .int(shrunk.play.events.count)), ("tries", .int(shrunk.tries)),
                ("detail", .string(smaller.detail)), ("repeat", .string(shown)),
              ])
            ),
          ]))
    } else {
      console.print(
        """
        seed \(seed), story \(played) of \(count): the promise '\(violation.invariant.rawValue)' is broken
          \(violation.invariant.sentence)
          after step \(violation.step + 1) of \(play.story.stepCount): \(violation.detail)
          repeat it with: \(command(1, seed: seed))
        shrunk, in \(shrunk.tries) tries: steps \(shrunk.play.story.stepCount), events \(shrunk.play.events.count), \(file.path)
          \(smaller.detail)
          see it with: \(shown) --events
        """)
    }
    return .no
  }
}
