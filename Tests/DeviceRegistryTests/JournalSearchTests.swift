import LinkspanCore
import PushProvider
import PushTerms
import RegistryRequests
import TestSupport
import Testing

@testable import DeviceRegistry

/// A search of the journal finds what a slow and obvious reading of all lines finds, whichever way it takes.
@Suite struct JournalSearchTests {
  private let sending = SendingContractTests()
  private static let other = "com.example.other"
  private static let rare = "com.example.rare"

  /// Deliveries of three topics in every state: accepted, rejected, expired, to be sent again, sending and queued.
  private func fill(_ registry: Registry) async throws {
    try await sending.register(registry, 24) { number, registration in
      registration.key.topic = PushTopic(["com.example.app", Self.other, Self.rare][number % 3])!
    }
    // More messages of one topic than are looked through one by one.
    for (topic, count) in [(Self.rare, 1), ("com.example.app", 3), (Self.other, 101)] {
      for _ in 0..<count {
        _ = try await sending.start(
          registry,
          SendingContractTests.campaign { request in
            request.content = MessageContent(
              topic: PushTopic(topic)!, environment: .production, type: .alert, priority: .immediate,
              payload: #"{"aps":{"alert":"Hi"}}"#)
          })
      }
    }
    for turn in 0..<4 {
      let claimed = try await sending.claim(registry, limit: 60)
      try await sending.record(
        registry,
        claimed.enumerated().compactMap { index, delivery in
          switch (index + turn) % 5 {
          case 0: DeliveryOutcome(delivery.identifier, .rejected, status: 400, reason: "BadTopic")
          case 1: DeliveryOutcome(delivery.identifier, .expired)
          case 2: nil
          default: DeliveryOutcome(delivery.identifier, .accepted, status: 200)
          }
        })
    }
  }

  @Test(arguments: StoreKind.allCases) func findsWhatAnObviousReadingFinds(_ kind: StoreKind) async throws {
    try await kind.test { registry in
      try await fill(registry)
      let all = try await registry.answer { store throws(RegistryError) in
        try store.deliveries(DeliveryFilter(), limit: 10_000)
      }
      #expect(Set(all.map(\.state)).isSuperset(of: [.accepted, .rejected, .expired, .sending]))
      #expect(Set(all.map(\.topic)).count == 3)
      let middle = all[all.count / 2].identifier
      for topic in [nil, "com.example.app", Self.other, Self.rare, "com.example.none"] {
        for state in [nil, DeliveryState.accepted, .rejected, .expired, .cancelled, .sending, .queued] {
          for (reason, before) in [(nil, nil), ("BadTopic", nil), ("Unregistered", nil), (nil, middle)] {
            var filter = DeliveryFilter()
            (filter.topic, filter.state, filter.reason) = (topic, state, reason)
            let asked = filter
            let found = try await registry.answer { store throws(RegistryError) in
              try store.deliveries(asked, before: before, limit: 40)
            }
            let wanted = all.filter { delivery in
              (topic == nil || delivery.topic == topic) && (state == nil || delivery.state == state)
                && (reason == nil || delivery.reason == reason) && delivery.identifier < before ?? .max
            }
            #expect(
              found.map(\.identifier) == wanted.prefix(40).map(\.identifier),
              "\(topic ?? "any"), \(state?.rawValue ?? "any"), \(reason ?? "any")")
          }
        }
      }
    }
  }
}
