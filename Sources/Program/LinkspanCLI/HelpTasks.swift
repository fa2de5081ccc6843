internal import LinkspanCommand

/// What people come for, and the commands that do it.
struct HelpTask {
  /// Behind `linkspan help`; not all of them, since some are commands as well.
  let word: String
  let title: String
  /// Each command with a few words, which need no other sentence to be chosen by.
  let commands: [(name: String, words: String)]
  /// Commands of other tasks, and parts of commands, that serve it as well, each with its sentence.
  let also: [(name: String, text: String)]

  init(
    _ word: String, _ title: String, _ commands: (name: String, words: String)...,
    also: [(name: String, text: String)] = []
  ) {
    self.word = word
    self.title = title
    self.commands = commands
    self.also = also
  }

  static let all = [
    HelpTask(
      "why", "Find out why", ("doctor", "why a link, a host or a push fails"),
      ("explain", "a link or push, step by step"), ("match", "URLs against a file"),
      ("swcutil", "Apple's tool; explain swcutil_show.txt")),
    HelpTask(
      "ci", "Check in CI", ("check", "every problem of folders, hosts, apps"),
      ("diff", "links that a deploy breaks"),
      ("coverage", "which pages of a log open the app"), ("review", "Swift code")),
    HelpTask(
      "app", "Build the app", ("generate", "a file from routes"),
      ("inspect", "what an .ipa claims, signed how"),
      ("clip", "App Clips: size, qr, card, ndef"), ("cover", "blur a screenshot"),
      ("handoff", "Bluetooth frames"),
      ("sign", "a file for iOS 8"), ("verify", "such a file")),
    HelpTask(
      "operate", "Serve", ("init", "a configuration"), ("serve", "files, devices, pushes"),
      ("publish", "from CI"), ("rollback", "an earlier version"), ("console", "its operators"),
      ("registry", "export, erase, audit"),
      ("token", "credentials of the API"), ("self-test", "this installation")),
    HelpTask(
      "pushes", "Push", ("push", "lint, send, campaign create"), ("apn", "with Houston's flags"),
      also: [
        ("explain --push", "Does a device show a push or wake its app, step by step?"),
        ("doctor PAYLOAD", "Why does a push not arrive?"),
        ("stand-in apns", "Apple's push service, with all of its responses"),
        ("serve --registry", "The device registry and its API, which send notifications and campaigns"),
        ("registry", "Export, erase and audit the devices"), ("token", "Credentials of that API"),
      ]),
    HelpTask(
      "stories", "Rehearse", ("simulate", "devices of every iOS, and the CDN"),
      ("stand-in", "CDN, APNs or a site for tests"), ("forecast", "peak load after an update"),
      ("rehearse", "load-test a server with a forecast")),
    HelpTask(
      "tools", "Tools", ("rules", "sources"), ("oracle", "ask a Mac"), ("lsp", "editors"),
      ("schema", "JSON"), ("mcp", "assistants"), ("completions", "shells"), ("manual", "pages")),
  ]

  /// One screen: the tasks, each with its commands.
  static func overview(width: Int) -> String {
    let column = all.map(\.title.count).max() ?? 0
    let rest = String(repeating: " ", count: column + 4)
    var text = WrappedText.lines(
      "linkspan COMMAND [flags] — from a website to its iOS app, without a Mac", width: width)
    for task in all {
      let commands = task.commands.map { "\($0.name) (\($0.words))" }.joined(separator: ", ")
      text += WrappedText.lines(
        commands, first: "  \(task.title.padded(to: column))  ", rest: rest, width: width)
    }
    return text
      + WrappedText.lines(
        "'linkspan COMMAND --help' describes a command, 'linkspan help TASK' (\(all.map(\.word).joined(separator: ", "))) "
          + "a task, 'linkspan help --all' all. Exit status: \(Command.commonExitStatus).", width: width)
  }

  /// The commands of the task with their sentences.
  ///
  /// - Parameter isAlone: Whether no other tasks are beside it, which have some of these commands.
  func text(_ all: [Command], width: Int, isAlone: Bool = false) -> String {
    let rows = commands.compactMap { command in
      all.first { $0.name == command.name }.map { (name: $0.name, text: $0.summary) }
    }
    return title + "\n" + Command.table(rows + (isAlone ? also : []), width: width)
  }
}
