internal import LinkspanConsole
internal import LinkspanCore
internal import LinkspanServer
internal import RegistryRequests
internal import RegistryServer

/// Pauses campaigns of which APNs rejects too much (``CampaignGuard``), by the API like a person, from counts and not from
/// single deliveries.
final class CampaignWatch: Sendable {
  /// Ours: twice within the two seconds that a pause may take.
  static let periodMilliseconds: Int64 = 900
  /// In the audit log.
  private static let actor = "automatic"
  /// Campaigns that are looked at, the newest ones. Ours.
  private static let limit = 100

  private struct State {
    var rule: CampaignGuard
    var isAsked = false
    /// What was paused and still is, by campaign.
    var paused: [String: String] = [:]
  }

  private let api: RegistryAPI
  private let report: @Sendable (String) -> Void
  private let state: LockedState<State>

  /// - Parameters:
  ///   - leastAnswers: Fewer answers say nothing.
  ///   - report: Takes a sentence for the operator about each pause.
  init(
    _ api: RegistryAPI, percent: Int, leastAnswers: Int = CampaignGuard.leastAnswers,
    report: @escaping @Sendable (String) -> Void
  ) {
    self.api = api
    self.report = report
    state = LockedState(State(rule: CampaignGuard(percent: percent, leastAnswers: leastAnswers)))
  }

  /// What was paused and waits for a person.
  var notices: [ConsoleNotice] {
    state.withLock { $0.paused }.sorted { $0.key < $1.key }.map { identifier, words in
      ConsoleNotice(words, link: "/push/campaigns/\(identifier)")
    }
  }

  /// Looks at the campaigns that run, without waiting for the answer.
  func look() {
    let mayAsk = state.withLock { state in
      defer { state.isAsked = true }
      return !state.isAsked
    }
    guard mayAsk else { return }
    let request = HTTPRequest(
      method: "GET", authority: "registry", target: "/v1/campaigns?limit=\(Self.limit)")
    api.answer(request, as: Self.actor) { [self] response in
      let list = JSONParser.parse(response.body).root?["campaigns"]?.array ?? []
      let bad = state.withLock { state in
        state.isAsked = false
        return response.status == 200 ? Self.excesses(list, &state) : []
      }
      for (identifier, words) in bad { pause(identifier, words) }
    }
  }

  private static func excesses(_ list: [JSONNode], _ state: inout State) -> [(String, String)] {
    state.rule.keep(Set(list.compactMap { $0["id"]?.string }))
    var excesses: [(String, String)] = []
    for campaign in list {
      guard let identifier = campaign["id"]?.string else { continue }
      if campaign["state"]?.string != "paused" { state.paused[identifier] = nil }
      guard campaign["state"]?.string == "running",
        let found = state.rule.excess(identifier, counts(of: campaign))
      else { continue }
      let share = found.rejections * 100 / found.answers
      excesses.append(
        (
          identifier,
          "Campaign \(identifier) was paused: APNs rejected \(found.rejections) of \(found.answers) pushes (\(share) %)."
        ))
    }
    return excesses
  }

  private static func counts(of campaign: JSONNode) -> CampaignGuard.Counts {
    func number(_ group: String, _ name: String) -> Int { campaign[group]?[name]?.int ?? 0 }
    let rejected = number("deliveries", "rejected")
    var gone = number("reasons", "Unregistered") + number("reasons", "ExpiredToken")
    #if PLANTED_BUGS
      if ServiceBug.goneDevicesCounted.isPlanted { gone = 0 }
    #endif
    return CampaignGuard.Counts(
      answers: number("deliveries", "accepted") + rejected, rejections: max(0, rejected - gone))
  }

  private func pause(_ identifier: String, _ words: String) {
    let request = HTTPRequest(
      method: "POST", authority: "registry", target: "/v1/campaigns/\(identifier)/pause")
    api.answer(request, as: Self.actor) { [self] response in
      // Somebody else was quicker, or it has ended.
      guard response.status == 200 else { return }
      report(words + " Resume or cancel it in the console.")
      state.withLock { $0.paused[identifier] = words }
    }
  }
}
