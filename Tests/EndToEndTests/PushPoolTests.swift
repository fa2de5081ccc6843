import Foundation
import HTTPTransport
import LinkspanCore
import LinkspanCrypto
import PushConnections
import PushProvider
import Testing

/// Connections to APNs that outlive one run (push notes 1.14, 1.16 and 1.18).
@Suite struct PushPoolTests {
  /// Collects the results of batches, and waits for them.
  private final class Results: Sendable {
    private let state = LockedState<[Int: PushResult]>([:])
    private let semaphore = DispatchSemaphore(value: 0)

    func take(_ place: Int, _ result: PushResult) {
      state.withLock { $0[place] = result }
      semaphore.signal()
    }

    func wait(for count: Int) -> [PushResult] {
      for _ in 0..<count { semaphore.wait() }
      return state.withLock { state in state.keys.sorted().compactMap { state[$0] } }
    }
  }

  private static func push(_ number: Int, identifier: String? = nil) throws -> PushNotification {
    var push = PushNotification(
      token: try DeviceToken("abcdabcd" + String(number + 10_000_000)), topic: PushTopic("com.example.app"),
      type: .alert, priority: .immediate, payload: PushPayload.alert("Hi").json.bytes)
    push.messageIdentifier = identifier
    return push
  }

  private static func account(_ authority: String, _ trust: TLSTrust) throws -> PushAccount {
    PushAccount(
      ProviderTokenSigner(
        try ProviderKeyIdentity(team: "F6G7H8I9J0", key: "A1B2C3D4E5"),
        key: try P256PrivateKey(Array(PushTests.key.utf8))),
      scheme: "https", authority: authority, trust: trust)
  }

  @Test func runsShareOneConnectionAndOneToken() throws {
    let tool = try Tool()
    try tool.write(PushTests.key, to: "key.p8")
    // A second provider token within 20 minutes on one connection would be refused, and so would a second connection's
    // be noticed: it begins with one stream.
    let standIn = try StandIn(
      tool,
      ["apns", "--write-certificate", "ca.pem", "--topic", "com.example.app", "--record", "record.jsonl"]
        + PushTests.keyFlags)
    let account = try Self.account(
      String(standIn.url.dropFirst("https://".count)), .authoritiesPEM(try tool.bytes("ca.pem")))
    let pool = PushPool()
    for run in 0..<3 {
      let results = Results()
      let pushes = try (0..<20).map { try Self.push(run * 20 + $0) }
      try pool.send(pushes, as: account, patience: .seconds(30)) { results.take($0, $1) }
      let ended = results.wait(for: 20)
      #expect(ended.allSatisfy { if case .accepted = $0.outcome { true } else { false } })
      #expect(ended.map(\.token) == pushes.map(\.token) && ended.allSatisfy { $0.attemptCount == 1 })
      #expect(pool.unfinishedCount(of: account) == 0)
    }
    let identifier = "123e4567-e89b-12d3-a456-426655440000"
    let results = Results()
    try pool.send([Self.push(99, identifier: identifier)], as: account, patience: .seconds(30)) {
      results.take($0, $1)
    }
    #expect(results.wait(for: 1).map(\.messageIdentifier) == [identifier])
    pool.shutdown()
    #expect(throws: LinkspanError.self) {
      try pool.send([], as: account, patience: .seconds(30)) { _, _ in }
    }
  }

  /// Nobody listens there: the pushes end as not now, and later ones are tried again.
  @Test func whatCannotBeSentEndsAsNotNow() throws {
    let account = try Self.account("127.0.0.1:1", .anyone)
    let pool = PushPool(connections: 4)
    let results = Results()
    try pool.send([Self.push(1), Self.push(2)], as: account, patience: .seconds(30)) { results.take($0, $1) }
    #expect(results.wait(for: 2).allSatisfy { if case .notNow = $0.outcome { true } else { false } })
    pool.shutdown()
  }
}
