import Dispatch
import Foundation
import Testing

import struct LinkspanCore.SeededGenerator

@testable import LinkspanDecisions

/// Deadlines, and their known pitfalls.
struct DeadlineTests {
  @Test func workInTimeGivesItsValue() async throws {
    let clock = ManualClock()
    let result = try await withDeadline(clock.now + .seconds(5), clock: clock) { 42 }
    #expect(result.value == 42)
  }

  /// The system's clocks end the process that sleeps until a time they cannot count.
  @Test func aSpanWithoutAnEndIsCutToACentury() async throws {
    let clock = ManualClock()
    let gate = Gate()
    async let call = withDeadline(after: .seconds(Int64.max), clock: clock) {
      await gate.wait()
      return 42
    }
    await clock.waitForSleepers(1)
    gate.open()
    #expect(try await call.value == 42)
    #expect(clock.slept == [.seconds(3_155_760_000)])
  }

  @Test func errorsOfTheWorkPass() async {
    struct Failure: Error {}
    await #expect(throws: Failure.self) {
      try await withDeadline(after: .seconds(5), clock: ManualClock()) { () async throws -> Int in
        throw Failure()
      }
    }
  }

  /// A child that ignores cancellation must not hold the caller.
  @Test func returnsAtTheDeadlineWhileTheWorkGoesOn() async throws {
    let clock = ManualClock()
    let gate = Gate()
    async let call = withDeadline(after: .seconds(5), clock: clock) {
      await gate.wait()
      return "late"
    }
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(5))
    guard case .expired(let work) = try await call else {
      Issue.record("the work was in time")
      return
    }
    #expect(work.goesOn)
    gate.open()
    #expect(try await work.result().get() == "late")
    #expect(!work.goesOn)
  }

  @Test func theWorkIsCancelledAtTheDeadline() async throws {
    let clock = ManualClock()
    async let call = withDeadline(after: .seconds(5), clock: clock) {
      try await clock.sleep(until: clock.now + .seconds(60), tolerance: nil)
    }
    await clock.waitForSleepers(2)
    clock.advance(by: .seconds(5))
    guard case .expired(let work) = try await call else {
      Issue.record("the work was in time")
      return
    }
    await #expect(throws: CancellationError.self) { try await work.result().get() }
  }

  @Test func cancellingTheCallerReturnsAtOnce() async {
    let clock = ManualClock()
    let gate = Gate()
    let call = Task {
      try await withDeadline(after: .seconds(5), clock: clock) { await gate.wait() }
    }
    await clock.waitForSleepers(1)
    call.cancel()
    await #expect(throws: CancellationError.self) { try await call.value }
    gate.open()
  }

  /// Every order in which the parties of a race can meet ends it once.
  @Test func tenThousandInterleavingsEndExactlyOnce() async {
    for seed in 0..<10_000 as Range<UInt64> {
      var generator = SeededGenerator(seed: seed)
      let race = DeadlineRace<Int>()
      var parties = ["wait", "finish", "expire", "cancel", "finish again"]
      if generator.chance(1, in: 4) { parties.remove(at: 3) }
      parties.shuffle(using: &generator)
      var claims: [String] = []
      func meet(_ party: String) {
        switch party {
        case "finish": if race.end(.finished(.success(1))) { claims.append(party) }
        case "finish again": if race.end(.finished(.success(2))) { claims.append(party) }
        case "expire": if race.end(.expired) { claims.append(party) }
        default: if race.end(.cancelled) { claims.append(party) }
        }
      }
      let place = parties.firstIndex(of: "wait") ?? 0
      for party in parties[..<place] { meet(party) }
      // A continuation that is resumed twice stops the program; one that is lost hangs here.
      let end = await withCheckedContinuation { continuation in
        race.wait(continuation)
        for party in parties[(place + 1)...] { meet(party) }
      }
      let first = parties.first { $0 != "wait" }
      #expect(claims == [first], "seed \(seed)")
      switch end {
      case .finished(let result): #expect((try? result.get()) == (first == "finish" ? 1 : 2), "seed \(seed)")
      case .expired: #expect(first == "expire", "seed \(seed)")
      case .cancelled: #expect(first == "cancel", "seed \(seed)")
      }
    }
  }

  /// The same with real tasks on real threads: result and deadline are released together.
  @Test func resultAndDeadlineTogetherEndOnce() async throws {
    for seed in 0..<500 as Range<UInt64> {
      var generator = SeededGenerator(seed: seed)
      let clock = ManualClock()
      let gate = Gate()
      async let call = withDeadline(after: .seconds(1), clock: clock) { () async -> Int in
        await gate.wait()
        return 7
      }
      await clock.waitForSleepers(1)
      if generator.chance(1, in: 2) {
        gate.open()
        clock.advance(by: .seconds(1))
      } else {
        clock.advance(by: .seconds(1))
        gate.open()
      }
      switch try await call {
      case .finished(let value): #expect(value == 7)
      case .expired(let work): #expect(try await work.result().get() == 7)
      }
    }
  }

  // MARK: - Timers

  @Test func aTimerFiresOnceAndIsCancelledInItsHandler() {
    let source = ManualSource()
    let count = Counter()
    let timer = DeadlineTimer(source: source) { count.add() }
    source.fire()
    source.fire()
    #expect(count.value == 1)
    #expect(source.starts == 1)
    #expect(source.cancels >= 1)
    #expect(!timer.cancel())
  }

  /// Cancelling is asynchronous, so a handler may be on its queue already.
  @Test func aHandlerOnItsQueueDoesNotRunAfterCancel() {
    let source = ManualSource()
    let count = Counter()
    let timer = DeadlineTimer(source: source) { count.add() }
    #expect(timer.cancel())
    #expect(!timer.cancel())
    source.fire()
    #expect(count.value == 0)
  }

  @Test func releasingATimerCancelsIt() {
    let source = ManualSource()
    let count = Counter()
    var timer: DeadlineTimer? = DeadlineTimer(source: source) { count.add() }
    #expect(timer != nil)
    timer = nil
    source.fire()
    #expect(count.value == 0)
    #expect(source.cancels >= 1)
  }

  @Test(arguments: [true, false])
  func aRealTimerFires(isWall: Bool) async {
    let queue = DispatchQueue(label: "linkspan.tests")
    let box = Guarded<DeadlineTimer?>(nil)
    await withCheckedContinuation { continuation in
      let timer = DeadlineTimer(at: isWall ? .wall(.now()) : .monotonic(.now()), queue: queue) {
        continuation.resume()
      }
      box.withLock { $0 = timer }
    }
    #expect(box.withLock { $0 }?.cancel() == false)
  }

  /// A source that was released without being resumed, or resumed twice, stops the program.
  @Test func manyTimersComeAndGo() {
    let queue = DispatchQueue(label: "linkspan.tests")
    let count = Counter()
    for index in 0..<1_000 {
      let timer = DeadlineTimer(at: .monotonic(.distantFuture), queue: queue) { count.add() }
      if index % 3 == 0 { timer.cancel() }
      if index % 5 == 0 { timer.cancel() }
    }
    queue.sync {}
    #expect(count.value == 0)
  }

  @Test func aCompletionIsCalledOnce() {
    let values = Guarded<[Int]>([])
    let completion = OnceCompletion<Int> { value in values.withLock { $0.append(value) } }
    DispatchQueue.concurrentPerform(iterations: 100) { completion($0) }
    #expect(values.withLock { $0.count } == 1)
  }
}

final class Counter: Sendable {
  private let count = Guarded(0)
  var value: Int { count.withLock { $0 } }
  func add() { count.withLock { $0 += 1 } }
}

/// Work that waits until the test lets it go on, and does not notice cancellation.
final class Gate: Sendable {
  private let state = Guarded((isOpen: false, waiting: [CheckedContinuation<Void, Never>]()))

  func wait() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if !state.isOpen { state.waiting.append(continuation) }
        return state.isOpen
      }
      if isOpen { continuation.resume() }
    }
  }

  func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [] }
      return state.waiting
    }
    waiting.forEach { $0.resume() }
  }
}

private final class ManualSource: TimerSource {
  private let state = Guarded((handler: (@Sendable () -> Void)?.none, starts: 0, cancels: 0))
  var starts: Int { state.withLock { $0.starts } }
  var cancels: Int { state.withLock { $0.cancels } }

  func start(_ handler: @escaping @Sendable () -> Void) {
    state.withLock { state in
      state.handler = handler
      state.starts += 1
    }
  }

  func cancel() { state.withLock { $0.cancels += 1 } }
  func fire() { state.withLock { $0.handler }?() }
}

/// Time that stands still until a test moves it.
final class ManualClock: Clock, Sendable {
  struct Instant: InstantProtocol {
    var offset: Duration
    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (first: Instant, second: Instant) -> Bool { first.offset < second.offset }
    static func + (instant: Instant, duration: Duration) -> Instant { instant.advanced(by: duration) }
  }

  private struct State {
    var now = Instant(offset: .zero)
    var next = 0
    var sleepers: [Int: (deadline: Instant, continuation: CheckedContinuation<Void, any Error>)] = [:]
    var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    var slept: [Duration] = []
  }

  private let state = Guarded(State())

  var now: Instant { state.withLock { $0.now } }
  var minimumResolution: Duration { .nanoseconds(1) }
  /// The spans that were asked for, in order.
  var slept: [Duration] { state.withLock { $0.slept } }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let number = state.withLock { state in
      state.next += 1
      state.slept.append(state.now.duration(to: deadline))
      return state.next
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        enum Fate { case sleeps, past, cancelled }
        let (fate, watchers) = state.withLock { state -> (Fate, [CheckedContinuation<Void, Never>]) in
          if Task.isCancelled { return (.cancelled, []) }
          if deadline <= state.now { return (.past, []) }
          state.sleepers[number] = (deadline, continuation)
          let count = state.sleepers.count
          let due = state.watchers.filter { $0.count <= count }.map(\.continuation)
          state.watchers.removeAll { $0.count <= count }
          return (.sleeps, due)
        }
        watchers.forEach { $0.resume() }
        switch fate {
        case .sleeps: break
        case .past: continuation.resume()
        case .cancelled: continuation.resume(throwing: CancellationError())
        }
      }
    } onCancel: {
      state.withLock { $0.sleepers.removeValue(forKey: number)?.continuation }?.resume(
        throwing: CancellationError())
    }
  }

  func advance(by duration: Duration) {
    let due = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      let now = state.now
      let due = state.sleepers.filter { $0.value.deadline <= now }
      for key in due.keys { state.sleepers[key] = nil }
      return due.sorted { $0.key < $1.key }.map(\.value.continuation)
    }
    due.forEach { $0.resume() }
  }

  /// Returns once so many tasks sleep.
  func waitForSleepers(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.sleepers.count < count { state.watchers.append((count, continuation)) }
        return state.sleepers.count >= count
      }
      if isThere { continuation.resume() }
    }
  }
}
