package import LinkspanCommand
internal import LinkspanCore

extension Command {
  /// - Parameter campaign: The commands about campaigns, which need the registry.
  package static func push(campaign: Command) -> Command {
    Command(
      name: "push",
      summary: "Push notifications: check a payload, make a provider token, send, run a campaign",
      operands: "COMMAND",
      discussion:
        "Checks payloads and sends them to APNs, or to any server that speaks its protocol, without a Mac.",
      flags: [],
      examples: [
        "linkspan push lint payload.json --push-type background",
        "linkspan push send --token 00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0 "
          + "--topic com.example.app --silent --auth-key AuthKey_A1B2C3D4E5.p8 --auth-key-id A1B2C3D4E5 "
          + "--team-id F6G7H8I9J0",
      ],
      subcommands: [.pushLint, .pushToken, .pushSend, campaign, .pushChannel, .pushActivity]
    ) { arguments, _ throws(LinkspanError) in
      throw arguments.usage("COMMAND is missing")
    }
  }
}
