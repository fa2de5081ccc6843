package import LinkspanCommand
internal import LinkspanCore
internal import LinkspanFiles
internal import LinkspanForecast

extension Command {
  package static let forecast = Command(
    name: "forecast", summary: "Estimate peak load after an update",
    operands: "FLEET | --fit LOG…",
    discussion: """
      FLEET is a JSON5 file that 'linkspan init --fleet' writes, with a comment for each number: devices, versions,
      time zones, the update, the site's own traffic, the server (Documentation/stampede.md). Prints the peak, its time
      and range, the capacity that it needs, the peak with each remedy, and the assumptions. The same seed gives the
      same bytes.

      --fit analyses access logs instead (combined format or JSON lines, also gzipped; '-' is standard input): normal
      traffic by hour and weekday, its growth, past stampedes, gaps, clock changes, and days that do not fit. --fleet-out
      writes the results as a FLEET to forecast. To count logs on several machines, run --partial on each and --merge
      the counts. Ctrl-C stops reading and fits what was read so far; a second Ctrl-C ends at once.
      """,
    flags: [
      Flag("--fit", "Analyse the access logs LOG… instead of forecasting"),
      Flag("--partial", "With --fit: print counts for --merge"),
      Flag("--merge", "With --fit: LOG… are files that --partial wrote"),
      Flag("--fleet-out", "OUT", "With --fit: write a fleet with the logs' results; '-' is standard output"),
      Flag("--seed", "NUMBER", "The random seed (1)"),
      Flag("--agents", "Also simulate each device, up to a million, and compare the two peaks"),
      Flag(
        "--csv", "OUT",
        "Write the expected curve as CSV, one line per second; '-' is standard output, also below"),
      Flag("--svg", "OUT", "Write a picture of the days"),
      Flag("--html", "OUT", "Write a page with curve, remedies and assumptions"),
      .force,
    ],
    examples: [
      "linkspan forecast Examples/fleets/midnight-2014.json5",
      "linkspan forecast fleet.json5 --html forecast.html --json",
      "linkspan forecast --fit access.log.1.gz access.log --fleet-out fleet.json5",
    ],
    commonFlags: ["--fit", "--seed", "--csv", "--svg", "--html", "--json", "--help"]
  ) { arguments, console throws(LinkspanError) in
    if arguments.has("--fit") { return try FitRun(arguments, console).run() }
    for name in ["--partial", "--merge", "--fleet-out"] where arguments.has(name) {
      throw arguments.usage("'\(name)' goes with '--fit'")
    }
    try arguments.expectOperands(1...1)
    let outputs = try arguments.outputs([
      ("--csv", .beginning(Forecast.csvHeader, "a curve of 'linkspan forecast'")),
      ("--svg", .vector(of: "linkspan forecast")), ("--html", .page(of: "linkspan forecast")),
    ])
    let path = arguments.operands[0]
    let fleet = try FleetInput.read(path)
    let seed: UInt64 = try arguments.number("--seed", atLeast: 0) ?? 1
    let forecast = Forecast(fleet, seed: seed) { done, all in
      if done.isMultiple(of: 5), done < all { console.progress("forecast: \(done) of \(all) scenarios") }
    }
    let page = ForecastPage(forecast, name: path)
    try outputs["--csv"]?.write(csv(of: forecast), console)
    try outputs["--svg"]?.write(Array(page.svg.utf8), console)
    try outputs["--html"]?.write(Array(page.html.utf8), console)
    let agents = try agents(of: forecast, arguments)
    if arguments.has("--json") {
      console.print(forecast.json(with: agents))
    } else {
      console.print(ForecastText(forecast, agents: agents, style: console.style).text, terminator: "")
    }
    return .yes
  }

  private static func agents(
    of forecast: Forecast, _ arguments: Arguments
  ) throws(LinkspanError) -> Forecast.Agents? {
    guard arguments.has("--agents") else { return nil }
    guard forecast.fleet.directDevices <= 1_000_000 else {
      throw LinkspanError(
        "\(forecast.fleet.directDevices) devices ask the host; --agents simulates at most 1000000.",
        help: "Leave '--agents' out, or lower 'devices'.")
    }
    guard forecast.fleet.server.capacity == nil, forecast.fleet.growthPerDay == 0 else {
      throw LinkspanError(
        "'--agents' supports neither a server's limit nor new installations.",
        help: "Write server.connection_ms: null and growth_per_day: 0 for this comparison.")
    }
    return forecast.compareWithAgents()
  }

  private static func csv(of forecast: Forecast) -> [UInt8] {
    var bytes: [UInt8] = []
    forecast.writeCSV { bytes += $0.utf8 }
    return bytes
  }
}

/// The fleet file that a person named.
enum FleetInput {
  static func read(_ path: String) throws(LinkspanError) -> Fleet {
    try fleet(in: FileReader.read(path), path)
  }

  static func fleet(in source: SourceText, _ path: String) throws(LinkspanError) -> Fleet {
    let file = FleetFile(source)
    guard file.findings.isEmpty else {
      if JSONParser.parse(source.bytes).root?["type"]?.string == "forecast" {
        throw LinkspanError(
          "'\(path)' is the answer of 'linkspan forecast --json'; expected a fleet file.",
          help: "Name the fleet itself. 'linkspan rehearse' takes the curve of 'forecast --csv', too.")
      }
      throw LinkspanError(
        "'\(path)' is not a fleet file:", findings: file.findings,
        help: "'linkspan init --fleet' writes one with a comment for each key.")
    }
    return file.fleet
  }
}
