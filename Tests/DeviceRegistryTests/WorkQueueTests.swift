import LinkspanSystem
import Testing

@testable import DeviceRegistry
@testable import RegistryDatabases

/// What a thread that gathers jobs waits for. A pause of an hour stands for one that nobody waits for.
@Suite("Work queue", .timeLimit(.minutes(10)))
struct WorkQueueTests {
  static let hour = Duration.seconds(3_600)

  @Test func gathersUntilThereAreEnough() throws {
    let queue = WorkQueue<Int>(limit: 10)
    #expect(queue.add(0))
    let adding = try JoinableThread { for job in 1...3 { _ = queue.add(job) } }
    queue.gather(4, pauses: 1, of: Self.hour)
    adding.join()
    #expect(queue.take(10) == [0, 1, 2, 3])
  }

  @Test func gathersNoLongerWhenItIsClosed() throws {
    let queue = WorkQueue<Int>(limit: 10)
    #expect(queue.add(0))
    let closing = try JoinableThread { queue.close() }
    queue.gather(4, pauses: 1, of: Self.hour)
    closing.join()
    #expect(queue.take(10) == [0])
    #expect(queue.take(10) == nil)
  }

  @Test func gathersNoLongerWhenNoneCome() {
    let queue = WorkQueue<Int>(limit: 10)
    #expect(queue.add(0))
    queue.gather(4, pauses: .max, of: .microseconds(1))
    #expect(queue.count == 1)
  }

  @Test func aJobAfterwardsWakesAgain() throws {
    let queue = WorkQueue<Int>(limit: 10)
    #expect(queue.add(0))
    queue.gather(4, pauses: 1, of: .zero)
    #expect(queue.take(10) == [0])
    let adding = try JoinableThread { _ = queue.add(1) }
    #expect(queue.take(10) == [1])
    adding.join()
  }
}
