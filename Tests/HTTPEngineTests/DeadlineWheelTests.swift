import Testing

@testable import HTTPClientEngine
@testable import HTTPEngine
@testable import HTTPTransport

@Suite("Deadline wheel")
struct DeadlineWheelTests {
  static let second: Int64 = 1_000_000_000

  @Test func firesAfterTheDeadlineAndNotBefore() {
    var wheel = DeadlineWheel(now: 0)
    wheel.set(3, to: 10 * Self.second)
    #expect(wheel.advance(to: 10 * Self.second - 1) == [])
    #expect(wheel.advance(to: 10 * Self.second) == [3])
    #expect(wheel.advance(to: 1_000 * Self.second) == [])
    #expect(wheel.count == 0)
  }

  @Test func keepsOnlyTheLastDeadlineOfAKey() {
    var wheel = DeadlineWheel(now: 0)
    wheel.set(3, to: 10 * Self.second)
    wheel.set(3, to: 5 * Self.second)
    wheel.set(3, to: 20 * Self.second)
    #expect(wheel.count == 1)
    #expect(wheel.advance(to: 19 * Self.second) == [])
    #expect(wheel.advance(to: 20 * Self.second) == [3])
  }

  @Test func forgetsACancelledKey() {
    var wheel = DeadlineWheel(now: 0)
    for key in Int32(0)..<5 { wheel.set(key, to: Self.second) }
    wheel.cancel(2)
    wheel.cancel(2)
    wheel.cancel(99)
    #expect(wheel.advance(to: 2 * Self.second) == [0, 1, 3, 4])
  }

  @Test func goesAroundMoreThanOnce() {
    var wheel = DeadlineWheel(now: 0)
    wheel.set(1, to: 1_000 * Self.second)
    for second in Int64(1)..<1_000 { #expect(wheel.advance(to: second * Self.second) == []) }
    #expect(wheel.advance(to: 1_000 * Self.second) == [1])
  }

  @Test func agreesWithASortedListOverSeededMoves() {
    var state: UInt64 = 7
    func next(_ bound: Int64) -> Int64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int64(state >> 33) % bound
    }
    var wheel = DeadlineWheel(now: 0)
    var list: [Int32: Int64] = [:]
    let tick = DeadlineWheel.tickNanoseconds
    var now: Int64 = 0
    for _ in 0..<5_000 {
      let key = Int32(next(50))
      switch next(4) {
      case 0:
        wheel.cancel(key)
        list[key] = nil
      case 1:
        now += next(400) * tick / 3
        let due = Set(list.filter { $0.value <= now / tick }.keys)
        #expect(Set(wheel.advance(to: now)) == due)
        for key in due { list[key] = nil }
      default:
        let deadline = now + next(600) * tick / 2
        wheel.set(key, to: deadline)
        list[key] = max(now / tick + 1, (deadline + tick - 1) / tick)
      }
      #expect(wheel.count == list.count)
    }
  }
}
