import LinkspanCore
import PushProvider
import TestSupport
import Testing

@testable import DeviceRegistry
@testable import RegistryDatabases
@testable import RegistryRequests

/// Notifications that a sender gets from its own process in place of the store.
@Suite("Recent messages", .timeLimit(.minutes(5)))
struct RecentMessagesTests {
  private static let now = SendingContractTests.now

  private static func message(_ identifier: Int64) -> Message {
    Message(
      identifier: identifier, kind: .notification, content: SendingContractTests.content,
      audience: Audience(), state: .running, estimate: 1, createdAt: now, giveUpAt: now)
  }

  /// Stores a notification as the server does; nil, with an issue, where it is not stored.
  private static func notify(_ registry: Registry, _ order: NotificationOrder) async throws -> Message? {
    let result = try await withCheckedThrowingContinuation { answer in
      registry.notify(order) { answer.resume(with: $0) }
    }
    guard case .stored(let message, _) = result else {
      Issue.record("\(result)")
      return nil
    }
    return message
  }

  @Test func eachIsTakenOnce() {
    var recent = RecentMessages()
    for identifier in 1...3 { recent.keep(Self.message(Int64(identifier))) }
    #expect(recent.take([1, 3, 7]).map(\.identifier).sorted() == [1, 3])
    #expect(recent.take([1, 2, 3]).map(\.identifier) == [2])
  }

  @Test func theNewestStay() {
    var recent = RecentMessages()
    let length = Int64(RecentMessages.generationLength)
    for identifier in 1...2 * length { recent.keep(Self.message(identifier)) }
    #expect(recent.take([1, length]).count == 2)
    recent.keep(Self.message(2 * length + 1))
    #expect(recent.take(Set(1...2 * length + 1)).map(\.identifier).min() == length + 1)
  }

  @Test(arguments: StoreKind.allCases)
  func itIsWhatTheStoreHas(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      var content = SendingContractTests.content
      content.payload = #"{"aps":{"alert":"Your code is 123456 — ✓"}}"#
      content.collapseIdentifier = "code"
      content.expiration = 1_900_000_000
      let order = NotificationOrder(
        NotificationRequest(
          content: content, tokens: [try DeviceToken(SendingContractTests.token(1))], aliases: [],
          confirmed: nil),
        actor: "test", at: Self.now, nil, isRefused: { _ in false },
        kept: { _ in .init(status: 202, body: "{}") })
      guard let message = try await Self.notify(registry, order) else { return }
      let identifiers: Set = [message.identifier, message.identifier + 1]
      let payload = content.payload
      try await registry.changed { store throws(RegistryError) in
        let stored = try store.messages(identifiers)
        try store.database.run("UPDATE messages SET payload = '{\"aps\":{}}'")
        let kept = try registry.messages(identifiers, in: store)
        #expect(kept.map(\.identifier) == [message.identifier])
        #expect("\(kept)" == "\(stored)")
        #expect(kept.first?.content.payload == payload)
        // Taken: now the store is asked.
        let read = try registry.messages(identifiers, in: store)
        #expect(read.map(\.content.payload) == [#"{"aps":{}}"#])
      }
    }
  }

  /// Nobody claims it any more, so nobody takes it either.
  @Test(arguments: StoreKind.allCases)
  func oneWithoutDevicesIsNotKept(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      let order = NotificationOrder(
        NotificationRequest(
          content: SendingContractTests.content, tokens: [], aliases: ["nobody"], confirmed: nil),
        actor: "test", at: Self.now, nil, isRefused: { _ in false },
        kept: { _ in .init(status: 202, body: "{}") })
      guard let message = try await Self.notify(registry, order) else { return }
      #expect(message.finishedAt == Self.now)
      #expect(registry.recent.withLock { $0.take([message.identifier]) }.isEmpty)
    }
  }
}
