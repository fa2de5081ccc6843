import LinkspanCore
import LinkspanServer
import TestSupport
import Testing

@testable import LinkspanDaemon

/// Orders that wait while the thread that publishes is busy, as behind a store that does not answer.
@Suite struct LateOrderTests {
  /// The client was answered no by then, or is at once: a change that comes all the same would surprise.
  @Test func anOrderThatIsTakenTooLateIsRefusedAndNotCarriedOut() throws {
    let time = LockedState(ContinuousClock.now)
    let orders = try PublicationOrders(state: nil) { time.withLock { $0 } }
    let told = LockedState<[String]>([])
    let add = { (host: String) in
      orders.add(.order(.release(host: host)), actor: "ci") { result in
        guard case .failure(let error) = result else { return }
        told.withLock { $0.append("\(host): \(error.text), \(error.kind)") }
      }
    }
    add("old.example")
    orders.add(.obey([]), actor: "") { _ in }
    time.withLock { $0 += PublicationOrders.patience }
    add("new.example")
    let left = orders.take().filter { !orders.refusesLate($0) }
    #expect(left.count == 2)
    #expect(
      told.withLock { $0 } == [
        "old.example: Other changes took too long. Nothing was changed. Try again in a moment., unavailable"
      ])
  }
}
