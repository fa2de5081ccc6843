/// Arrivals that wait for a gate or for the interface, in the order in which they came.
struct WaitingRoom<Destination: Sendable>: Sendable {
  struct Guest: Sendable {
    var arrival: Arrival<Destination>
    /// Of ``ArrivalIdentity``; nil for a place that is restored.
    var number: Int?
    var scene: String?
    /// In the order in which the person passes them.
    var gates: [ArrivalGate]
    var since: Duration
  }

  let limit: Int
  private var guests: [Guest] = []
  private var openGates: Set<String> = []
  private var isReady = false
  /// Scenes that said something else than the app.
  private var scenes: [String: Bool] = [:]

  init(limit: Int) { self.limit = limit }

  private func closedGate(of guest: Guest) -> ArrivalGate? {
    guest.gates.first { !openGates.contains($0.name) }
  }

  private func isReady(for guest: Guest) -> Bool {
    guard let scene = guest.scene else { return isReady || scenes.values.contains(true) }
    return scenes[scene] ?? isReady
  }

  /// Whether a guest waits for nothing.
  private func isFree(_ guest: Guest) -> Bool { closedGate(of: guest) == nil && isReady(for: guest) }

  /// - Returns: What the app should know: that the guest waits at a gate, and who had to give way.
  mutating func enter(_ guest: Guest) -> [ArrivalNotice<Destination>] {
    guests.append(guest)
    var notices: [ArrivalNotice<Destination>] =
      closedGate(of: guest).map { [.waits(guest.arrival, at: $0)] } ?? []
    // One that goes on at once takes no other's place.
    if guests.count > limit, !isFree(guest) { notices.append(.displaced(guests.removeFirst().arrival)) }
    return notices
  }

  /// Those who wait for nothing any more.
  mutating func release() -> [Guest] {
    let isFree = guests.map { self.isFree($0) }
    guard isFree.contains(true) else { return [] }
    let free = zip(guests, isFree).filter(\.1).map(\.0)
    guests = zip(guests, isFree).filter { !$0.1 }.map(\.0)
    return free
  }

  mutating func expire(at now: Duration) -> [ArrivalNotice<Destination>] {
    remove { room, guest in
      guard let gate = room.closedGate(of: guest), guest.since + gate.expiry < now else { return nil }
      return .expired(guest.arrival, at: gate)
    }
  }

  mutating func refuse(_ name: String) -> [ArrivalNotice<Destination>] {
    openGates.remove(name)
    return remove { _, guest in
      guest.gates.first { $0.name == name }.map { .refused(guest.arrival, at: $0) }
    }
  }

  private mutating func remove(
    _ notice: (WaitingRoom, Guest) -> ArrivalNotice<Destination>?
  ) -> [ArrivalNotice<Destination>] {
    let notices = guests.map { notice(self, $0) }
    guests = zip(guests, notices).filter { $0.1 == nil }.map(\.0)
    return notices.compactMap { $0 }
  }

  /// - Returns: Who waits at a next gate now.
  mutating func open(_ name: String) -> [ArrivalNotice<Destination>] {
    let passing = guests.filter { closedGate(of: $0)?.name == name }
    openGates.insert(name)
    return passing.compactMap { guest in closedGate(of: guest).map { .waits(guest.arrival, at: $0) } }
  }

  mutating func close(_ name: String) { openGates.remove(name) }

  /// A guest learns its scene.
  mutating func move(_ number: Int, to scene: String?) {
    guard let place = guests.firstIndex(where: { $0.number == number }) else { return }
    guests[place].scene = scene
  }

  mutating func becomeReady(_ scene: String?) { set(true, scene) }
  mutating func becomeGone(_ scene: String?) { set(false, scene) }

  private mutating func set(_ value: Bool, _ scene: String?) {
    if let scene {
      scenes[scene] = value
    } else {
      isReady = value
      scenes = [:]
    }
  }

  /// Its guests go to any other scene.
  mutating func disconnect(_ scene: String?) {
    guard let scene else { return }
    scenes[scene] = nil
    for place in guests.indices where guests[place].scene == scene { guests[place].scene = nil }
  }
}
