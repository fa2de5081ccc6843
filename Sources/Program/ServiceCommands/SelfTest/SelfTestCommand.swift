package import LinkspanCommand
internal import LinkspanCore
internal import LinkspanDaemon

extension Command {
  package static let selfTest = Command(
    name: "self-test", summary: "Check this installation, and say what is missing", operands: "",
    discussion: """
      Checks what the commands need of this machine: the certificate authorities, the time zones, the stores, TLS, keys and
      signatures, a port on loopback, room for files, the documents, the manual and the completions. Each line says what was
      found, and what to install or to change. Asks no host and leaves nothing behind.

      --server checks a running 'linkspan serve' instead, by its --admin listener, such as 'http://127.0.0.1:9464'. The
      container image uses it as its health check.
      """,
    flags: [Flag.address("--server", "URL", "Ask a running server for /healthz and /readyz")],
    examples: ["linkspan self-test", "linkspan self-test --server http://127.0.0.1:9464"],
    exitStatus: "0 nothing needed is missing, 1 something is, 2 could not answer"
  ) { arguments, console throws(LinkspanError) in
    try arguments.expectOperands(0...0)
    let checks: [InstallationCheck]
    if let server = arguments.address("--server") {
      checks = try InstallationCheck.server(at: server)
    } else {
      checks = InstallationCheck.all(program: Program.version)
    }
    if arguments.has("--json") {
      console.print(
        .object([
          ("type", .string("self-test")), ("version", .string(Program.version)),
          ("checks", .array(checks.map(\.json))),
          (
            "summary",
            .object(
              InstallationCheck.State.allCases.map { state in
                (state.rawValue, .int(checks.count { $0.state == state }))
              })
          ),
        ]))
    } else {
      let width = checks.map(\.name.count).max() ?? 0
      for check in checks {
        let mark =
          switch check.state {
          case .ok: console.style.paint("ok     ", .green)
          case .optional: console.style.paint("without", .yellow)
          case .missing: console.style.paint("missing", .red)
          }
        console.print("\(mark)  \(check.name.padded(to: width))  \(check.message)")
        if let help = check.help { console.print("         \("".padded(to: width))  \(help)") }
      }
      let missing = checks.count { $0.state == .missing }
      console.print(
        missing == 0
          ? "Nothing that is needed is missing."
          : "\(missing) of \(checks.count) \(missing == 1 ? "is" : "are") missing.")
    }
    return checks.contains { $0.state == .missing } ? .no : .yes
  }
}
