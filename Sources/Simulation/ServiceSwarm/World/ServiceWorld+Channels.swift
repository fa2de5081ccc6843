internal import LinkspanCore
internal import LinkspanServer

/// Clients with broadcast channels and Live Activities, which APNs keeps and the registry knows.
extension ServiceWorld {
  func ask(_ act: ChannelAsk.Act, credential: Int, key: Int?) {
    model.channels.isUsed = true
    let word =
      key.map { self.word("channel", "\(act) \(credential) \($0) \(dayCount)") } ?? newWord("channel")
    var ask = ChannelAsk(act: act, key: key.map { _ in word })
    let place: [(String, JSON)] = [
      ("topic", .string(VirtualAPNs.topic)), ("environment", .string("production")),
    ]
    let path: String
    var (method, body) = ("POST", [(String, JSON)]())
    switch act {
    case .create:
      (path, body) = ("/v1/channels", place + [("storage", .string("newest")), ("name", .string(word))])
    case .delete:
      guard let number = anyOf(model.channels.channels) else { return }
      ask.number = number
      (method, path) = ("DELETE", "/v1/channels/\(number)")
      model.channels.channels[number]?.endsAsked += 1
    case .broadcast:
      guard let number = anyOf(model.channels.channels) else { return }
      ask.number = number
      (path, body) = ("/v1/channels/\(number)/broadcasts", [("payload", Self.update(word, time.now))])
    case .sync: (path, body) = ("/v1/channel-sync", place)
    case .start: (path, body) = ("/v1/activities", place + start(&ask, word, key))
    case .update, .end:
      guard let number = anyOf(model.channels.activities) else { return }
      ask.number = number
      (path, body) = ("/v1/activities/\(number)/\(act)", [("content_state", Self.state(word))])
      if act == .end { model.channels.activities[number]?.endsAsked += 1 }
    }
    send(
      method, path, method == "DELETE" ? nil : .object(body), credential: credential,
      key: key.map { "\(act)-\($0)" }, for: .channel(ask))
  }

  private func anyOf(_ known: [String: ChannelModel.Belief]) -> String? {
    let numbers = known.keys.sorted()
    return numbers.isEmpty ? nil : numbers[Int(chance.draw(0...Int64(numbers.count - 1)))]
  }

  private static func state(_ word: String) -> JSON { .object([("word", .string(word))]) }

  /// A broadcast's payload.
  private static func update(_ word: String, _ now: WallTime) -> JSON {
    .object([
      (
        "aps",
        .object([
          ("timestamp", .int(Int(now.milliseconds / 1_000))), ("event", .string("update")),
          ("content-state", state(word)),
        ])
      )
    ])
  }

  /// A Live Activity that its app starts, that a channel reaches, or that a person's devices are sent.
  private func start(_ ask: inout ChannelAsk, _ word: String, _ key: Int?) -> [(String, JSON)] {
    var body: [(String, JSON)] = [
      ("name", .string(word)), ("content_state", Self.state(word)), ("attributes_type", .string("Match")),
      ("attributes", Self.state("match")),
      ("alert", .object([("title", .string("Kick-off")), ("body", .string("A-B"))])),
    ]
    // The same key makes the same request.
    let kind = key ?? Int(chance.draw(0...2))
    let first = model.channels.channels.keys.sorted().first
    if kind == 1, let channel = key == nil ? anyOf(model.channels.channels) : first {
      ask.channel = channel
      body.append(("channel", .string(channel)))
    }
    if kind == 2 {
      let person = key ?? Int(chance.draw(0...Int64(ServiceStory.personCount - 1)))
      ask.person = person
      body.append(("aliases", .array([.string(alias(of: person))])))
    }
    return body
  }

  // MARK: - Answers

  func acknowledge(_ ask: ChannelAsk, _ body: JSONNode?, _ response: HTTPResponse) {
    if let person = ask.person { overlapErasures(of: person) }
    let isRepeated = response.fields["Idempotency-Replayed"] != nil
    if !isRepeated, ask.act != .delete || isOnlyDeletion(ask) { model.noteStored() }
    let number = body?["id"]?.string
    switch ask.act {
    case .create, .start:
      guard let number else { return require(false, .channelsAgree, "an answer to '\(ask.act)' has no id") }
      let other = model.channels.take(number, for: ask.key)
      require(
        other == nil, .keyAnswersOnce,
        "a request is \(ask.act) \(other ?? "") and, with the same key, \(number)")
      if ask.act == .create {
        model.channels.channels[number] = model.channels.channels[number] ?? .init()
      } else {
        model.channels.activities[number] = model.channels.activities[number] ?? .init(channel: ask.channel)
      }
    case .delete, .end:
      require(
        ["deleted", "ended"].contains(body?["state"]?.string), .channelsAgree,
        "'\(ask.act)' of \(ask.number ?? "") is answered with the state '\(body?["state"]?.string ?? "none")'"
      )
      model.channels.noteEnd(ask)
    case .broadcast:
      let identifier = body?["request_id"]?.string ?? ""
      require(
        apns.broadcasts.contains(identifier), .acceptedIsTrue,
        "broadcast \(identifier) is called accepted, and APNs did not accept it")
    case .sync: model.channels.isInStep = true
    case .update: break
    }
    audit(ask, isCertain: !isRepeated)
  }

  /// A request that was not done, as far as its answer says.
  func refuse(_ ask: ChannelAsk, _ status: Int) {
    require(
      [400, 404, 409, 422, 429, 500, 502, 503].contains(status), .channelsAgree,
      "'\(ask.act)' is answered with \(status)")
    if status >= 500 { lose(ask) }
  }

  /// Nobody knows whether it was done.
  func lose(_ ask: ChannelAsk) {
    if let person = ask.person { overlapErasures(of: person) }
    audit(ask, isCertain: false)
  }

  private func audit(_ ask: ChannelAsk, isCertain: Bool) {
    switch ask.act {
    case .create: model.audit("channel.create", isCertain: isCertain)
    case .sync: model.audit("channel.sync", isCertain: isCertain)
    case .start:
      model.audit("activity.start", isCertain: isCertain)
      if ask.person != nil { model.audit("notification.create", isCertain: false) }
    case .delete:
      // A channel that is deleted already has no second line.
      model.audit("channel.delete", isCertain: isCertain && isOnlyDeletion(ask))
    // Of an activity without a channel, each is a campaign, and else a broadcast.
    case .update, .end:
      model.audit(ask.act == .end ? "activity.end" : "activity.update", isCertain: isCertain)
      for line in ["campaign.create", "channel.broadcast"] { model.audit(line, isCertain: false) }
    case .broadcast: model.audit("channel.broadcast", isCertain: isCertain)
    }
  }

  private func isOnlyDeletion(_ ask: ChannelAsk) -> Bool {
    ask.number.flatMap { model.channels.channels[$0]?.endsAsked } == 1
  }

  // MARK: - At the end

  /// Ours: longer than APNs asks to be left alone, and so often that its hours are over.
  private static let longestPause: Int64 = 1_000_000
  private static let syncLimit = 8

  /// When all is calm, a `channel-sync` brings registry and APNs together, and nothing that was acknowledged is missing.
  func checkChannels() {
    guard model.channels.isUsed, violation == nil else { return }
    model.channels.isInStep = false
    // What APNs had enough of, such as new provider tokens after the clock was set, it takes after a while.
    for _ in 0..<Self.syncLimit where !model.channels.isInStep {
      time.advance(Self.longestPause)
      ask(.sync, credential: 0, key: nil)
      settle(until: { flights.isEmpty })
    }
    let there = apns.channels
    let (channels, activities) = (list("channels"), list("activities"))
    guard violation == nil else { return }
    let active = channels.filter { $0["state"]?.string == "active" }
    require(
      Set(active.compactMap { $0["channel"]?.string }) == there && active.count == there.count,
      .channelsAgree,
      "after a channel-sync the registry has \(active.count) active channels, and APNs has \(there.count)")
    let activeChannels = Set(active.compactMap { $0["id"]?.string })
    check(channels, model.channels.channels, "channel", activeChannels)
    check(activities, model.channels.activities, "activity", activeChannels)
  }

  private func check(
    _ found: [JSONNode], _ known: [String: ChannelModel.Belief], _ kind: String, _ activeChannels: Set<String>
  ) {
    for (number, belief) in known.sorted(by: { $0.key < $1.key }) {
      let state = found.first { $0["id"]?.string == number }?["state"]?.string
      require(state != nil, .channelsAgree, "\(kind) \(number) was acknowledged, and is not listed")
      require(
        state != "active" || !belief.isEnded, .channelsAgree,
        "\(kind) \(number) goes on after its end was acknowledged")
      let isDeaf = belief.channel.map { !activeChannels.contains($0) } ?? false
      require(
        state != "active" || !isDeaf, .channelsAgree,
        "\(kind) \(number) goes on after the end of channel \(belief.channel ?? "")")
      require(
        state == "active" || belief.endsAsked > 0 || isDeaf, .channelsAgree,
        "\(kind) \(number) has ended, and no client asked for that")
    }
  }

  /// Everything of a list, page by page.
  private func list(_ name: String) -> [JSONNode] {
    var (all, after) = ([JSONNode](), "")
    repeat {
      model.listed = nil
      send("GET", "/v1/\(name)?limit=20\(after)", for: .survey(.kept))
      settle(until: { flights.isEmpty })
      guard let page = model.listed else {
        require(false, .drains, "the list of \(name) is not answered although every fault is over")
        return all
      }
      all += page[name]?.array ?? []
      after = page["next"]?.string.map { "&after=\($0)" } ?? ""
    } while !after.isEmpty && violation == nil
    return all
  }
}
