internal import LinkspanConsole
internal import LinkspanCore
internal import LinkspanServer
internal import RegistryRequests
internal import RegistryServer

/// Pauses campaigns of which APNs rejects too much (``CampaignGuard``), by the API like a person, from counts and not from
/// single deliveries; and knows which campaigns are paused, whoever did that.
final class CampaignWatch: Sendable {
  /// Ours: twice within the two seconds that a pause may take.
  static let periodMilliseconds: Int64 = 900
  /// In the audit log.
  private static let actor = RegistryAPI.automatic
  /// Campaigns that are looked at, the newest of those that run and of those that are paused. Ours.
  private static let limit = 100

  private struct State {
    var rule: CampaignGuard
    var isAsked = false
    /// Why this server has paused what it has, by campaign.
    var reasons: [String: String] = [:]
    /// What is paused, and why where that is known.
    var paused: [(identifier: String, reason: String?)] = []
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

  /// What is paused and waits for a person.
  var notices: [ConsoleNotice] {
    let paused = state.withLock { $0.paused }
    let known = paused.compactMap { campaign in
      campaign.reason.map { ConsoleNotice($0, link: Self.page(campaign.identifier)) }
    }
    let others = paused.filter { $0.reason == nil }.map(\.identifier)
    switch others.count {
    case 0: return known
    case 1: return known + [ConsoleNotice("Campaign \(others[0]) is paused.", link: Self.page(others[0]))]
    default: return known + [ConsoleNotice("\(others.count) campaigns are paused.", link: "/push")]
    }
  }

  private static func page(_ identifier: String) -> String { "/push/campaigns/\(identifier)" }

  /// Looks at the campaigns that run and at those that are paused, without waiting for the answers.
  ///
  /// - Parameter done: Called when they are there.
  func look(_ done: @escaping @Sendable () -> Void = {}) {
    let mayAsk = state.withLock { state in
      defer { state.isAsked = true }
      return !state.isAsked
    }
    guard mayAsk else { return done() }
    list("running") { [self] running in
      list("paused") { [self] paused in
        let bad = state.withLock { state in
          state.isAsked = false
          guard let running, let paused else { return [(String, String)]() }
          return Self.excesses(running, paused, &state)
        }
        for (identifier, words) in bad { pause(identifier, words) }
        done()
      }
    }
  }

  private func list(_ state: String, _ done: @escaping @Sendable ([JSONNode]?) -> Void) {
    let target = "/v1/campaigns?state=\(state)&limit=\(Self.limit)"
    let request = HTTPRequest(method: "GET", authority: "registry", target: target)
    api.answer(request, as: Self.actor) { response in
      done(response.status == 200 ? JSONParser.parse(response.body).root?["campaigns"]?.array : nil)
    }
  }

  private static func excesses(
    _ running: [JSONNode], _ paused: [JSONNode], _ state: inout State
  ) -> [(String, String)] {
    func identifiers(_ list: [JSONNode]) -> Set<String> { Set(list.compactMap { $0["id"]?.string }) }
    state.rule.keep(identifiers(running + paused))
    state.reasons = state.reasons.filter { identifiers(paused).contains($0.key) }
    state.paused = paused.compactMap { campaign in
      campaign["id"]?.string.map { ($0, state.reasons[$0] ?? reason(of: campaign, $0)) }
    }
    for (campaign, place) in zip(paused, state.paused) {
      state.rule.note(place.identifier, counts(of: campaign))
    }
    var excesses: [(String, String)] = []
    for campaign in running {
      guard let identifier = campaign["id"]?.string,
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

  /// Why a campaign has paused by itself, as far as the registry says so.
  private static func reason(of campaign: JSONNode, _ identifier: String) -> String? {
    if let grown = campaign["grown_to"]?.int {
      let devices = (campaign["devices"]?.int ?? 0).counted("device")
      return
        "Campaign \(identifier) was paused at its start: \(grown) match, and it was confirmed for \(devices)."
    }
    if campaign["not_understood"]?.array?.isEmpty == false {
      return "Campaign \(identifier) was paused: this version does not understand all of it."
    }
    return nil
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
      state.withLock { state in
        state.reasons[identifier] = words
        if !state.paused.contains(where: { $0.identifier == identifier }) {
          state.paused.append((identifier, words))
        }
      }
      report(words + " Resume or cancel it in the console.")
    }
  }
}
