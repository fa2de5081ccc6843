internal import DeviceRegistry
internal import LinkspanCore
internal import LinkspanDaemon
internal import PushSending

/// What a server looks at again and again: whether its registry takes changes, and whether APNs rejects too much of a campaign.
extension ServiceWorld {
  /// Of a campaign's answers, the percentage of rejections above which it is paused, and the fewest answers that say something.
  /// Ours: stories have eight devices.
  static let (pauseAbove, leastAnswers) = (20, 2)

  /// Milliseconds between two looks, as `serve` has them.
  private static let registryPeriod = RegistryWatch.periodMilliseconds
  private static let campaignPeriod: Int64 = 900

  /// Has the timers of a server run that are due.
  func tickTimers(_ index: Int) {
    guard let server = running(index) else { return }
    let now = time.uptimeMilliseconds
    if now - server.lookedAt.registry >= Self.registryPeriod {
      servers[index]?.lookedAt.registry = now
      server.pages.lookAtRegistry()
    }
    lookForOrders(index)
    // Without rejections there is nothing to see.
    guard apns.hasRefused, now - server.lookedAt.campaigns >= Self.campaignPeriod else { return }
    servers[index]?.lookedAt.campaigns = now
    server.pages.lookAtCampaigns()
  }

  /// Notes the rejections that APNs gave.
  func noteRefusals() {
    for payload in apns.takeRefused() {
      let word = JSONParser.parse(payload).root?["aps"]?["alert"]?.string ?? ""
      model.notes[word]?.refused += 1
      // Whatever a server pauses now is audited, whether it is told or not.
      model.leaveAuditOpen("campaign.pause")
    }
  }

  /// A campaign was paused, and an operator told why.
  func noteGuard() {
    for text in guarded.takeAll() {
      record("server", "guard", [("says", .string(text))])
      reached.insert("campaign guarded")
      let numbers = text.split { !$0.isNumber }.compactMap { Int($0) }
      guard numbers.count >= 4,
        let note = model.notes.values.first(where: { $0.identifier == "\(numbers[0])" })
      else { continue }
      let (rejected, answers) = (numbers[1], numbers[2])
      require(
        note.person == nil && answers >= Self.leastAnswers && rejected * 100 > Self.pauseAbove * answers,
        .campaignsGuarded, "a campaign is paused, and not too much of it is rejected: \(text)")
      require(
        rejected <= note.refused, .campaignsGuarded,
        "a campaign is paused for \(rejected) rejections, and APNs rejected \(note.refused) pushes of it: \(text)"
      )
    }
  }

  /// When the faults are over, every server finds that its registry takes changes.
  func checkRegistryWatches() {
    for _ in 0..<3 {
      time.advance(5_001)
      for index in servers.indices {
        tickTimers(index)
        while running(index)?.registry.step() == true {}
      }
    }
    for index in servers.indices {
      guard let server = running(index) else { continue }
      let request = HTTPRequest(authority: "operator", target: "/readyz?part=registry")
      let response = server.pages.operatorResponse(to: request)
      require(
        response.status == 200, .drains,
        "the registry of \(party(index)) takes changes again, and /readyz answers \(response.status)")
    }
  }
}

/// What the service tells, until the next check takes it.
///
/// `@unchecked Sendable`: the one thread of a simulation has it; completions of the service are called there.
final class NewsBox<News>: @unchecked Sendable {
  private var news: [News] = []

  func add(_ one: News) { news.append(one) }

  func takeAll() -> [News] {
    defer { news = [] }
    return news
  }
}
