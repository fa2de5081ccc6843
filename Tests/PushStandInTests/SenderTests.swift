import LinkspanCore
import LinkspanCrypto
import PushProvider
import Testing

@testable import PushStandIn

/// The push client through a stand-in that does everything wrong that a server can: each push ends once, and is accepted
/// twice only where a connection died after it was sent (push notes, rows 63 to 65).
@Suite struct SenderTests {
  private static let rules = """
    {rules: [
      {share: 0.002, goaway: true}, {share: 0.002, loss: 'answer'}, {share: 0.002, loss: 'request'},
      {share: 0.01, reset: 'REFUSED_STREAM'}, {share: 0.005, reset: true},
      {share: 0.02, answer: 429}, {share: 0.02, answer: 500}, {share: 0.01, answer: 503}, {token: '0*', answer: 410},
      {share: 0.01, settings: {max_concurrent_streams: 2}}, {share: 0.05, settings: {max_concurrent_streams: 50}},
    ], limits: {errors: 1000}}
    """

  /// A network of connections to one stand-in, in memory.
  struct Network {
    var exchange: Exchange
    var client: PushClient
    var generator: SeededGenerator
    var connections: [Int: APNsConnection] = [:]
    var gone: Set<Int> = []
    var underWay: [(ticket: Int, connection: Int, request: HTTPRequest)] = []
    var results: [Int: PushResult] = [:]
    /// How often each message was accepted.
    var accepted: [String: Int] = [:]

    mutating func take(_ actions: [PushClient.Action]) {
      for action in actions {
        switch action {
        case .open(let number): connections[number] = APNsConnection(number: number)
        case .close(let number): connections[number] = nil
        case .send(let ticket, let number, let request): underWay.append((ticket, number, request))
        case .finished(let ticket, let result):
          #expect(results[ticket] == nil, "a second end of \(ticket)")
          results[ticket] = result
        case .ping, .health: break
        }
      }
    }

    /// As the transport tells of GOAWAY and of a connection's end; each request has its own fate beside that.
    mutating func leave(_ number: Int) {
      gone.insert(number)
      take(client.handle(.goingAway(number), at: exchange.now))
    }

    mutating func fail(_ ticket: Int, _ kind: PushClient.Failure.Kind) {
      take(client.handle(.failed(ticket, .init(kind, "the connection died")), at: exchange.now))
    }

    /// Lets one request that is under way meet its fate.
    mutating func step() {
      let index = Int(generator.draw(0...Int64(min(underWay.count, 20) - 1)))
      let (ticket, number, request) = underWay.remove(at: index)
      guard connections[number] != nil, !gone.contains(number) else { return fail(ticket, .notProcessed) }
      let reply = exchange.service.reply(
        to: request, over: &connections[number]!, at: exchange.now)
      if reply.facts.status == 200 { accepted[reply.facts.messageIdentifier!, default: 0] += 1 }
      if let streams = reply.concurrentStreams {
        take(client.handle(.streamLimit(streams, on: number), at: exchange.now))
      }
      if reply.goAway != nil { leave(number) }
      switch reply.ending {
      case .answered: take(client.handle(.answered(ticket, reply.response), at: exchange.now))
      case .reset(code: 7): fail(ticket, .notProcessed)
      case .reset, .silence: fail(ticket, .lost)
      case .requestLost, .answerLost:
        leave(number)
        fail(ticket, .lost)
        for lost in underWay where lost.connection == number { fail(lost.ticket, .lost) }
        underWay.removeAll { $0.connection == number }
      }
    }
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func eachPushEndsOnce(_ seed: UInt64) throws {
    guard case .document(let document) = RulesDocument.parse(SourceText(name: "rules", Self.rules)) else {
      Issue.record("the rules are refused")
      return
    }
    let exchange = try Exchange {
      document.apply(to: &$0)
      $0.tokens = .init()
      $0.seed = seed
    }
    let signer = ProviderTokenSigner(
      try ProviderKeyIdentity(team: "X1X1X1X1X1", key: "K1K1K1K1K1"), key: try Exchange.key.get())
    let count = 3_000
    var network = Network(
      exchange: exchange,
      client: PushClient(
        .init(authority: "api.push.apple.com", deadline: exchange.now.advanced(by: .seconds(86_400))),
        .token(signer), generator: SeededGenerator(seed: seed)),
      generator: SeededGenerator(seed: seed &+ 100))
    for index in 0..<count {
      _ = network.client.submit(
        PushNotification(
          token: try DeviceToken(
            index % 50 == 0 ? "0a0b0c0d0e0f0a0b0c0d" : "abcdabcd" + String(index + 10_000_000)),
          topic: PushTopic("com.example.app"), type: .alert, priority: .immediate,
          payload: PushPayload.alert("Hi").json.bytes))
    }
    network.take(network.client.advance(to: network.exchange.now))
    var steps = 0
    while network.client.unfinishedCount > 0 {
      steps += 1
      try #require(steps < 100_000, "seed \(seed): \(network.client.unfinishedCount) pushes do not end")
      if network.underWay.isEmpty {
        let now = network.exchange.now
        network.exchange.now = max(network.client.wakeUp ?? now, now.advanced(by: .milliseconds(1)))
        network.take(network.client.advance(to: network.exchange.now))
      } else {
        network.step()
      }
    }
    #expect(network.results.count == count)
    for (ticket, result) in network.results {
      let times = network.accepted[result.messageIdentifier] ?? 0
      switch result.outcome {
      case .accepted: #expect(times >= 1, "seed \(seed), push \(ticket)")
      case .rejected: #expect(times == 0 || result.isPossibleDuplicate, "seed \(seed), push \(ticket)")
      case .notNow: #expect(times == 0 || result.isPossibleDuplicate, "seed \(seed), push \(ticket)")
      }
      #expect(
        times <= 1 || result.isPossibleDuplicate, "seed \(seed): push \(ticket) was accepted \(times) times")
    }
    let twice = network.accepted.values.count { $0 > 1 }
    let rejected = network.results.values.count { if case .rejected = $0.outcome { true } else { false } }
    #expect(twice > 0 && rejected == count / 50, "seed \(seed): \(twice) twice, \(rejected) rejected")
  }
}
