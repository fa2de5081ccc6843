internal import LinkspanAppCommands
internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanSiteCommands

extension Command {
  static let standIn = Command(
    name: "stand-in", summary: "Apple's CDN, its push service, or a site with faults, behind a real socket",
    operands: "COMMAND",
    discussion: """
      Servers for tests that programs in any language can talk to. Each prints where it listens, is controlled while it
      runs through an admin listener that only this machine can reach, and ends on SIGINT or SIGTERM. They are stand-ins:
      they do what Apple documents and others observed, and mark what is guessed as "simulated".
      """,
    flags: [],
    examples: [
      "linkspan stand-in site Examples/site --plain --admin 127.0.0.1:8081",
      "linkspan stand-in cdn --plain --origin example.com=127.0.0.1:8443 --allow-private example.com --ca ca.pem",
      "linkspan stand-in apns --auth-key AuthKey_A1B2C3D4E5.p8 --auth-key-id A1B2C3D4E5 --team-id F6G7H8I9J0 "
        + "--topic com.example.app --write-certificate ca.pem",
    ],
    subcommands: [.standInCDN, .standInAPNs, .standInSite]
  ) { arguments, _ throws(LinkspanError) in
    throw arguments.usage("COMMAND is missing")
  }
}
