/// Deadlines of many connections: setting, moving and cancelling one costs the same however many there are.
///
/// A wheel of slots, each a doubly linked list over arrays indexed by key; a deadline further away than one turn
/// stays in its slot for another round. Deadlines come up to ``tickNanoseconds`` late and never early.
package struct DeadlineWheel {
  /// A quarter of a second: deadlines here are seconds long and guard against patience, not against lateness.
  package static let tickNanoseconds: Int64 = 250_000_000
  /// One turn is 128 seconds, longer than any default deadline.
  private static let slotCount = 512
  private static let none: Int32 = -1

  private struct Entry {
    var tick: Int64 = -1
    var next = DeadlineWheel.none
    var previous = DeadlineWheel.none
  }

  private var slots = [Int32](repeating: none, count: slotCount)
  private var entries: [Entry] = []
  private var currentTick: Int64

  /// How many deadlines are set.
  private(set) var count = 0

  /// - Parameter now: Monotonic time in nanoseconds.
  package init(now: Int64) { currentTick = now / Self.tickNanoseconds }

  /// Sets the deadline of a key, in place of the one it had; `Int64.max` is none.
  ///
  /// - Parameter key: A small number, like a descriptor: memory grows with the largest one.
  package mutating func set(_ key: Int32, to deadline: Int64) {
    guard deadline < .max else { return cancel(key) }
    let tick = max(currentTick + 1, (deadline + Self.tickNanoseconds - 1) / Self.tickNanoseconds)
    // Between two requests of a busy connection its deadline rarely moves to another tick.
    if Int(key) < entries.count, entries[Int(key)].tick == tick { return }
    cancel(key)
    while entries.count <= Int(key) { entries.append(Entry()) }
    let slot = Int(tick % Int64(Self.slotCount))
    entries[Int(key)] = Entry(tick: tick, next: slots[slot], previous: Self.none)
    if slots[slot] != Self.none { entries[Int(slots[slot])].previous = key }
    slots[slot] = key
    count += 1
  }

  package mutating func cancel(_ key: Int32) {
    guard Int(key) < entries.count, entries[Int(key)].tick >= 0 else { return }
    let entry = entries[Int(key)]
    if entry.previous == Self.none {
      slots[Int(entry.tick % Int64(Self.slotCount))] = entry.next
    } else {
      entries[Int(entry.previous)].next = entry.next
    }
    if entry.next != Self.none { entries[Int(entry.next)].previous = entry.previous }
    entries[Int(key)] = Entry()
    count -= 1
  }

  /// Takes out every deadline that has passed.
  ///
  /// - Returns: Their keys, by deadline and then by key.
  package mutating func advance(to now: Int64) -> [Int32] {
    let tick = now / Self.tickNanoseconds
    guard tick > currentTick else { return [] }
    defer { currentTick = tick }
    guard count > 0 else { return [] }
    var due: [(tick: Int64, key: Int32)] = []
    // A jump of more than one turn visits every slot once.
    for step in max(currentTick + 1, tick - Int64(Self.slotCount) + 1)...tick {
      var key = slots[Int(step % Int64(Self.slotCount))]
      while key != Self.none {
        if entries[Int(key)].tick <= tick { due.append((entries[Int(key)].tick, key)) }
        key = entries[Int(key)].next
      }
    }
    for (_, key) in due { cancel(key) }
    return due.sorted { ($0.tick, $0.key) < ($1.tick, $1.key) }.map(\.key)
  }

  /// Milliseconds until the next tick, or nil when no deadline is set.
  package func timeoutMilliseconds(now: Int64) -> Int32? {
    guard count > 0 else { return nil }
    let next = (currentTick + 1) * Self.tickNanoseconds
    return Int32(clamping: max(0, next - now) / 1_000_000 + 1)
  }
}
