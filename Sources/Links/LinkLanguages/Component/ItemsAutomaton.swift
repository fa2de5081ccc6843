/// The queries whose items of certain names satisfy their patterns (Q2–Q4): every value of a
/// name must be covered, and a name that is absent has the empty value.
package final class ItemsAutomaton {
  package struct Item {
    package let name: [UInt32]
    package let value: TextAutomaton

    package init(name: [UInt32], value: TextAutomaton) {
      self.name = name
      self.value = value
    }

    fileprivate var coversEmpty: Bool { value.accepts(value.start) }
  }

  static let dead: Int32 = -1

  private let items: [Item]
  private var states: [[Int32]] = []
  private var numbers: [[Int32]: Int32] = [:]
  private(set) var start: Int32 = 0
  private var work = 0

  var count: Int { items.count }

  package init(_ items: [Item]) {
    self.items = items
    // An item that may be empty need not be present, so whether it is need not be remembered.
    start = number(of: items.map { $0.coversEmpty ? 1 : 0 })
  }

  // One item's state is twice its phase, and one more when the name was present. The phases: so many scalars of the name
  // read; in an item of another name; in a value.
  private static func phaseOfOtherName(_ item: Item) -> Int32 { Int32(item.name.count) + 1 }

  func takeWork() -> Int {
    defer { work = 0 }
    return items.reduce(work) { $0 + $1.value.takeWork() }
  }

  private func number(of state: [Int32]) -> Int32 {
    if let known = numbers[state] { return known }
    states.append(state)
    numbers[state] = Int32(states.count - 1)
    return Int32(states.count - 1)
  }

  /// - Parameters:
  ///   - scalars: What the letter reads as; several for an escape that is read as it is written.
  ///   - separator: `&` or `=` when the letter is one of them as it is written, else 0.
  func step(_ state: Int32, _ scalars: [UInt32], separator: UInt32) -> Int32 {
    var next = states[Int(state)]
    work += items.count
    for index in items.indices {
      guard let own = Self.step(items[index], next[index], scalars, separator) else { return Self.dead }
      next[index] = own
    }
    return number(of: next)
  }

  private static func step(
    _ item: Item, _ state: Int32, _ scalars: [UInt32], _ separator: UInt32
  ) -> Int32? {
    let present = state & 1
    let phase = state >> 1
    let other = phaseOfOtherName(item)
    if separator == 0x26 {
      guard phase == Int32(item.name.count) || phase > other else { return present }
      return isHeld(item, phase) ? 1 : nil
    }
    if phase > other {
      var value = phase - other - 1
      for scalar in scalars {
        value = item.value.step(value, scalar)
        if value == TextAutomaton.dead { return nil }
      }
      return (value + other + 1) << 1 | present
    }
    if phase == other { return state }
    if separator == 0x3D {
      return (phase == Int32(item.name.count) ? item.value.start + other + 1 : other) << 1 | present
    }
    var read = Int(phase)
    for scalar in scalars {
      guard read < item.name.count, item.name[read] == scalar else { return other << 1 | present }
      read += 1
    }
    return Int32(read) << 1 | present
  }

  /// Whether an item of the name may end in that phase.
  private static func isHeld(_ item: Item, _ phase: Int32) -> Bool {
    let other = phaseOfOtherName(item)
    return phase > other ? item.value.accepts(phase - other - 1) : item.coversEmpty
  }

  func accepts(_ state: Int32) -> Bool {
    zip(items, states[Int(state)]).allSatisfy { item, state in
      let phase = state >> 1
      if phase == Int32(item.name.count) || phase > Self.phaseOfOtherName(item) {
        return Self.isHeld(item, phase)
      }
      return state & 1 == 1 || item.coversEmpty
    }
  }

  func distinguished(at state: Int32) -> ScalarSet {
    var set = ScalarSet()
    for (item, state) in zip(items, states[Int(state)]) {
      let phase = state >> 1
      let other = Self.phaseOfOtherName(item)
      if phase > other {
        set.formUnion(item.value.distinguished(at: phase - other - 1))
      } else if Int(phase) < item.name.count {
        set.insert(item.name[Int(phase)])
      }
    }
    return set
  }
}
