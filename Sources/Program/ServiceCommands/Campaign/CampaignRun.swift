internal import DeviceRegistry
internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanFiles
internal import PushSending
internal import RegistryRequests

/// One conversation with the registry about campaigns.
struct CampaignRun {
  let client: RegistryClient
  let arguments: Arguments
  let console: Console

  /// - Parameter use: What for, where '--registry' names the store.
  init(
    _ arguments: Arguments, _ console: Console, for use: Registry.Use = .changes
  ) throws(LinkspanError) {
    self.arguments = arguments
    self.console = console
    switch (arguments.address("--server"), arguments.address("--registry")) {
    case (let server?, nil):
      let (token, trust) = (try Self.token(arguments), try arguments.trust())
      client = try RegistryClient(server: server, token: token, trust: trust) { console.note($0) }
    case (nil, let store?): client = try RegistryClient(store: store, for: use)
    default: throw arguments.usage("exactly one of '--server' and '--registry' is required")
    }
  }

  private static func token(_ arguments: Arguments) throws(LinkspanError) -> String {
    guard let token = try arguments.credential() else {
      throw arguments.usage("'--server' needs a credential in LINKSPAN_TOKEN or '--token-file'")
    }
    return token
  }

  func stop() { client.stop() }

  // MARK: - Asking

  /// - Throws: What the registry says against the request.
  func answer(
    _ method: String, _ target: String, _ body: [UInt8] = [], key: String? = nil
  ) throws(LinkspanError) -> JSONNode {
    let response = try client.send(method, target, body: body, key: key)
    let document = JSONParser.parse(response.body)
    guard (200..<300).contains(response.status), let root = document.root else {
      throw refusal(response, document.root)
    }
    return root
  }

  /// The same, or nil where there is no such campaign or it has ended; that is said.
  func found(_ method: String, _ target: String) throws(LinkspanError) -> JSONNode? {
    let response = try client.send(method, target)
    let root = JSONParser.parse(response.body).root
    switch response.status {
    case 404, 409:
      refuse(root?["detail"]?.string ?? "there is no such campaign", response.status)
      return nil
    case 200: return root
    default: throw refusal(response, root)
    }
  }

  /// Says what was not done where that is an answer, and no failure.
  ///
  /// - Parameter status: The server's; nil where it was not asked.
  func refuse(_ reason: String, _ status: Int? = nil) {
    guard arguments.has("--json") else { return console.note(reason) }
    console.printRefusal(reason, status: status)
  }

  /// What the registry says against a request. Of a program that is no registry nothing is known, so that is no refusal.
  func refusal(_ response: HTTPResponse, _ problem: JSONNode?) -> LinkspanError {
    let isAnswer = (400..<500).contains(response.status) && problem?["detail"]?.string != nil
    return console.refused(
      Self.refusal(response, problem), asJSON: isAnswer && arguments.has("--json"), status: response.status)
  }

  /// Where '--registry' names the store, no server may be there to go on with what waits of the campaign.
  ///
  /// - Returns: Whether this command did so.
  func settle(_ identifier: String) throws(LinkspanError) -> Bool {
    guard arguments.has("--registry"), let campaign = Int64(identifier) else { return false }
    try client.settle(campaign)
    return true
  }

  private static func refusal(_ response: HTTPResponse, _ problem: JSONNode?) -> LinkspanError {
    let details = (problem?["errors"]?.array ?? []).map { error in
      CampaignDraft.place(of: error) + (error["detail"]?.string ?? "")
    }
    if let text = problem?["detail"]?.string {
      return LinkspanError(text.replacing("'Idempotency-Key'", with: "'--key'"), helpLines: details)
    }
    return LinkspanError(
      "The server answered with status \(response.status), and not as the registry's API does.",
      help: "Check the address after '--server': that of 'linkspan serve', such as https://push.example.com.")
  }

  // MARK: - Saying

  /// - Parameter isListed: Whether it is one of many, and only what becomes of it is said.
  func print(_ campaign: JSONNode, isListed: Bool = false) {
    if arguments.has("--json") {
      guard case .object(let members) = campaign.json else { return }
      console.print(.object([("type", .string("campaign"))] + members))
      return
    }
    func text(_ name: String) -> String { (campaign[name]?.string ?? "").onOneLine }
    let deliveries = campaign["deliveries"]
    func count(_ name: String) -> Int { deliveries?[name]?.int ?? 0 }
    let devices = campaign["devices"]?.int ?? 0
    let name = campaign["name"]?.string.map { " (\($0.onOneLine))" } ?? ""
    var line =
      "campaign \(text("id"))\(name): \(text("state")), \(devices.counted("device")) of \(text("topic"))"
    for outcome in ["accepted", "rejected", "expired", "cancelled"] where count(outcome) > 0 {
      line += ", \(count(outcome)) \(outcome)"
    }
    if !text("next_start").isEmpty { line += ", starts at \(text("next_start"))" }
    for (share, words) in [("holdout", "held out"), ("capped", "withheld by the cap")] {
      if let number = campaign["shares"]?[share]?.int, number > 0 { line += ", \(number) \(words)" }
    }
    let stillOpen = text("state") == "cancelled" ? "not ended yet" : "under way"
    if count("open") > 0 { line += ", \(count("open")) \(stillOpen)" }
    if let rest = campaign["not_queued"]?.int, rest > 0 {
      line += ", \(rest) \(text("state") == "cancelled" ? "never" : "not yet") queued"
    }
    if count("maybe_twice") > 0 { line += ", \(count("maybe_twice")) maybe twice" }
    console.print(line)
    let options = Self.options(of: campaign)
    if !options.isEmpty, !isListed { console.print("  " + options.joined(separator: "; ")) }
    for variant in campaign["variants"]?.array ?? [] {
      console.print(
        "  variant \((variant["name"]?.string ?? "").onOneLine): \((variant["devices"]?.int ?? 0).counted("device")),"
          + " share \(variant["share"]?.json.text ?? "unknown")")
    }
    if let grown = campaign["grown_to"]?.int {
      console.print(
        "  paused at its start: \(grown.counted("device")) \(grown == 1 ? "matches" : "match") now; 'resume' sends it to all of them"
      )
    }
    if campaign["pause_reason"]?.string == "rejections" {
      console.print(
        "  paused by a server, since APNs rejected more of it than '--pause-above' allows; 'resume' goes on"
      )
    }
    let unread = (campaign["not_understood"]?.array ?? []).compactMap { $0.string?.onOneLine }
    if !unread.isEmpty {
      console.print(
        "  this version does not understand \(unread.joined(separator: ", ")), and pauses it; 'resume' needs the version"
          + " that made it")
    }
    for reason in campaign["reasons"]?.object ?? [] {
      console.print("  \(reason.name.onOneLine): \(reason.value.int ?? 0)")
    }
    printWarnings(of: campaign)
  }

  private func printWarnings(of answer: JSONNode) {
    for warning in answer["warnings"]?.array ?? [] {
      let detail = CampaignDraft.place(of: warning) + (warning["detail"]?.string ?? "")
      console.note("warning: \(detail.onOneLine)")
    }
  }

  /// When and to whom it goes besides its audience.
  private static func options(of campaign: JSONNode) -> [String] {
    let time = campaign["local_time"]?.string.map { "at \($0.onOneLine) of each device" }
    let throttle = campaign["throttle_per_second"]?.int.map {
      "at most \($0) push\($0 == 1 ? "" : "es") a second"
    }
    return [time, throttle].compactMap(\.self) + CampaignWords.all(of: campaign).map(\.sentence)
  }

  func printEstimate(_ estimate: JSONNode) {
    if arguments.has("--json") {
      guard case .object(let members) = estimate.json else { return }
      console.print(.object([("type", .string("campaign-estimate"))] + members))
      return
    }
    let seconds = estimate["seconds"]?.int.map { ", \($0) s with the throttle" } ?? ""
    console.print("\((estimate["devices"]?.int ?? 0).counted("device"))\(seconds)")
    if let rule = estimate["repeat"]?.string {
      let times = estimate["times_in_day"]?.int ?? 1
      let often = times > 1 ? ": up to \(times) times to each device in the first 24 hours" : ""
      console.print("  repeated by \(rule.onOneLine)\(often)")
    }
    for wave in estimate["waves"]?.array ?? []
    where ["--local-time", "--quiet-hours", "--starts-at", "--repeat"].contains(where: arguments.has) {
      console.print("  \(wave["due_at"]?.string ?? ""): \(wave["devices"]?.int ?? 0)")
    }
    printWarnings(of: estimate)
  }
}
