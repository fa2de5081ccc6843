package import LinkspanCommand
internal import LinkspanCore
internal import LinkspanSimulator
import SimulatedDevices

extension Command {
  /// - Parameter ofService: Does what `--service` asks for. It is handed in, since nothing else here needs the service.
  package static func simulate(ofService: @escaping Action) -> Command {
    Command(
      name: "simulate", summary: "Run a story: iPhones of many releases, Apple's CDN and your sites",
      operands: "STORY…",
      discussion: """
        A story names sites, apps, devices, a network and a script with expectations (Documentation/stories.md).
        It runs on a virtual clock, in an order that the seed decides: the same seed gives the same bytes.
        STORY is a file, or a folder, of which every .json5 and .json file is run. For one story everything is printed;
        for several, one line each, with the failures below it. In continuous integration, --format junit prints a test
        report with a case for each expectation, and --format github annotates the lines of the stories. With --live the
        simulated devices and CDN fetch the files from a real server, which answers for every host under 'sites', or for
        every host if the story has no 'sites'. Exits with 1 when an expectation fails.
        Checks the invariants after every step (Documentation/swarm.md). --swarm generates stories with faults, one for
        each seed; a story that breaks an invariant is reduced as far as possible and written to a file, and the swarm
        exits with 1. '--swarm 1 --seed NUMBER' with --events or --html shows the story of that seed.
        --matrix runs no story: it prints which callbacks bring what arrives in an app, cold and warm (arrival), what can
        be seen of a private app in the switcher under each cover policy (switcher), what each push does in each state
        of an app (push), or what a link does by container, gesture, redirects and release (links, as Markdown).
        """,
      flags: [
        Flag("--seed", "NUMBER", "The seed to use instead of the story's own"),
        Flag("--live", "ADDRESS:PORT", "Ask the server at this address instead of the story's sites"),
        Flag("--ca", "FILE", "Trust the authorities in this PEM file with --live (the system's)"),
        Flag("--har", "FILE", "Write every exchange of the story, as HAR 1.2"),
        Flag(
          "--format", "FORMAT", choices: SimulateFormat.allCases.map(\.rawValue),
          "text, json, junit or github (text)"),
        Flag("--events", "Print every event, not only the outcome of the links"),
        Flag("--html", "OUT", "Write a timeline as a page that works offline; '-' is standard output"),
        Flag(
          "--swarm", "NUMBER", "Generate this many stories, from --seed (1) on, and check the invariants"),
        Flag(
          "--service",
          "With --swarm: stories of the server, its registry, sender and disk; without it: play a story that --shrunk wrote"
        ),
        Flag("--shrunk", "FILE", "Where --swarm writes a story that breaks an invariant (swarm-SEED.json5)"),
        Flag(
          "--matrix", "NAME", choices: MatrixRun.Name.allCases.map(\.rawValue),
          "Print a table instead: arrival, switcher, push or links; of the first two --html and --svg write a picture"
        ),
        Flag("--svg", "OUT", "With --matrix: write the picture; '-' is standard output"),
        .force,
        Flag(
          "--plant", "BUG",
          "For testing the swarm itself: \(PlantedBug.allCases.map(\.rawValue).joined(separator: " or "))"),
      ],
      examples: [
        "linkspan simulate Examples/story.json5",
        "linkspan simulate Examples/stories --html timeline.html",
        "linkspan simulate Examples/stories --format junit > stories.xml",
        "linkspan simulate Examples/story.json5 --live 127.0.0.1:8443 --ca certificate.pem --seed 7",
        "linkspan simulate --swarm 1000",
        "linkspan simulate --matrix push",
        "linkspan simulate --matrix switcher --svg switcher.svg",
      ],
      commonFlags: [
        "--seed", "--format", "--events", "--html", "--swarm", "--service", "--matrix", "--json", "--help",
      ]
    ) { arguments, console throws(LinkspanError) in
      if arguments.has("--matrix") { return try MatrixRun(arguments, console).run() }
      if arguments.has("--svg") { throw arguments.usage("'--svg' goes with '--matrix'") }
      if arguments.has("--service") { return try ofService(arguments, console) }
      if arguments.value("--swarm") != nil { return try SwarmRun(arguments, console).run() }
      var run = try SimulateRun(arguments, console)
      return try run.run()
    }
  }
}

extension Arguments {
  /// The mistake to plant; the service has others, so the flag itself takes any word.
  func plantedBug() throws(LinkspanError) -> PlantedBug? {
    guard let name = value("--plant") else { return nil }
    if let bug = PlantedBug(rawValue: name) { return bug }
    let refusal = Flag.refusal(of: name, among: PlantedBug.allCases.map(\.rawValue)) ?? ""
    throw usage("'--plant': \(refusal)")
  }
}
