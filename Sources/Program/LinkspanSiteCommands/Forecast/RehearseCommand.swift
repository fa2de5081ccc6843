internal import HTTPEngine
package import LinkspanCommand
internal import LinkspanCore
internal import LinkspanForecast
internal import LoadGenerator

extension Command {
  package static let rehearse = Command(
    name: "rehearse", summary: "Load-test a server with forecast traffic",
    operands: "[FORECAST]",
    discussion: """
      FORECAST is a fleet file, or the curve that 'linkspan forecast --csv' wrote. Sends the seconds around its peak to
      --target: one new TLS connection with one request per device, on schedule even when the server is slow; response
      times count from the scheduled start. --scale reduces the load. Devices that fail try once more, after
      --retry-after seconds instead of three hours.
      The target must be on this machine: an address such as 127.0.0.1 or [::1], or a name for it. For another machine,
      which must be yours, add --elsewhere and --i-run-this-server ADDRESS. Ctrl-C stops the load and reports it, with
      the report's usual exit status; a second Ctrl-C ends at once.
      --calibrate measures what a new TLS connection costs 'linkspan serve' here, for 'server.connection_ms'.
      Exits with 1 when more than 1 % of the devices failed in any second.
      """,
    flags: [
      Flag.address("--target", "URL", "The server, such as https://127.0.0.1:8443"),
      Flag("--scale", "NUMBER", "Multiplies each second's connections (1)"),
      Flag(
        "--before", "SECONDS",
        "Start this long before the peak (5; with fewer --seconds than 11 half of them)"),
      Flag("--seconds", "SECONDS", "How long to send load, 600 at most (20)"),
      Flag(
        "--retry-after", "SECONDS", "When a device that failed tries again, 600 at most; 0 for never (10)"),
      Flag("--patience", "SECONDS", "How long a device waits for the response, 600 at most (5)"),
      Flag("--host", "HOST", "The host to ask for (the target's; for an address, its certificate's first)"),
      Flag("--path", "PATH", "The file to ask for (/.well-known/apple-app-site-association)"),
      Flag("--seed", "NUMBER", "The seed of the forecast (1)"),
      Flag("--calibrate", "Only measure what a connection costs"),
      Flag("--elsewhere", "Allow a target on another machine"),
      Flag("--i-run-this-server", "ADDRESS", "That machine's address, to confirm that it is yours"),
    ],
    examples: [
      "linkspan rehearse Examples/fleets/midnight-2014.json5 --target https://127.0.0.1:8443 --scale 0.1",
      "linkspan rehearse --calibrate",
    ],
    commonFlags: [
      "--target", "--scale", "--seconds", "--host", "--path", "--i-run-this-server", "--json", "--help",
    ]
  ) { arguments, console throws(LinkspanError) in
    if arguments.has("--calibrate") {
      try arguments.expectOperands(0...0)
      return try Calibration.run(arguments, console)
    }
    guard !arguments.operands.isEmpty else {
      throw arguments.usage(
        "FORECAST is missing, such as Examples/fleets/midnight-2014.json5; only '--calibrate' needs none"
      )
    }
    try arguments.expectOperands(1...1)
    return try RehearseRun(arguments, console).run()
  }
}

/// `linkspan rehearse`, with its arguments read.
struct RehearseRun {
  private let arguments: Arguments
  private let console: Console
  private let target: LoadTarget
  private let plan: Rehearsal.Plan

  /// Ours: what one machine can send, and somebody can wait for.
  private static let mostConnections = 1_000_000
  private static let mostSeconds = 600

  init(_ arguments: Arguments, _ console: Console) throws(LinkspanError) {
    self.arguments = arguments
    self.console = console
    let target = try Self.target(arguments)
    plan = try Self.plan(arguments)
    self.target = try Self.probed(target, arguments)
  }

  private static func server(_ arguments: Arguments) throws(LinkspanError) -> ServiceAddress.Server {
    guard let address = arguments.address("--target") else {
      throw arguments.usage("'--target' is missing, such as --target https://127.0.0.1:8443")
    }
    return try LinkspanError.server(address, of: "--target", example: "https://127.0.0.1:8443")
  }

  private static func target(_ arguments: Arguments) throws(LinkspanError) -> LoadTarget {
    let server = try server(arguments)
    var target = LoadTarget()
    target.tls = server.scheme == "https"
    target.offersMoreTLS = target.tls
    guard let authority = HTTPAuthority(server.authority) else {
      throw arguments.usage("'--target' is not of the form https://ADDRESS:PORT")
    }
    let name = String(authority.host.filter { $0 != "[" && $0 != "]" })
    let addresses = LoadAddress.resolve(name)
    guard let address = addresses.first(where: { !$0.isIPv6 }) ?? addresses.first else {
      throw arguments.usage("'\(name)' has no address; give one, and the host that it serves with --host")
    }
    target.port = authority.port ?? (target.tls ? 443 : 80)
    target.host = IDNA.named(arguments.value("--host") ?? name)
    target.path = arguments.value("--path") ?? target.path
    for (flag, value) in [("--host", target.host), ("--path", target.path)]
    where value.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) {
      throw arguments.usage("'\(flag)': '\(value)' contains a blank or a control character")
    }
    guard target.path.hasPrefix("/") else {
      throw arguments.usage("'--path': expected a path that begins with '/', got '\(target.path)'")
    }
    target.address = address
    // A name that means another machine as well is another machine.
    if !addresses.allSatisfy(\.isLoopback) {
      let confirmed = arguments.value("--i-run-this-server").map { ASCII.lowercased($0) }
      guard arguments.has("--elsewhere"), confirmed == name else {
        throw LinkspanError(
          "\(name) is another machine. A rehearsal floods a server; run it only against your own.",
          help: "If it is yours, add: --elsewhere --i-run-this-server \(name)")
      }
    }
    return target
  }

  /// The target with the host that it serves: `--host`, or for an address the first name of its certificate, as a
  /// device asks for a host and never for an address.
  ///
  /// - Throws: That the server does not have the file: a load would only count refusals.
  private static func probed(_ target: LoadTarget, _ arguments: Arguments) throws(LinkspanError) -> LoadTarget
  {
    var target = target
    let isAddress =
      target.host == "localhost" || target.host.contains(":")
      || target.host.utf8.allSatisfy {
        $0 == 0x2E || (0x30...0x39).contains($0)
      }
    let takesName = isAddress && !arguments.has("--host")
    let probe: TargetProbe
    do throws(LoadError) {
      probe = try TargetProbe(target, usesCertificateHost: takesName)
    } catch {
      throw LinkspanError("the server does not respond: \(error.reason).")
    }
    if probe.speaksTheOther {
      let (named, spoken) = target.tls ? ("https", "http") : ("http", "https")
      let authority = try server(arguments).authority
      throw LinkspanError(
        "port \(target.port) \(target.tls ? "uses clear text, not TLS" : "uses TLS"), but '--target' says"
          + " \(named)://.", help: "Write --target \(spoken)://\(authority)")
    }
    if takesName, let host = probe.certificateHost { target.host = host }
    target.usesLeanTLS = probe.takesLeanTLS
    if let status = probe.status, (300..<500).contains(status), status != 429 {
      throw LinkspanError(
        "the server answers \(status) for '\(target.path)' of the host '\(target.host)', not the file.",
        help: "Name a host that it serves with --host, or another file with --path.")
    }
    return target
  }

  private static func plan(_ arguments: Arguments) throws(LinkspanError) -> Rehearsal.Plan {
    let path = arguments.operands[0]
    let curve = try RehearsedCurve.read(path, seed: arguments.number("--seed", atLeast: 0) ?? 1)
    let seconds = try arguments.number("--seconds", in: 1...mostSeconds) ?? 20
    // A short rehearsal has the peak in its middle.
    let before = try arguments.number("--before", atLeast: 0) ?? min(5, (seconds - 1) / 2)
    guard before < seconds else {
      throw arguments.usage("'--before \(before)' and '--seconds \(seconds)' end the load before the peak")
    }
    let scale = try arguments.decimal("--scale", in: 0...Double(mostConnections)) ?? 1
    guard scale > 0 else { throw arguments.usage("'--scale' is 0; no load would be sent") }
    var plan = Rehearsal.Plan(connections: curve.connections(before: before, seconds: seconds, scale: scale))
    plan.patienceSeconds = try arguments.decimal("--patience", in: 0...Double(mostSeconds)) ?? 5
    guard plan.patienceSeconds > 0 else { throw arguments.usage("'--patience' is 0") }
    let retry = try arguments.decimal("--retry-after", in: 0...Double(mostSeconds)) ?? 10
    plan.retrySeconds = retry > 0 ? retry : nil
    guard plan.offered <= mostConnections else {
      throw LinkspanError(
        "\(plan.offered) connections exceed the \(mostConnections) that one machine can send.",
        help: "Lower --scale or --seconds.")
    }
    guard plan.offered > 0 else {
      throw LinkspanError(
        "no connection is due in \(seconds.counted("second")).",
        help: "Raise --scale, or lengthen --seconds.")
    }
    return plan
  }

  func run() throws(LinkspanError) -> ExitStatus {
    Interruption.watch()
    defer { Interruption.leave() }
    let report: Rehearsal.Report
    do throws(LoadError) {
      var rehearsal = try Rehearsal(plan, at: target)
      report = try rehearsal.run(until: { Interruption.isAskedFor }) { second, report in
        let held = report.held
        let failed = report.failures.values.reduce(0, +)
        console.progress("second \(second): \(report.offered) sent, \(held) answered, \(failed) failed")
      }
    } catch {
      throw LinkspanError(
        "the load cannot be sent: \(error.reason).",
        help: "Lower --scale, or raise the limit of open files (ulimit -n).")
    }
    let text = RehearsalReport(report, plan: plan)
    if arguments.has("--json") {
      console.print(text.json)
    } else {
      console.print(text.text(console.style), terminator: "")
    }
    return report.brokeAt == nil ? .yes : .no
  }
}
