internal import LinkspanCommand
internal import LinkspanSiteCommands

extension Command {
  static let standIn = Command(
    name: "stand-in", summary: "Apple's CDN, or a site with faults, behind a real socket",
    operands: "COMMAND",
    discussion: """
      Parties of a test that programs in any language can talk to. Each prints where it listens, is steered while it
      runs over an admin listener that only this machine reaches, and ends on SIGINT or SIGTERM. They are stand-ins:
      what they know of Apple is what spec and observations say, and what is guessed is marked "simulated".
      """,
    flags: [],
    examples: [
      "linkspan stand-in site Examples/site --plain --admin 127.0.0.1:8081",
      "linkspan stand-in cdn --plain --origin example.com=127.0.0.1:8443 --allow-private example.com --ca ca.pem",
    ],
    subcommands: [.standInCDN, .standInSite],
    elsewhere: [("apns", "There is no stand-in for Apple's push service yet.")]
  ) { arguments, _ throws(CommandError) in
    throw arguments.usage("COMMAND is missing")
  }
}
