internal import LinkspanConsole
internal import LinkspanCore
internal import LinkspanDaemon
internal import LinkspanServer

/// Forms of the console that publish and send.
extension ServiceWorld {
  /// A person has a host go back, stay, follow its folder again or go.
  func giveOrder(_ browser: Int, _ host: String, _ page: HTTPResponse) {
    guard violation == nil, let form = SwarmBrowser.form(of: page) else { return }
    let numbers = SwarmBrowser.values("number", of: page)
    let orders = ServiceStep.Order.allCases
    let order = orders[Int(chance.draw(0...Int64(orders.count - 1)))]
    var values = [("form", form)]
    if order == .rollback {
      guard let number = numbers.first else { return }
      values.append(("number", number))
    }
    let target = "/sites/\(host)/\(order.rawValue)"
    let response = ask(browser, browsers[browser].request("POST", target, form: values), "order")
    dieInTheMiddle()
    guard servers[0] != nil, let response else { return }
    require(
      [303, 409].contains(response.status), .formsCountOnce,
      "an order of the console is answered with \(response.status)")
  }

  /// What somebody ordered in the console.
  func carryOut(_ order: PublicationOrder) -> Result<String, ConsoleFailure> {
    switch order {
    case .rollBack(let host, let number): perform(.rollback, Self.place(of: host), number)
    case .pin(let host, let number): perform(.pin, Self.place(of: host), number)
    case .release(let host): perform(.release, Self.place(of: host), nil)
    case .remove(let hosts): perform(.remove, Self.place(of: hosts.first ?? ""), nil)
    case .approve: .failure(ConsoleFailure("Nothing waits for an approval."))
    }
  }

  private static func place(of host: String) -> Int {
    (0..<ServiceStory.hostCount).first { name(ofHost: $0) == host } ?? 0
  }

  // MARK: - Pushes

  /// A person sends to the devices of one person, or starts a campaign, whose number of devices has to be confirmed.
  func sendPush(_ browser: Int, _ form: String) {
    let isCampaign = chance.chance(1, in: 2)
    let person = Int(chance.draw(0...Int64(ServiceStory.personCount - 1)))
    let alias = alias(of: person)
    let word = newWord(isCampaign ? "campaign" : "note")
    model.notes[word] = .init(
      word: word, person: isCampaign ? nil : person, alias: isCampaign ? nil : alias, credential: -1,
      key: nil,
      earliest: time.now)
    var values = [
      ("form", form), ("do", isCampaign ? "start" : "send"), ("topic", VirtualAPNs.topic),
      ("environment", "production"), ("payload", payload(word).text),
    ]
    values += isCampaign ? [("name", word), ("everybody", "yes")] : [("alias", alias)]
    guard var response = ask(browser, browsers[browser].request("POST", "/push", form: values), "push") else {
      return
    }
    if response.status == 200, let count = SwarmBrowser.values("confirm", of: response).first,
      let next = SwarmBrowser.form(of: response)
    {
      values[0].1 = next
      values.append(("confirm", count))
      guard violation == nil,
        let second = ask(browser, browsers[browser].request("POST", "/push", form: values), "push-confirmed")
      else { return }
      response = second
    }
    let kind = isCampaign ? "campaign" : "notification"
    let path = response.fields["Location"] ?? ""
    guard response.status == 303, path.hasPrefix("/push/\(kind)s/") else {
      require(
        response.status != 303, .deliveryStored, "a push is answered with '\(path)', which names no message")
      if !isCampaign { overlapErasures(of: person) }
      return model.audit("\(kind).create", isCertain: false)
    }
    model.noteStored()
    if !isCampaign { overlapErasures(of: person) }
    model.notes[word]?.identifier = String(path.split(separator: "/").last ?? "")
    model.audit("\(kind).create", isCertain: true)
  }
}
