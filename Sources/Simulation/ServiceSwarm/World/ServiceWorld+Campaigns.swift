internal import LinkspanCore

/// Campaigns that clients start.
extension ServiceWorld {
  func startCampaign(credential: Int) {
    let word = newWord("campaign")
    model.notes[word] = .init(
      word: word, person: nil, alias: nil, credential: credential, key: nil, earliest: time.now)
    let kinds = CampaignKind.allCases
    let body = JSON.object(
      [
        ("name", .string(word)), ("topic", .string(VirtualAPNs.topic)),
        ("environment", .string("production")),
      ] + options(of: kinds[wordCount % kinds.count], word))
    send("POST", "/v1/campaigns", body, credential: credential, for: .campaign(word: word))
  }

  /// What a campaign has beside its audience, in turn.
  private enum CampaignKind: CaseIterable {
    case plain, languages, variants, capped, quiet, scheduled, queried, personal
  }

  private func options(of kind: CampaignKind, _ word: String) -> [(String, JSON)] {
    let payload = payload(word)
    let all = ("audience", JSON.string("all"))
    func special(_ name: String) -> JSON {
      .object([("aps", .object([("alert", .string(word))])), ("for", .string(name))])
    }
    switch kind {
    case .plain: return [all, ("payload", payload)]
    case .languages:
      return [
        all, ("payloads", .object([("default", payload), ("de", special("de")), ("pt", special("pt"))])),
      ]
    case .variants:
      let variants = ["a", "b"].map { name in
        JSON.object([("name", .string(name)), ("share", .number("0.5")), ("payload", special(name))])
      }
      return [all, ("variants", .array(variants)), ("holdout", .number("0.25"))]
    case .capped:
      return [all, ("payload", payload), ("cap", .object([("count", .int(1)), ("per_s", .int(3_600))]))]
    case .quiet:
      // Now, for devices in UTC, and soon over.
      func clock(_ seconds: Int64) -> JSON {
        .string(String(time.now.advanced(by: .seconds(seconds)).description.dropFirst(11).prefix(5)))
      }
      let hours = JSON.object([("from", clock(-1_800)), ("to", clock(300))])
      return [all, ("payload", payload), ("quiet_hours", hours)]
    case .scheduled:
      // An hour ahead of UTC, as its clocks show it.
      let start = time.now.advanced(by: .seconds(3_660)).description.dropLast() + "+01:00"
      return [
        all, ("payload", payload), ("starts_at", .string(String(start))), ("throttle_per_second", .int(2)),
      ]
    case .queried:
      let query = DeviceQuery.all[wordCount / CampaignKind.allCases.count % DeviceQuery.all.count]
      model.notes[word]?.audience = Set(tokens.indices.filter { query.mayFit(DeviceTraits($0)) || isOld($0) })
      return [("query", query.json), ("payload", payload)]
    case .personal:
      let payload = JSON.object([
        ("aps", .object([("alert", .string(word))])), ("locale", .string("{{locale|none}}")),
      ])
      return [all, ("payload", payload), ("template", .bool(true))]
    }
  }
}
