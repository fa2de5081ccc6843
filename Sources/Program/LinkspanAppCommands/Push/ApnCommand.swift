package import LinkspanCommand
internal import LinkspanCore
internal import PushProvider

extension Command {
  package static let apn = Command(
    name: "apn", summary: "Houston's command line for pushes, with today's APNs behind it",
    operands: "COMMAND",
    discussion: """
      Accepts the arguments of 'apn' from the Ruby gem Houston, for scripts that still call it. Only its -r is refused: every
      user of the machine could read a certificate's text, with its key, among the arguments; --cert reads a file.
      """,
    flags: [],
    examples: ["linkspan apn push 00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0 -n"],
    subcommands: [.apnPush],
    elsewhere: [
      (
        "feedback",
        "APNs has no feedback service any more: an inactive token is answered 410 when something is sent to it."
      )
    ]
  ) { arguments, _ throws(LinkspanError) in
    throw arguments.usage("COMMAND is missing")
  }

  private static let rawCertificate =
    "Every user of this machine could read a certificate's text, with its key, among the arguments. Write it into a"
    + " file, and name that with --cert."

  static let apnPush = Command(
    name: "apn push", summary: "Send a push with Houston's flags", operands: "TOKEN…",
    discussion: """
      Sends one push to each device token. --background alone is a complete silent push: push type background, priority 5,
      'content-available' inside 'aps'. No editor is ever opened. --payload is sent byte for byte unless other flags add
      to its 'aps'.

      The topic is the app's bundle identifier; without --topic it is the one that the certificate names. A refused push
      is printed with APNs's reason and what to do.
      """,
    flags: [
      Flag("--alert", short: "-m", "TEXT", "Show this text"),
      Flag("--badge", short: "-b", "N", "Set the badge of the app's icon; 0 removes it"),
      Flag("--sound", short: "-s", "NAME", "Play a sound, such as default"),
      Flag("--category", short: "-y", "NAME", "The notification's category"),
      Flag("--background", short: "-n", "Wake the app in the background (content-available)"),
      Flag("--newsstand", "The same as --background, by its older name"),
      Flag("--data", short: "-d", "KEY=VALUE,…", "The app's own keys"),
      Flag("--payload", short: "-P", "JSON", "The whole payload; takes the place of --data"),
      Flag(
        "--environment", short: "-e", "NAME",
        "production or development, or the beginning of one (development)"),
    ] + PushCredential.flags + [
      Flag("--certificate", "FILE", "The same as --cert, by its older name"),
      Flag(
        "--passphrase", short: "-p",
        "Ask at the terminal for the key's passphrase, as happens without this where it needs one"),
      Flag("--topic", "BUNDLE", "The app's bundle identifier (what the certificate names)"),
      Flag.address("--server", "URL", "A server instead of Apple's, such as https://127.0.0.1:2197"),
      Flag("--ca", "FILE", "Trust the certificates in this PEM file instead of the system's"),
      PushSendRun.patienceFlag,
      Flag("--force", "Send a payload that has errors"),
    ],
    examples: [
      "linkspan apn push 00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0 -c apple_push.pem "
        + "-m \"Hello from the command line\"",
      "linkspan apn push 00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0 -c apple_push.pem -n "
        + "-e production",
    ], elsewhere: ["-r", "--raw-certificate"].map { ($0, rawCertificate) },
    exitStatus: "0 all accepted, 1 some rejected, 2 could not send"
  ) { arguments, console throws(LinkspanError) in
    try arguments.expectOperands(1...Int.max)
    let arguments = arguments.filled(operands: [], "--cert", arguments.all("--certificate"))
    // What is wrong with the payload is found before a passphrase is asked for.
    _ = try ApnPushInput.payload(arguments)
    let proof = try PushCredential(arguments)
    let input = try ApnPushInput(arguments, topic: arguments.value("--topic") ?? proof.bundle, console)
    let run = try PushSendRun(input.notifications, input.server, proof, arguments)
    return try run.run(console)
  }
}
