internal import DeviceRegistry
package import LinkspanCommand
internal import LinkspanCore
internal import PushTerms

extension Command {
  package static let pushCampaign = Command(
    name: "push campaign", summary: "Send a push to the registry's devices that match a query, and watch it",
    operands: "COMMAND",
    discussion: """
      Uses the API of a running 'linkspan serve' (--server, with a credential in LINKSPAN_TOKEN or --token-file), or
      works on the registry's store itself (--registry). Servers with a key send; see 'linkspan serve --auth-key'.
      """,
    flags: [],
    examples: [
      "linkspan push campaign estimate --registry sqlite:registry.db --topic com.example.app --environment production "
        + "--tag beta --alert Hello",
      "linkspan push campaign create --server https://push.example.com --topic com.example.app "
        + "--environment production --locale de --local-time 09:00 --throttle 500 --alert Hallo",
    ],
    subcommands: [
      .campaignCreate, .campaignEstimate, .campaignList, .campaignShow, .campaignPause, .campaignResume,
      .campaignCancel,
    ],
    operandChoices: { ["create", "estimate", "list", "show", "pause", "resume", "cancel"] }
  ) { arguments, _ throws(LinkspanError) in
    throw arguments.usage("COMMAND is missing")
  }

  private static let placeFlags = [
    Flag.address("--server", "URL", "Where 'linkspan serve' answers, such as https://push.example.com"),
    Flag("--token-file", "FILE", "The credential for it (LINKSPAN_TOKEN)"),
    Flag("--ca", "FILE", "Trust the certificates in this PEM file instead of the system's"),
    Flag.address("--registry", "STORE", "The store itself instead: sqlite:FILE or postgres://…"),
  ]

  private static let campaignFlags = [
    Flag("--topic", "BUNDLE", "The app's bundle identifier"),
    Flag(
      "--environment", "NAME", choices: PushEnvironment.names, "Of the devices: production or sandbox"),
    Flag("--payload", "FILE", "The payload, sent byte for byte"), Flag("--alert", "TEXT", "Show this text"),
    Flag("--silent", "Wake the app in the background"), .pushType,
    Flag("--priority", "N", choices: ["1", "5", "10"], "1, 5 or 10 (10; 5 for a background push)"),
    Flag("--expiration", "SECONDS", "When APNs discards it, in Unix seconds; 0 for one attempt"),
    Flag(
      "--collapse-id", "TEXT", "A later push with the same identifier replaces this one; at most 64 bytes"),
    Flag("--all", "Every device, instead of conditions"),
    Flag("--tag", "TAG", repeats: true, "Devices with this tag; with several, with every one of them"),
    Flag("--any-tag", "TAG", repeats: true, "Devices with at least one of these tags"),
    Flag(
      "--without-tag", "TAG", repeats: true, "Devices without this tag; with several, without any of them"),
    Flag("--locale", "LOCALE", repeats: true, "With this locale, or a region of it: de fits de_AT"),
    Flag("--time-zone", "ZONE", repeats: true, "In this time zone"),
    Flag("--from-version", "VERSION", "With this version of the app or a later one"),
    Flag("--below-version", "VERSION", "With an earlier version of the app"),
    Flag("--seen-within", "SECONDS", "That registered in the last SECONDS, such as 2592000 for 30 days"),
    Flag("--not-seen-for", "SECONDS", "That last registered more than SECONDS ago"),
    Flag("--local-time", "HH:MM", "When clocks in each device's time zone show it next"),
    Flag("--throttle", "N", "Pushes a second, over all servers"),
    Flag("--starts-at", "TIME", "When it starts, such as 2026-12-24T09:00:00+01:00"),
    Flag("--repeat", "RULE", "When it happens again, such as FREQ=WEEKLY;BYDAY=MO,FR;COUNT=10 (RFC 5545)"),
    Flag(
      "--quiet-hours", "FROM-TO",
      "Send nothing then, such as 22:00-08:00, by the clock in each device's time zone"),
    Flag(
      "--cap", "COUNT/SECONDS", "At most so many campaigns to a person in so many seconds, such as 2/86400"),
    Flag(
      "--payloads", "FILE", "Payloads by language: {\"default\":{…},\"de\":{…}}, instead of one payload"),
    Flag(
      "--variants", "FILE",
      "Payloads for shares of the people: [{\"name\":\"a\",\"share\":0.5,\"payload\":{…}}, …]"),
    Flag(
      "--template", "Fill places such as {{alias|there}} in the payloads with what is known of the device"),
    Flag(
      "--holdout", "SHARE",
      "Send nothing to this share of the people, such as 0.1, to compare the others with"),
    Flag("--name", "TEXT", "For lists"),
  ]

  private static let campaignCreate = Command(
    name: "push campaign create", summary: "Start a campaign", operands: "",
    discussion: """
      Prints the campaign's identifier when it is stored. If the campaign would reach more than 1000 devices, whatever
      chooses them, their number has to be confirmed: the terminal asks, and without a terminal --confirm or --yes is
      needed, else nothing is sent (exit status 2). The server counts while it stores the campaign.
      --ask-above confirms up to its COUNT, also where the server's own limit is lower.
      """,
    flags: campaignFlags + [
      Flag("--paused", "Wait for 'push campaign resume'"),
      Flag(
        "--confirm", "COUNT",
        "Send only if at most COUNT devices match (1% more is tolerated); with a repeat within 24 hours, their pushes in these"
      ),
      Flag("--yes", "Send to every matching device without asking, for scripts"),
      Flag(
        "--ask-above", "COUNT",
        "Ask before sending to more than COUNT devices (the server's limit, usually 1000)"),
      Flag("--key", "TEXT", "Do it once, however often this command runs with the same text"),
    ] + placeFlags,
    examples: [
      "linkspan push campaign create --registry sqlite:registry.db --topic com.example.app --environment production "
        + "--tag beta --alert Hello"
    ],
    commonFlags: [
      "--topic", "--environment", "--payload", "--alert", "--all", "--tag", "--local-time", "--starts-at",
      "--registry", "--confirm", "--json", "--help",
    ], exitStatus: "0 stored, 1 the answer at the terminal was no, 2 could not answer, or not confirmed"
  ) { arguments, console throws(LinkspanError) in
    try arguments.expectOperands(0...0)
    if arguments.has("--confirm"), arguments.has("--yes") {
      throw arguments.usage("'--confirm' sets a bound, and '--yes' none; give one of them")
    }
    let body = try CampaignDraft.body(arguments, isPaused: arguments.has("--paused"))
    let run = try CampaignRun(arguments, console)
    defer { run.stop() }
    guard let campaign = try run.create(body) else { return .no }
    run.print(campaign)
    return .yes
  }

  private static let campaignEstimate = Command(
    name: "push campaign estimate", summary: "Count the devices of a campaign without sending", operands: "",
    discussion: "Also says when pushes would become due, and how long they take with a throttle.",
    flags: campaignFlags + placeFlags,
    examples: [
      "linkspan push campaign estimate --registry sqlite:registry.db --topic com.example.app --environment production "
        + "--tag beta --alert Hello"
    ],
    commonFlags: [
      "--topic", "--environment", "--payload", "--alert", "--all", "--tag", "--local-time", "--starts-at",
      "--registry", "--json", "--help",
    ]
  ) { arguments, console throws(LinkspanError) in
    try arguments.expectOperands(0...0)
    let body = try CampaignDraft.body(arguments)
    let run = try CampaignRun(arguments, console, for: .questions)
    defer { run.stop() }
    run.printEstimate(try run.answer("POST", "/v1/estimates", body))
    return .yes
  }

  private static let campaignList = Command(
    name: "push campaign list", summary: "List campaigns, the newest first", operands: "",
    discussion: "Each line says how far a campaign is; below it stand APNs' reasons with their counts.",
    flags: [
      Flag(
        "--state", "STATE", choices: ["scheduled", "running", "paused", "cancelled", "completed"],
        "Those only that are scheduled, running, paused, cancelled or completed"),
      Flag("--count", "N", "How many, at most 1000 (100)"),
    ] + placeFlags,
    examples: ["linkspan push campaign list --registry sqlite:registry.db"]
  ) { arguments, console throws(LinkspanError) in
    try arguments.expectOperands(0...0)
    let count = try arguments.number("--count", in: 1...1_000) ?? 100
    let run = try CampaignRun(arguments, console, for: .questions)
    defer { run.stop() }
    let state = arguments.value("--state").map { "&state=\($0)" } ?? ""
    for campaign in try run.answer("GET", "/v1/campaigns?limit=\(count)\(state)")["campaigns"]?.array ?? [] {
      run.print(campaign, isListed: true)
    }
    return .yes
  }

  private static func one(
    _ name: String, _ summary: String, _ discussion: String, method: String, _ path: String
  ) -> Command {
    Command(
      name: "push campaign \(name)", summary: summary, operands: "IDENTIFIER", discussion: discussion,
      flags: placeFlags, examples: ["linkspan push campaign \(name) 7 --registry sqlite:registry.db"],
      exitStatus: "0 done, 1 there is no such campaign or it has ended, 2 could not answer"
    ) { arguments, console throws(LinkspanError) in
      try arguments.expectOperands(1...1)
      let identifier = arguments.operands[0]
      guard (1...18).contains(identifier.utf8.count), identifier.utf8.allSatisfy(ASCII.isDigit) else {
        throw arguments.usage("'\(identifier)' is not the identifier of a campaign; 'list' shows them")
      }
      let run = try CampaignRun(arguments, console, for: method == "GET" ? .questions : .changes)
      defer { run.stop() }
      guard var campaign = try run.found(method, "/v1/campaigns/\(identifier)\(path)") else { return .no }
      if method == "POST", try run.settle(identifier) {
        guard let settled = try run.found("GET", "/v1/campaigns/\(identifier)") else { return .no }
        campaign = settled
      }
      run.print(campaign)
      return .yes
    }
  }

  private static let campaignShow = one(
    "show", "Show a campaign and its progress",
    "Counts deliveries by outcome, and those that may have arrived twice.", method: "GET", "")
  private static let campaignPause = one(
    "pause", "Pause a campaign", "Pushes that are under way still end.", method: "POST", "/pause")
  private static let campaignResume = one(
    "resume", "Resume a paused campaign",
    "A throttle does not make up for the time of the pause.", method: "POST", "/resume")
  private static let campaignCancel = one(
    "cancel", "End a campaign", "Pushes that are under way still end; nothing else goes out.", method: "POST",
    "/cancel")
}
