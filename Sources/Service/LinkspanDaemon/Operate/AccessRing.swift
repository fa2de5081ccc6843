internal import Synchronization

/// A bounded queue from one loop to the thread that writes: full, it takes nothing, and counts that.
///
/// `@unchecked Sendable`: a slot belongs to the loop between ``head`` and ``tail`` going around, and to the writer from
/// the moment that `tail` passes it until `head` does.
final class AccessRing: @unchecked Sendable {
  /// Ours: a burst of a quarter of a second at 30,000 requests a second. A power of two.
  static let capacity = 8_192

  private let slots = UnsafeMutablePointer<AccessRecord?>.allocate(capacity: capacity)
  private let head = Atomic(0)
  private let tail = Atomic(0)
  private let drops = Atomic(0)

  init() { slots.initialize(repeating: nil, count: Self.capacity) }

  deinit {
    slots.deinitialize(count: Self.capacity)
    slots.deallocate()
  }

  var dropped: Int { drops.load(ordering: .relaxed) }

  var isEmpty: Bool { head.load(ordering: .relaxed) == tail.load(ordering: .sequentiallyConsistent) }

  /// Only on the loop's thread.
  func put(_ record: AccessRecord) {
    let place = tail.load(ordering: .relaxed)
    guard place - head.load(ordering: .acquiring) < Self.capacity else {
      drops.store(drops.load(ordering: .relaxed) + 1, ordering: .relaxed)
      return
    }
    slots[place & (Self.capacity - 1)] = record
    // In one order with the writer's word that it sleeps: one of the two sees the other.
    tail.store(place + 1, ordering: .sequentiallyConsistent)
  }

  /// Only on the writer's thread.
  func take() -> AccessRecord? {
    let place = head.load(ordering: .relaxed)
    guard place != tail.load(ordering: .acquiring) else { return nil }
    let slot = slots + (place & (Self.capacity - 1))
    let record = slot.pointee
    slot.pointee = nil
    head.store(place + 1, ordering: .releasing)
    return record
  }
}
