internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanFiles
internal import PushProvider

extension Command {
  static let pushChannel = Command(
    name: "push channel", summary: "Broadcast channels of Live Activities: make, list, read, delete, send",
    operands: "COMMAND",
    discussion: """
      A channel reaches every Live Activity that subscribes to it with one request. It belongs to an app and an environment,
      which have 10,000 at most, and is deleted for ever. The app has to have broadcasts enabled in the developer account.
      """,
    flags: [],
    examples: [
      "linkspan push channel create --topic com.example.app --storage newest --environment production"
        + " --auth-key AuthKey_A1B2C3D4E5.p8 --auth-key-id A1B2C3D4E5 --team-id F6G7H8I9J0"
    ],
    subcommands: [
      .pushChannelCreate, .pushChannelList, .pushChannelRead, .pushChannelDelete, .pushChannelSend,
    ]
  ) { arguments, _ throws(LinkspanError) in
    throw arguments.usage("COMMAND is missing")
  }

  private static let channelFlag = Flag("--channel", "ID", "The channel's identifier, as APNs gave it")
  private static let channelFlags =
    [Flag("--topic", "BUNDLE", "The app's bundle identifier")] + AuthKeyReader.flags + PushServer.flags
  private static let key =
    "--auth-key AuthKey_A1B2C3D4E5.p8 --auth-key-id A1B2C3D4E5 --team-id F6G7H8I9J0"

  private static let pushChannelCreate = Command(
    name: "push channel create", summary: "Make a broadcast channel", operands: "",
    discussion: "Prints the identifier that APNs gives it, which activities subscribe with.",
    flags: [
      Flag(
        "--storage", "NAME", choices: ChannelRequest.Storage.allCases.map(\.rawValue),
        "What APNs keeps for devices that are offline: none, or the newest broadcast for 8 hours (none)")
    ] + channelFlags,
    examples: ["linkspan push channel create --topic com.example.app --storage newest \(key)"],
    exitStatus: ChannelRun.exitStatus
  ) { arguments, console throws(LinkspanError) in
    let storage = arguments.choice("--storage", ChannelRequest.Storage.self) ?? ChannelRequest.Storage.none
    return try ChannelRun(arguments, console).perform(.create(storage))
  }

  private static let pushChannelList = Command(
    name: "push channel list", summary: "List an app's broadcast channels", operands: "",
    discussion: "Prints the identifiers of all channels of the app in one environment.", flags: channelFlags,
    examples: ["linkspan push channel list --topic com.example.app \(key)"],
    exitStatus: ChannelRun.exitStatus
  ) { arguments, console throws(LinkspanError) in
    try ChannelRun(arguments, console).perform(.list)
  }

  private static let pushChannelRead = Command(
    name: "push channel read", summary: "Say what APNs stores of a broadcast channel", operands: "",
    discussion: "Also shows whether the channel exists.", flags: [channelFlag] + channelFlags,
    examples: ["linkspan push channel read --channel dHN0LXNyY2gtY2hubA== --topic com.example.app \(key)"],
    exitStatus: ChannelRun.exitStatus
  ) { arguments, console throws(LinkspanError) in
    let run = try ChannelRun(arguments, console)
    return try run.perform(.read(try run.channel()))
  }

  private static let pushChannelDelete = Command(
    name: "push channel delete", summary: "Delete a broadcast channel for ever", operands: "",
    discussion: "Activities that subscribe to it hear nothing more. What APNs has stored may still go out.",
    flags: [channelFlag] + channelFlags,
    examples: ["linkspan push channel delete --channel dHN0LXNyY2gtY2hubA== --topic com.example.app \(key)"],
    exitStatus: ChannelRun.exitStatus
  ) { arguments, console throws(LinkspanError) in
    let run = try ChannelRun(arguments, console)
    return try run.perform(.delete(try run.channel()))
  }

  private static let pushChannelSend = Command(
    name: "push channel send", summary: "Send one broadcast to every activity of a channel", operands: "",
    discussion: """
      The payload updates or ends Live Activities; a broadcast starts none. 'push activity update --channel' writes it from
      flags. It is checked first; --force sends it despite errors. It may have 5,120 bytes.
      """,
    flags: [
      channelFlag, Flag("--payload", "FILE", "The payload, sent byte for byte"), ChannelRun.priorityFlag,
      ChannelRun.expirationFlag, Flag("--dry-run", "Print the request and send nothing"),
      Flag("--force", "Send a payload that has errors"),
    ] + channelFlags,
    examples: [
      "linkspan push channel send --channel dHN0LXNyY2gtY2hubA== --topic com.example.app --payload goal.json \(key)"
    ], exitStatus: ChannelRun.exitStatus
  ) { arguments, console throws(LinkspanError) in
    guard let file = arguments.value("--payload") else { throw arguments.usage("'--payload' is required") }
    let namesKey = AuthKeyReader.flags.contains { arguments.has($0.name) }
    return try ChannelRun(
      arguments, console, isDryRun: arguments.has("--dry-run"), namesKey: namesKey
    ).publish(try FileReader.read(file))
  }
}
