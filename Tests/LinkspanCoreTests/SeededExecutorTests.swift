import LinkspanCore
import Testing

@Suite struct SeededExecutorTests {
  actor Log {
    private(set) var lines: [String] = []
    func write(_ line: String) { lines.append(line) }
  }

  /// What happened, noted without letting anybody else run.
  final class Order: Sendable {
    private let state = LockedState<[Int]>([])
    func append(_ name: Int) { state.withLock { $0.append(name) } }
    var names: [Int] { state.withLock { $0 } }
  }

  /// Names in the order in which sleepers woke.
  func wakes(seed: UInt64, _ sleeps_ms: [(String, Int)]) -> [String]? {
    let executor = SeededExecutor(seed: seed)
    let clock = VirtualClock(executor)
    return executor.run {
      let log = Log()
      for (name, _) in sleeps_ms { await log.write("start \(name)") }
      await withTaskGroup { group in
        for (name, sleep_ms) in sleeps_ms {
          group.addTask {
            try? await clock.sleep(for: .milliseconds(sleep_ms))
            await log.write("\(name) at \(clock.now.offset.wholeMilliseconds)")
          }
        }
      }
      return await log.lines.filter { !$0.hasPrefix("start") }
    }
  }

  @Test(arguments: 1...50 as ClosedRange<UInt64>) func sleepersWakeByTime(seed: UInt64) {
    let woken = wakes(seed: seed, [("c", 30), ("a", 10), ("d", 40), ("b", 20)])
    #expect(woken == ["a at 10", "b at 20", "c at 30", "d at 40"])
  }

  @Test(arguments: 1...50 as ClosedRange<UInt64>) func ofOneMomentTheFirstToSleepWakesFirst(seed: UInt64) {
    let executor = SeededExecutor(seed: seed)
    let clock = VirtualClock(executor)
    let slept = Order()
    let woken = Order()
    let end: Void? = executor.run {
      await withTaskGroup { group in
        for name in 0..<8 {
          group.addTask {
            slept.append(name)
            try? await clock.sleep(until: VirtualInstant(.seconds(5)))
            woken.append(name)
          }
        }
      }
    }
    #expect(end != nil)
    #expect(slept.names.count == 8)
    #expect(slept.names == woken.names)
  }

  @Test func theSameSeedInterleavesAlikeAndAnotherDoesNot() {
    func order(_ seed: UInt64) -> [String]? {
      let executor = SeededExecutor(seed: seed)
      return executor.run {
        let log = Log()
        await withTaskGroup { group in
          for name in 0..<6 {
            group.addTask {
              for step in 0..<4 {
                await log.write("\(name).\(step)")
                await Task.yield()
              }
            }
          }
        }
        return await log.lines
      }
    }
    for seed in 1...20 as ClosedRange<UInt64> { #expect(order(seed) == order(seed)) }
    #expect(Set((1...20 as ClosedRange<UInt64>).compactMap(order)).count == 20)
  }

  @Test func timeStandsStillWhileAnythingCanRun() {
    let executor = SeededExecutor(seed: 1)
    let clock = VirtualClock(executor)
    let seen = executor.run {
      var seen: [Duration] = []
      for _ in 0..<100 {
        await Task.yield()
        seen.append(clock.now.offset)
      }
      return seen
    }
    #expect(seen == Array(repeating: .zero, count: 100))
  }

  @Test func cancellationWakesASleeperAtOnce() {
    let executor = SeededExecutor(seed: 1)
    let clock = VirtualClock(executor)
    let seen = executor.run {
      await withTaskGroup(of: String.self) { group in
        group.addTask {
          do {
            try await clock.sleep(for: .seconds(1000))
            return "slept"
          } catch { return "cancelled at \(clock.now.offset.wholeMilliseconds)" }
        }
        try? await clock.sleep(for: .milliseconds(7))
        group.cancelAll()
        return await group.next() ?? "nothing"
      }
    }
    #expect(seen == "cancelled at 7")
    #expect(executor.elapsed == .milliseconds(7))
  }

  @Test func aTaskThatIsCancelledBeforeDoesNotSleep() {
    let executor = SeededExecutor(seed: 1)
    let clock = VirtualClock(executor)
    let seen = executor.run {
      await withTaskGroup(of: Bool.self) { group in
        group.cancelAll()
        group.addTask {
          do { try await clock.sleep(for: .seconds(1)) } catch { return true }
          return false
        }
        return await group.next() ?? false
      }
    }
    #expect(seen == true)
    #expect(executor.elapsed == .zero)
  }

  @Test func workThatWaitsForNothingHasNoResult() {
    let executor = SeededExecutor(seed: 1)
    let kept = LockedState<CheckedContinuation<Void, Never>?>(nil)
    let result: Bool? = executor.run {
      await withCheckedContinuation { continuation in kept.withLock { $0 = continuation } }
      return true
    }
    #expect(result == nil)
    kept.withLock { $0 }?.resume()
  }
}
