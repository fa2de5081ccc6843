internal import Glibc
package import LinkspanCommand
internal import LinkspanConsole
internal import LinkspanCore
internal import LinkspanCrypto
internal import LinkspanDaemon
internal import LinkspanFiles
internal import ServiceConfiguration

extension Command {
  package static let console = Command(
    name: "console", summary: "Manage the users of the console of 'linkspan serve'", operands: "COMMAND",
    discussion: """
      The console is pages for the people who run a server: sites, links, devices, pushes, deliveries, forecasts, health
      (Documentation/console.md). 'linkspan serve … --state FOLDER --console 127.0.0.1:9465' serves it.
      """,
    flags: [],
    examples: ["linkspan console user add ada --state state < password.txt"],
    subcommands: [.consoleUser]
  ) { arguments, _ throws(LinkspanError) in
    throw arguments.usage("COMMAND is missing")
  }

  private static let consoleUser = Command(
    name: "console user", summary: "Add, list and remove users", operands: "COMMAND",
    discussion: """
      'console user add NAME' reads the password from standard input, 'console user list' lists the users and
      'console user remove NAME' removes one and ends that user's sessions. Works on the state itself, while 'linkspan serve' uses it
      or before.
      """,
    flags: stateFlags,
    examples: ["linkspan console user list --state state"],
    subcommands: [.consoleUserAdd, .consoleUserList, .consoleUserRemove],
    operandChoices: { ["add", "list", "remove"] }
  ) { arguments, _ throws(LinkspanError) in
    throw arguments.usage("COMMAND is missing")
  }

  private static let stateFlags = [
    Flag("--state", "FOLDER", "The folder of 'serve --state'"),
    Flag("--config", "FILE", "The configuration file of 'serve', which names the state"),
  ]

  private static let consoleUserAdd = Command(
    name: "console user add", summary: "Add a user, or give one a new password", operands: "NAME",
    discussion: """
      Reads the password from standard input: its first line, or without echo where that is a terminal. It has at least
      \(ConsoleUser.passwordLeast) characters. The state keeps a hash of it only (scrypt), in a file that only its owner
      may read.
      """,
    flags: stateFlags,
    examples: ["linkspan console user add ada --state state < password.txt"]
  ) { arguments, console throws(LinkspanError) in
    if arguments.operands.count > 1 {
      throw arguments.usage(
        "expected one NAME; the password is read from standard input and is not an argument")
    }
    try arguments.expectOperands(1...1)
    let name = arguments.operands[0]
    if let fault = ConsoleUser.fault(ofName: name) { throw arguments.usage("'\(name)': \(fault)") }
    let file = try arguments.consoleUsers()
    let password = try password(of: name)
    let isNew = try file.add(name, password: password)
    if arguments.has("--json") {
      console.print(
        .object([("type", .string("console-user")), ("name", .string(name)), ("new", .bool(isNew))]))
    } else {
      console.print(isNew ? "\(name) may log in now" : "\(name) has a new password")
    }
    return .yes
  }

  private static func password(of name: String) throws(LinkspanError) -> [UInt8] {
    if isatty(0) == 1 {
      let typed = try PassphraseReader.ask(for: "the console's user \(name)")
      return typed.bytes
    }
    let bytes = try FileReader.bytes("-")
    var line = Array(bytes.prefix { $0 != 0x0A })
    if line.last == 0x0D { line.removeLast() }
    return line
  }

  private static let consoleUserList = Command(
    name: "console user list", summary: "List the users", operands: "", discussion: "", flags: stateFlags,
    examples: ["linkspan console user list --state state"]
  ) { arguments, console throws(LinkspanError) in
    try arguments.expectOperands(0...0)
    let file = try arguments.consoleUsers(mustExist: true)
    for user in try file.users() {
      if arguments.has("--json") {
        console.print(
          .object([
            ("type", .string("console-user")), ("name", .string(user.name)),
            ("password_set_at", .string(user.createdAt.description)),
          ]))
      } else {
        console.print("\(user.name)  password set at \(user.createdAt)")
      }
    }
    return .yes
  }

  private static let consoleUserRemove = Command(
    name: "console user remove", summary: "Remove a user and end that user's sessions", operands: "NAME",
    discussion: "", flags: stateFlags, examples: ["linkspan console user remove ada --state state"],
    exitStatus: "0 removed, 1 there is no such user, 2 could not answer"
  ) { arguments, console throws(LinkspanError) in
    try arguments.expectOperands(1...1)
    let name = arguments.operands[0]
    let file = try arguments.consoleUsers(mustExist: true)
    let isRemoved = try file.remove(name)
    if arguments.has("--json") {
      console.print(
        .object([
          ("type", .string("console-user-removed")), ("name", .string(name)), ("removed", .bool(isRemoved)),
        ]))
    } else {
      console.print(isRemoved ? "\(name) is removed" : "there is no user '\(name)'")
    }
    return isRemoved ? .yes : .no
  }
}

extension Arguments {
  /// The file of users in the state that `--state` or the configuration names.
  ///
  /// - Parameter mustExist: Whether a folder that is not there, which may be mistyped, is refused.
  fileprivate func consoleUsers(mustExist: Bool = false) throws(LinkspanError) -> ConsoleUserFile {
    let state = try consoleState()
    if mustExist, try FileReader.kind(of: state) == .missing {
      throw LinkspanError(
        "there is no folder '\(state)'.",
        help: "Name the folder that 'serve --state' was given; 'console user add' makes it.")
    }
    return ConsoleUserFile(state: state)
  }

  private func consoleState() throws(LinkspanError) -> String {
    if let state = value("--state") { return state }
    let path = configurationPath(isWanted: true)
    let file = try path.map { path throws(LinkspanError) in
      try ConfigurationFile(path)
    }
    guard let state = file?.server.state else {
      throw usage("'--state' is missing, and no configuration names it")
    }
    return state
  }
}
