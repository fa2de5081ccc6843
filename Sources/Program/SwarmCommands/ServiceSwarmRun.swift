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
  /// A story to play instead.
  private let file: String?

  private static let story = OutputKind.document(of: "linkspan simulate --service")
  private static let html = OutputKind.page(of: "linkspan simulate")
  /// Stories that are played at once, and after which progress is told. Ours.
  private static let blockLength: UInt64 = 64

  package init(_ arguments: Arguments, _ console: Console) throws(LinkspanError) {
    self.arguments = arguments
    self.console = console
    for name in ["--live", "--ca", "--format", "--har"] where arguments.has(name) {
      throw arguments.usage("'\(name)' does not go with '--service'")
    }
    try arguments.expectOperands(arguments.value("--swarm") == nil ? 1...1 : 0...0)
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

  package func run() throws(LinkspanError) -> ExitStatus {
    page?.reserve(console)
    if let file { return try play(file) }
    var digest = Digest()
    var (events, played) = (0, UInt64(0))
    while played < count {
      let block = min(Self.blockLength, count - played)
      for outcome in outcomes(from: seed &+ played, count: block) {
        played += 1
        digest.update(outcome.play.digest.text)
        events += outcome.play.events.count
        try show(outcome.play, command(1, seed: outcome.play.seed))
        if outcome.play.violation != nil { return try report(outcome, played: played) }
      }
      if played < count {
        console.note("service swarm: \(played) of \(count) stories, \(events) events, every promise held")
      }
    }
    if arguments.has("--json") {
      console.print(summary(seed: seed, digest: digest, stories: played, events: events, violation: nil))
    } else {
      console.print(
        "\(count) stories of the service from seed \(seed), \(events) events: \(ServiceInvariant.allCases.count) promises"
          + " held, digest \(digest.text)")
    }
    return .yes
  }

  /// Those of consecutive seeds, in their order, played on all processors.
  private func outcomes(from first: UInt64, count: UInt64) -> [ServiceSwarm.Outcome] {
    let found = LockedState<[Int: ServiceSwarm.Outcome]>([:])
    let key = key
    DispatchQueue.concurrentPerform(iterations: Int(count)) { place in
      let outcome = ServiceSwarm.run(seed: first &+ UInt64(place), key)
      found.withLock { $0[place] = outcome }
    }
    return found.withLock { found in (0..<Int(count)).compactMap { found[$0] } }
  }

  private func play(_ file: String) throws(LinkspanError) -> ExitStatus {
    let document = JSONParser.parse(try FileReader.bytes(file), dialect: .json5)
    if let error = document.errors.first { throw LinkspanError("'\(file)' is not JSON5: \(error.message).") }
    let play = ServicePlay(try ServiceStory(document.root), key)
    try show(play, "linkspan simulate --service \(file)")
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
      ("type", .string("summary")), ("held", .bool(violation == nil)), ("seed", .string(String(seed))),
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
    "linkspan simulate --swarm \(count) --service --seed \(seed)"
  }

  private func report(_ outcome: ServiceSwarm.Outcome, played: UInt64) throws(LinkspanError) -> ExitStatus {
    guard let violation = outcome.play.violation, let shrunk = outcome.shrunk,
      let smaller = shrunk.violation
    else { return .yes }
    let seed = outcome.play.seed
    let file: OutputFile
    if let shrunkFile {
      file = shrunkFile
    } else {
      file = try arguments.output(at: "service-\(seed).json5", Self.story)
    }
    let shown = "linkspan simulate --service \(file.path)"
    let remarks = [
      "Breaks the promise '\(violation.invariant.rawValue)': \(smaller.detail.onOneLine)",
      "Shrunk from: \(command(1, seed: seed))", "Shown by: \(shown) --events",
    ]
    try file.write(Array(shrunk.story.text(remarks: remarks).utf8))
    if arguments.has("--json") {
      console.print(
        summary(
          seed: seed, digest: outcome.play.digest, stories: played, events: outcome.play.events.count,
          violation: violation,
          [
            ("repeat", .string(command(1, seed: seed))),
            (
              "shrunk",
              .object([
                ("file", .string(file.path)), ("steps", .int(shrunk.story.stepCount)),
                ("events", .int(shrunk.events.count)), ("tries", .int(outcome.tries)),
                ("detail", .string(smaller.detail)), ("repeat", .string(shown)),
              ])
            ),
          ]))
    } else {
      console.print(
        """
        seed \(seed), story \(played) of \(count): the promise '\(violation.invariant.rawValue)' is broken
          \(violation.invariant.sentence)
          after step \(violation.step + 1) of \(outcome.play.story.stepCount): \(violation.detail)
          repeat it with: \(command(1, seed: seed))
        shrunk, in \(outcome.tries) tries: steps \(shrunk.story.stepCount), events \(shrunk.events.count), \(file.path)
          \(smaller.detail)
          see it with: \(shown) --events
        """)
    }
    return .no
  }
}
