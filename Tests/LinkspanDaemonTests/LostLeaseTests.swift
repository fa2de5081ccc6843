import DeviceRegistry
import LinkspanCore
import LinkspanCrypto
import PushConnections
import PushProvider
import PushTerms
import RegistryRequests
import RegistryServer
import TestSupport
import Testing

@testable import PushSending

/// A sender whose lease ends while pushes are under way: what APNs has answered by then is known, and not sent again.
@Suite struct LostLeaseTests {
  /// Connections that take what is sent, and answer when they are told to.
  private final class PlayedWire: PushWire {
    var events: [PushClient.Event] = []
    var sent: [PushClient.Ticket] = []

    func perform(_ actions: [PushClient.Action]) {
      for action in actions {
        switch action {
        case .open(let number): events.append(.streamLimit(10, on: number))
        case .send(let ticket, _, _): sent.append(ticket)
        default: continue
        }
      }
    }

    func take(within time: Duration) -> [PushClient.Event] {
      defer { events = [] }
      return events
    }

    let alarm: @Sendable () -> Void = {}

    func shutdown() { events = [] }
  }

  private static let accepted = HTTPResponse(status: 200, fields: ["apns-id": "7C2D"])

  private func post(_ registry: Registry, at time: WallTime) -> Int? {
    let api = RegistryAPI(registry, now: { time })
    let tokens = (1...3).map { "\"" + String(repeating: "0\($0)", count: 32) + "\"" }.joined(separator: ",")
    let body =
      #"{"tokens":[\#(tokens)],"topic":"com.example.app","environment":"sandbox","payload":{"aps":{"alert":"Hi"}}}"#
    var request = HTTPRequest(
      method: "POST", authority: "test", target: "/v1/notifications", body: Array(body.utf8))
    request.fields["Content-Type"] = "application/json"
    let answers = WorkQueue<Int>(limit: 1)
    api.answer(request, as: "test") { response in _ = answers.add(response.status) }
    return answers.take(1)?.first
  }

  @Test func whatIsAnsweredByThenIsRecorded() throws {
    let folder = try ScratchFolder()
    let registry = try Registry(.sqlite(path: folder.path("registry.db")))
    defer { registry.stop() }
    let clock = LockedState(try #require(WallTime("2026-09-14T08:00:00Z")))
    #expect(post(registry, at: clock.withLock { $0 }) == 202)
    let drawn = LockedState<UInt64>(0)
    nonisolated(unsafe) let wire = PlayedWire()
    let surroundings = SenderSurroundings(
      now: { clock.withLock { $0 } },
      random: {
        drawn.withLock { drawn in
          drawn += 1
          return drawn
        }
      },
      pause: { time in clock.withLock { $0 = $0.advanced(by: time) } }, wire: { _ in wire })
    let sender = try SteppedSender(
      registry, .sandbox, team: "F6G7H8I9J0", keyIdentifier: "A1B2C3D4E5", key: .generate(),
      surroundings
    ) { _ in }
    func turn(_ count: Int) {
      for _ in 0..<count {
        clock.withLock { $0 = $0.advanced(by: .milliseconds(300)) }
        sender.turn()
      }
    }
    // A connection begins with one push.
    turn(4)
    wire.events = wire.sent.map { .answered($0, Self.accepted) }
    turn(4)
    #expect(wire.sent.count == 3)
    // An answer comes while the process stands still, for longer than any lease.
    wire.events = [.answered(wire.sent[1], Self.accepted)]
    wire.sent = []
    clock.withLock { $0 = $0.advanced(by: .seconds(3_600)) }
    turn(10)
    #expect(wire.sent.count == 1)
    wire.events = wire.sent.map { .answered($0, Self.accepted) }
    turn(4)
    let deliveries = try registry.askNow { store throws(RegistryError) in
      try store.deliveries(DeliveryFilter(), limit: 10)
    }
    #expect(deliveries.map(\.state) == [.accepted, .accepted, .accepted])
    #expect(deliveries.count { $0.isMaybeTwice } == 1)
  }
}
