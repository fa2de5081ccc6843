internal import DeviceRegistry
internal import LinkspanConsole
internal import LinkspanCore
internal import PushTerms
internal import RegistryRequests
internal import SimulatedStores

/// Exports of other services that an operator imports, and clients that know only the routes of 2013.
extension ServiceWorld {
  // MARK: - Imports

  /// An operator imports some devices of a person, as another service exports them.
  func importDevices(of person: Int) {
    letAnswersCome()
    // What is asked meanwhile may come before or after it.
    guard flights.isEmpty, let index = anyServer(), let registry = running(index)?.registry else { return }
    let alias = alias(of: person)
    let chosen = tokens.indices.filter { _ in chance.chance(1, in: 3) }
    let isTable = chance.chance(1, in: 2)
    let export = isTable ? table(of: chosen, alias) : objects(of: chosen, alias)
    var reader = ForeignReader(
      isTable ? .onesignal : .parse, .init(topic: VirtualAPNs.topic, environment: .production))
    for line in export { reader.add(Array(line.utf8)) }
    reader.finish()
    var (devices, others) = ([Device](), 0)
    for row in reader.takeRows() {
      switch row.result {
      case .success(.device(let device)): devices.append(device)
      case .success(.otherPlatform), .success(.disabled), .failure: others += 1
      }
    }
    require(
      devices.map(\.token) == chosen.map { tokens[$0] } && others == 3, .registrationDurable,
      "an export with \(chosen.count) devices and 3 other rows is read as \(devices.count) and \(others)")
    guard !devices.isEmpty, violation == nil else { return }
    store(devices, chosen, person, in: registry, of: index)
  }

  private func store(
    _ devices: [Device], _ chosen: [Int], _ person: Int, in registry: Registry, of index: Int
  ) {
    let now = time.now
    // A device that is there keeps what is newer: nobody here knows which that is.
    let change = DeviceChange.register(person: person)
    for device in chosen where model.mayBeDead.contains(device) { apns.install(tokens[device]) }
    var isStored = true
    do throws(RegistryError) {
      try registry.changeAndWait { [devices] store throws(RegistryError) in
        let count = try store.importDevices(devices, at: now)
        try store.audit([AuditEntry(time: now, actor: "operator", action: "device.import", affected: count)])
      }
      model.noteStored()
    } catch {
      isStored = false
      if postgres == nil, error.message.contains("It is not known whether") {
        for device in chosen { model.leaveOpen(change, of: device) }
      }
    }
    record(
      "operator", isStored ? "import" : "import-failed",
      [("server", .string(party(index))), ("person", .int(person)), ("devices", .int(devices.count))])
    for device in chosen {
      if isStored, model.devices[device].owners == [nil] {
        model.take(change, of: device, at: time.uptimeMilliseconds)
      } else {
        model.mayTake(change, of: device, at: time.uptimeMilliseconds)
      }
    }
    model.audit("device.import", isCertain: isStored)
  }

  /// Ours: turns in which what was asked is answered, unless APNs or an erasure lets it wait.
  private static let patience = 50

  private func letAnswersCome() {
    for _ in 0..<Self.patience where !flights.isEmpty {
      for index in servers.indices { running(index)?.registry.step() }
      time.advance(1)
      hear()
    }
  }

  /// As OneSignal's `players/csv_export` has them.
  private func table(of devices: [Int], _ alias: String) -> [String] {
    let seconds = time.now.milliseconds / 1_000
    return ["id,identifier,device_type,external_user_id,invalid_identifier,last_active,tags"]
      + devices.map { "\($0),\(tokens[$0]),0,\(alias),f,\(seconds),\"{\"\"team\"\":\"\"red\"\"}\"" }
      + ["97,,1,\(alias),f,\(seconds),", "98,,0,\(alias),f,\(seconds),", "99,xyz,0,\(alias),f,\(seconds),"]
  }

  /// As `mongoexport` writes the `_Installation` of a Parse Server.
  private func objects(of devices: [Int], _ alias: String) -> [String] {
    func line(_ type: String, _ token: String?) -> String {
      JSON.object([
        ("deviceType", .string(type)), ("deviceToken", JSON(token)),
        ("appIdentifier", .string(VirtualAPNs.topic)),
        ("_p_user", .string("_User$\(alias)")),
        ("_updated_at", .object([("$date", .number("\(time.now.milliseconds)"))])),
      ]).text
    }
    return devices.map { line("ios", tokens[$0]) } + [
      line("android", "x"), line("ios", nil), line("ios", "xyz"),
    ]
  }

  // MARK: - The routes of 2013

  /// The last device has an app of then.
  func isOld(_ device: Int) -> Bool { device == tokens.count - 1 }

  private func oldPath(_ device: Int) -> String {
    let base = chance.chance(1, in: 2) ? "/push_notification" : ""
    return "\(base)/devices/\(tokens[device])\(chance.chance(1, in: 4) ? "/" : "")"
  }

  func registerOld(_ device: Int, _ person: Int) {
    let values = [("alias", alias(of: person)), ("locale", "de_DE"), ("timezone", "Europe/Berlin")]
    let subject = Flight.Subject.change(.register(person: person), device: device, credential: 0)
    if chance.chance(1, in: 2) {
      let form = values.map { "\($0.0)=\(URLText.encoded($0.1))" }.joined(separator: "&")
      send("PUT", oldPath(device), form: form, for: subject)
    } else {
      send("PUT", oldPath(device), .object(values.map { ($0.0, .string($0.1)) }), for: subject)
    }
  }

  func deleteOld(_ device: Int) {
    send("DELETE", oldPath(device), for: .change(.delete, device: device, credential: 0))
  }

  func lookOld(_ device: Int, credential: Int) {
    send("GET", oldPath(device), credential: credential, for: .look(device: device))
  }

  /// A push as Helios took it: to one device, or to all.
  func message(credential: Int) {
    let isForAll = chance.chance(1, in: 2)
    let word = newWord("message")
    model.notes[word] = .init(
      word: word, person: nil, alias: nil, credential: credential, key: nil, earliest: time.now)
    model.notes[word]?.isByToken = !isForAll
    let payload = URLText.encoded(payload(word).text)
    let device = Int(chance.draw(0...Int64(tokens.count - 1)))
    if !isForAll { model.namedDevices.insert(device) }
    send(
      "POST", "/message", credential: credential,
      form: "payload=\(payload)&" + (isForAll ? "audience=all" : "tokens=\(tokens[device])"),
      for: .message(word: word, isForAll: isForAll))
  }
}
