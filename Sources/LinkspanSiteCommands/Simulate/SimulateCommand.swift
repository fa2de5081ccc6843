package import LinkspanCommand
internal import LinkspanSimulator

extension Command {
  package static let simulate = Command(
    name: "simulate", summary: "What would iPhones of many releases, and Apple's CDN, make of it?",
    operands: "STORY…",
    discussion: """
      A story names sites, apps, devices, a network and a script with expectations (Documentation/stories.md).
      It is played on a clock of its own, in an order that the seed decides: the same seed gives the same bytes.
      STORY is a file, or a folder whose .json5 and .json files are all played. One story is told in full; of
      several, each has a line, and what failed stands beneath it. For continuous integration --format junit prints
      a test report with a case for each expectation, and --format github annotates the lines of the stories. With --live the stand-in devices and the
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
      Flag(
        "--format", "FORMAT", choices: SimulateFormat.allCases.map(\.rawValue),
        "text, json, junit or github (text)"),
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
      "linkspan simulate Examples/stories --format junit > stories.xml",
      "linkspan simulate Examples/story.json5 --live 127.0.0.1:8443 --ca certificate.pem --seed 7",
      "linkspan simulate --swarm 1000",
    ]
  ) { arguments, console throws(CommandError) in
    if arguments.value("--swarm") != nil { return try SwarmRun(arguments, console).run() }
    var run = try SimulateRun(arguments, console)
    return try run.run()
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
