internal import LinkspanCommand
internal import LinkspanCore
internal import PushProvider

extension Command {
  private static let exampleToken = "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0"

  static let pushActivity = Command(
    name: "push activity", summary: "Start, update and end Live Activities", operands: "COMMAND",
    discussion: """
      A start goes to the push-to-start token of each device (iOS 17.2). The app then has a token for each activity, which
      updates and the end go to; or the activity subscribes to a channel (iOS 18), and one broadcast reaches all of them.
      """,
    flags: [],
    examples: [
      "linkspan push activity start --token \(exampleToken) --topic com.example.app --attributes-type GameAttributes"
        + " --attributes '{\"home\":\"A\"}' --content-state '{\"score\":0}' --alert Kick-off --auth-key"
        + " AuthKey_A1B2C3D4E5.p8 --auth-key-id A1B2C3D4E5 --team-id F6G7H8I9J0"
    ], subcommands: [.pushActivityStart, .pushActivityUpdate, .pushActivityEnd]
  ) { arguments, _ throws(LinkspanError) in
    throw arguments.usage("COMMAND is missing")
  }

  private static let key =
    "--auth-key AuthKey_A1B2C3D4E5.p8 --auth-key-id A1B2C3D4E5 --team-id F6G7H8I9J0"
  private static let commonFlags = [
    "--token", "--tokens", "--topic", "--content-state", "--alert", "--auth-key", "--auth-key-id",
    "--team-id",
    "--environment", "--dry-run", "--json", "--help",
  ]
  private static let exitStatus = "0 all accepted, 1 some rejected, 2 could not send"

  private static let pushActivityStart = Command(
    name: "push activity start", summary: "Start a Live Activity on devices", operands: "",
    discussion: """
      The tokens are the devices' push-to-start tokens. The app's type of attributes, their values and a first state are
      needed, and an alert, which the person sees. JSON is given as it is, or as the name of a file.
      """,
    flags: [
      Flag("--attributes-type", "NAME", "The name of the app's type of attributes"),
      Flag("--attributes", "JSON", "The values of the attributes, or a file with them"),
      Flag("--channel", "ID", "Subscribe the activity to this broadcast channel (iOS 18)"),
      Flag("--ask-token", "Have the app get a token for updates (iOS 18)"),
    ] + ActivityDraft.flags,
    examples: [
      "linkspan push activity start --token \(exampleToken) --topic com.example.app --attributes-type GameAttributes"
        + " --attributes game.json --content-state state.json --alert Kick-off --ask-token \(key)"
    ], commonFlags: ["--attributes-type", "--attributes", "--channel", "--ask-token"] + commonFlags,
    exitStatus: exitStatus
  ) { arguments, console throws(LinkspanError) in
    try ActivityDraft(.start, arguments).send(console)
  }

  private static let pushActivityUpdate = Command(
    name: "push activity update", summary: "Change what a Live Activity shows", operands: "",
    discussion:
      "Goes to the activities' own tokens, or with --channel to every activity of a broadcast channel.",
    flags: [ActivityDraft.channelFlag] + ActivityDraft.flags,
    examples: [
      "linkspan push activity update --channel dHN0LXNyY2gtY2hubA== --topic com.example.app --content-state"
        + " '{\"score\":1}' \(key)"
    ], commonFlags: ["--channel"] + commonFlags, exitStatus: exitStatus
  ) { arguments, console throws(LinkspanError) in
    try ActivityDraft(.update, arguments).send(console)
  }

  private static let pushActivityEnd = Command(
    name: "push activity end", summary: "End a Live Activity", operands: "",
    discussion: """
      Goes to the activities' own tokens, or with --channel to every activity of a broadcast channel. The last state may be
      given. It stays on the lock screen for up to 4 hours, or until --dismiss-at; a time that is over removes it at once.
      """,
    flags: [
      ActivityDraft.channelFlag,
      Flag("--dismiss-at", "SECONDS", "Until when it stays on the lock screen, in Unix seconds"),
    ] + ActivityDraft.flags,
    examples: [
      "linkspan push activity end --token \(exampleToken) --topic com.example.app --content-state '{\"score\":3}' \(key)"
    ], commonFlags: ["--channel", "--dismiss-at"] + commonFlags, exitStatus: exitStatus
  ) { arguments, console throws(LinkspanError) in
    try ActivityDraft(.end, arguments).send(console)
  }
}
