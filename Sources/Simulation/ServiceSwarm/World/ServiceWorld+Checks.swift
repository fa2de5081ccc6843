internal import DeviceRegistry
internal import LinkspanCore
internal import RegistryDatabases
internal import RegistryRequests
internal import SimulatedStores

/// What is checked while a story is played.
extension ServiceWorld {
  private func fail(_ holds: Bool, _ invariant: ServiceInvariant, _ detail: String) {
    require(holds, invariant, detail)
  }

  // MARK: - Devices

  /// - Parameter body: The device; nil for none.
  func checkRead(_ device: Int, _ body: JSONNode?) {
    let alias = body?["alias"]?.string
    let person = alias.flatMap { aliases.firstIndex(of: $0) }
    fail(
      alias == nil || person != nil, .readsCurrent,
      "device \(device) has the alias '\(alias ?? "")', which no person has now")
    var belief = model.devices[device]
    // Changes that were asked for and not answered may be there already.
    for flight in flights.values.sorted(by: { $0.number < $1.number }) {
      if case .change(let change, let target, _) = flight.subject, target == nil || target == device {
        belief.mayTake(change)
      }
    }
    let invariant: ServiceInvariant = body == nil ? .registrationDurable : .readsCurrent
    fail(
      belief.mayBe(person), invariant,
      "device \(device) is \(person.map { "person \($0)'s" } ?? "not registered"), and may be "
        + belief.owners.map { $0.map { "person \($0)'s" } ?? "not registered" }.sorted().joined(
          separator: " or "))
    if !flights.values.contains(where: { touches($0, device) }) { model.devices[device].see(person) }
  }

  func touches(_ flight: Flight, _ device: Int) -> Bool {
    guard case .change(_, let target, _) = flight.subject else { return false }
    return target == nil || target == device
  }

  // MARK: - Messages

  func acknowledgeNote(_ word: String, _ body: JSONNode?, _ response: HTTPResponse) {
    guard var note = model.notes[word] else { return }
    let identifier = body?["id"]?.string
    fail(identifier != nil, .deliveryStored, "the answer for '\(word)' names no message")
    if let known = note.identifier {
      fail(
        known == identifier, .keyAnswersOnce,
        "'\(word)' is message \(known) and, with the same key, message \(identifier ?? "none")")
    } else if response.fields["Idempotency-Replayed"] == nil, let person = note.person {
      note.deliveries = Self.deliveryCount(body)
      checkCount(of: person, body, word)
    }
    note.identifier = identifier
    model.notes[word] = note
    model.audit(
      note.person == nil ? "campaign.create" : "notification.create",
      isCertain: response.fields["Idempotency-Replayed"] == nil)
  }

  /// A notification has a delivery for each device of its person.
  private func checkCount(of person: Int, _ body: JSONNode?, _ word: String) {
    let isDisturbed = flights.values.contains { flight in
      if case .change = flight.subject { true } else { false }
    }
    guard !isDisturbed, let count = Self.deliveryCount(body) else { return }
    let expected = model.deviceCount(of: person)
    fail(
      expected.contains(count), .deliveryStored,
      "'\(word)' has \(count) deliveries; person \(person) has \(expected.lowerBound) to \(expected.upperBound) devices"
    )
  }

  private static func deliveryCount(_ body: JSONNode?) -> Int? {
    body?["deliveries"]?.object.map { deliveries in
      deliveries.filter { $0.name != "maybe_twice" }.reduce(0) { $0 + ($1.value.int ?? 0) }
    }
  }

  /// A key of another request, or one that is under way.
  func checkConflict(_ word: String, _ text: String) {
    guard let note = model.notes[word] else { return }
    let isShared = model.notes.values.contains {
      $0.word != word && $0.key == note.key && $0.credential == note.credential
    }
    fail(
      isShared || text.contains("under way") || note.key != nil && note.isErased, .keyAnswersOnce,
      "'\(word)' is refused for its key, which no other request has")
  }

  /// A push that APNs accepted.
  func take(_ push: VirtualAPNs.Accepted) {
    let word = JSONParser.parse(Array(push.payload.utf8)).root?["aps"]?["alert"]?.string ?? ""
    record(
      "apns", "accept", [("word", .string(word)), ("device", .int(tokens.firstIndex(of: push.token) ?? -1))])
    guard var note = model.notes[word], let device = tokens.firstIndex(of: push.token) else {
      return fail(false, .deliveryAtMostOnce, "APNs got '\(push.payload)', which no client sent")
    }
    // A clock that was set meanwhile ends leases early, and with them what an erasure waits for.
    fail(
      !note.isErased || push.setCount != time.setCount, .erasureComplete,
      "APNs got '\(word)' for person \(note.person ?? -1) after the receipt of the erasure")
    checkOwner(of: device, note, push)
    checkTraits(of: device, note, push)
    note.accepted[device, default: 0] += 1
    model.notes[word] = note
  }

  /// How long a sender may take to hear that a device has left. It asks ten times a second. Ours.
  private static let askingPatience: Int64 = 1_500

  private func checkOwner(of device: Int, _ note: ServiceModel.Note, _ push: VirtualAPNs.Accepted) {
    // While the store is away nobody can be asked.
    guard !note.isByToken, push.sentAt > model.changedAt[device] + Self.askingPatience,
      push.setCount == time.setCount,
      isStoreCalm, model.disturbedAt <= model.changedAt[device],
      !flights.values.contains(where: { touches($0, device) }), let owner = model.devices[device].certain
    else { return }
    fail(
      owner != nil && (note.person == nil || note.person == owner), .deliveryToItsPerson,
      "APNs got '\(note.word)' for device \(device), which is \(owner.map { "person \($0)'s" } ?? "deleted")"
        + " since \(push.sentAt - model.changedAt[device]) ms")
  }

  /// A campaign with a query reaches devices that fit, and a template says what is known of the device.
  private func checkTraits(of device: Int, _ note: ServiceModel.Note, _ push: VirtualAPNs.Accepted) {
    fail(
      note.audience?.contains(device) ?? true, .deliveryToItsPerson,
      "APNs got '\(note.word)' for device \(device), which does not fit its query")
    guard let locale = JSONParser.parse(Array(push.payload.utf8)).root?["locale"]?.string else { return }
    fail(
      [DeviceTraits(device).locale, "none"].contains(locale) || isOld(device), .deliveryToItsPerson,
      "APNs got '\(note.word)' for device \(device) with the locale '\(locale)'")
  }

  // MARK: - Erasure

  func checkErasure(of person: Int, _ body: JSONNode?, sentAt: Int64) {
    let remains = body?["remains"]?.array?.compactMap { $0["where"]?.string } ?? []
    let isSending = remains.contains { $0.contains("sending") }
    // Another request that was sent before may have named the person again.
    let isNamed = flights.values.contains { names($0, person) }
    let alias = aliases[person]
    for (word, note) in model.notes where note.alias == alias && note.identifier != nil {
      if !isSending { model.notes[word]?.isErased = true }
    }
    guard !isNamed else { return }
    erasedAliases.insert(person)
    fail(
      !holds(alias), .erasureComplete,
      "the alias of person \(person) is on the disk after the receipt of the erasure")
    for (word, note) in model.notes.sorted(by: { $0.key < $1.key })
    where note.alias == alias && note.identifier != nil && !isSending {
      fail(!holds(word), .erasureComplete, "'\(word)' is on the disk after the receipt of the erasure")
    }
    // Also of devices that were deleted before, and not meanwhile.
    for device in tokens.indices
    where model.devices[device].owners == [nil] && !isSending && isErased(device, person, since: sentAt) {
      let isAsked = flights.values.contains { touches($0, device) } || model.namedDevices.contains(device)
      fail(
        isAsked || !holds(tokens[device]), .erasureComplete,
        "the token of device \(device) is on the disk, and it is not registered")
    }
  }

  private func isErased(_ device: Int, _ person: Int, since sentAt: Int64) -> Bool {
    model.changedAt[device] < sentAt || model.lastOwner[device] == person
  }

  private func names(_ flight: Flight, _ person: Int) -> Bool {
    switch flight.subject {
    case .change(.register(let other), _, _): other == person
    case .notify(let word): model.notes[word]?.person == person
    case .channel(let ask): ask.person == person
    default: false
    }
  }

  // MARK: - Quotas

  private static let window: Int64 = 60_000

  /// A limiter counts a request between its sending and its answer, in windows of a minute.
  func checkQuota(_ flight: Flight, _ response: HTTPResponse, _ text: String) {
    guard flight.subject != .intrude else { return }
    let counted = ServiceModel.Counted(process: flight.process, credential: flight.credential)
    if let field = response.fields["RateLimit"], let left = Self.remaining(field) {
      fail(
        left < Self.requestsPerMinute, .quotaKept,
        "after a request \(left) of \(Self.requestsPerMinute) requests a minute are left")
    }
    let earliest = flight.sentAt - Self.window
    model.answered[counted, default: []].removeAll { $0 < time.uptimeMilliseconds - 3 * Self.window }
    // APNs may have had enough of a channel.
    guard response.status == 429, !text.contains("APNs refuses it") else {
      model.answered[counted, default: []].append(time.uptimeMilliseconds)
      return
    }
    let underWay = flights.values.count {
      $0.process == flight.process && $0.credential == flight.credential && $0.subject != .intrude
    }
    let count = model.answered[counted, default: []].count { $0 >= earliest } + underWay
    fail(
      count >= Self.requestsPerMinute, .quotaKept,
      "a request is refused after \(count) of \(Self.requestsPerMinute) in a minute")
  }

  /// `r` of a RateLimit field.
  private static func remaining(_ field: String) -> Int? {
    field.split(separator: ";").first { $0.hasPrefix("r=") }.flatMap { Int($0.dropFirst(2)) }
  }

  // MARK: - Secrets

  func checkSecrets(_ text: [UInt8], _ place: String) {
    for secret in credentials.map({ $0.text.suffix(32) }) + [forged.suffix(32)] {
      fail(
        !text.withUnsafeBytes { Array(secret.utf8).isFound(in: $0) }, .secretsHidden,
        "\(place) holds a credential")
    }
  }

  /// What operators read says nothing of persons and devices either.
  func checkReport(_ text: String) {
    let bytes = Array(text.utf8)
    checkSecrets(bytes, "a message to the operator")
    for secret in tokens + aliases + [SwarmConfiguration.password] {
      fail(
        !bytes.withUnsafeBytes { Array(secret.utf8).isFound(in: $0) }, .secretsHidden,
        "a message to the operator names a device, a person or a password: \(text)")
    }
  }

  // MARK: - Journals

  /// How long a journal is kept after its message has ended. Ours: short enough for a story.
  static let retention = RegistryStore.Retention(transactional: .seconds(3_600), campaign: .seconds(7_200))

  /// A server removes what is old, and nothing of what has not ended.
  func prune() {
    guard let index = anyServer(), let server = running(index) else { return }
    let now = time.now
    let known = Set(model.notes.values.compactMap(\.identifier)).sorted()
    let before = known.map { progress(of: $0, server.registry) }
    do throws(RegistryError) {
      try server.registry.keepJournal(Self.retention, at: now)
      record(party(index), "prune")
    } catch {
      record(party(index), "prune-failed", [("reason", .string(error.message))])
    }
    for (identifier, before) in zip(known, before) {
      guard let before, let isThere = isThere(identifier, server.registry) else { continue }
      guard isThere else {
        let isOpen = before.open > 0 || before.isExpanding
        fail(!isOpen, .deliveryStored, "message \(identifier) is removed, and had not ended")
        continue
      }
      guard let after = progress(of: identifier, server.registry) else { continue }
      fail(
        Self.lines(after) >= Self.lines(before), .deliveryStored,
        "message \(identifier) is there, and deliveries of it are removed")
    }
    for (word, note) in model.notes where note.earliest.advanced(by: Self.retention.transactional) <= now {
      model.notes[word]?.mayBeGone = true
    }
  }

  /// What has become of a message; nil where the store does not say.
  func progress(of identifier: String, _ registry: Registry) -> MessageProgress? {
    guard let number = Int64(identifier) else { return nil }
    return try? registry.askAndWait { store throws(RegistryError) in try store.progress(of: number) }
  }

  /// The lines that a message has in the journal.
  static func lines(_ progress: MessageProgress) -> Int64 {
    progress.open + progress.outcomes.values.reduce(0) { $0 + $1.values.reduce(0, +) }
  }

  /// Whether a message is there; nil where the store does not say.
  private func isThere(_ identifier: String, _ registry: Registry) -> Bool? {
    guard let number = Int64(identifier) else { return nil }
    return try? registry.askAndWait { store throws(RegistryError) in try store.message(number) != nil }
  }
}
