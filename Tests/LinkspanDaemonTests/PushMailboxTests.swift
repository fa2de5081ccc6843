import HTTPEngine
import LinkspanCore
import LinkspanSystem
import PushProvider
import Testing

@testable import PushConnections

/// What happens on connections reaches the thread that waits for it.
@Suite("Mailbox of a push client", .timeLimit(.minutes(10)))
struct PushMailboxTests {
  @Test func whatHasHappenedIsTakenAtOnceAndInOrder() {
    let mailbox = PushMailbox()
    #expect(mailbox.take(within: .zero).isEmpty)
    for number in 1...3 { mailbox.put(.goingAway(number)) }
    #expect(numbers(mailbox.take(within: .seconds(86_400))) == [1, 2, 3])
    #expect(mailbox.take(within: .zero).isEmpty)
  }

  @Test func aWaitEndsByAnEventOrACall() throws {
    let mailbox = PushMailbox()
    mailbox.wake()
    #expect(mailbox.take(within: .seconds(86_400)).isEmpty)
    let taken = LockedState<[Int]?>(nil)
    try DetachedThread.start {
      let events = mailbox.take(within: .seconds(86_400))
      taken.withLock { $0 = numbers(events) }
      taken.signal(all: true)
    }
    mailbox.put(.goingAway(7))
    #expect(taken.wait(for: { $0 }) == [7])
  }
}

private func numbers(_ events: [PushClient.Event]) -> [Int] {
  events.compactMap { if case .goingAway(let number) = $0 { number } else { nil } }
}
