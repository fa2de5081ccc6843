internal import DeviceRegistry
internal import LinkspanCore
internal import RegistryRequests

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

  private func touches(_ flight: Flight, _ device: Int) -> Bool {
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
    guard !isDisturbed, let deliveries = body?["deliveries"]?.object else { return }
    let count = deliveries.filter { $0.name != "maybe_twice" }.reduce(0) { $0 + ($1.value.int ?? 0) }
    let expected = model.deviceCount(of: person)
    fail(
      expected.contains(count), .deliveryStored,
      "'\(word)' has \(count) deliveries; person \(person) has \(expected.lowerBound) to \(expected.upperBound) devices"
    )
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
    fail(
      !note.isErased, .erasureComplete,
      "APNs got '\(word)' for person \(note.person ?? -1) after the receipt of the erasure")
    note.accepted[device, default: 0] += 1
    model.notes[word] = note
  }

  // MARK: - Erasure

  func checkErasure(of person: Int, _ body: JSONNode?) {
    let remains = body?["remains"]?.array?.compactMap { $0["where"]?.string } ?? []
    let isSending = remains.contains { $0.contains("sending") }
    // Another request that was sent before may have named the person again.
    let isNamed = flights.values.contains { names($0, person) }
    for (word, note) in model.notes where note.person == person && note.identifier != nil {
      if !isSending { model.notes[word]?.isErased = true }
    }
    guard !isNamed else { return }
    erasedAliases.insert(person)
    fail(
      !disk.holds(aliases[person]), .erasureComplete,
      "the alias of person \(person) is on the disk after the receipt of the erasure")
    for (word, note) in model.notes.sorted(by: { $0.key < $1.key })
    where note.person == person && note.identifier != nil && !isSending {
      fail(!disk.holds(word), .erasureComplete, "'\(word)' is on the disk after the receipt of the erasure")
    }
    for device in tokens.indices where model.devices[device].owners == [nil] && !isSending {
      let isAsked = flights.values.contains { touches($0, device) }
      fail(
        isAsked || !disk.holds(tokens[device]), .erasureComplete,
        "the token of device \(device) is on the disk, and it is not registered")
    }
  }

  private func names(_ flight: Flight, _ person: Int) -> Bool {
    switch flight.subject {
    case .change(.register(let other), _, _): other == person
    case .notify(let word): model.notes[word]?.person == person
    default: false
    }
  }

  // MARK: - Secrets

  func checkSecrets(_ text: String, _ place: String) {
    for credential in credentials {
      let secret = credential.text.suffix(32)
      fail(!text.contains(secret), .secretsHidden, "\(place) holds a credential")
    }
  }
}
