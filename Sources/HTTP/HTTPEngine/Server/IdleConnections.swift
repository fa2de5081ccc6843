internal import HTTPTransport

/// Connections of a loop that can make room for others, the one that has been idle longest first.
struct IdleConnections {
  typealias Place = (since: Int64, descriptor: CInt)

  /// Those that were idle when they were last looked for, the longest idle last.
  private var places: [Place] = []
  /// Before that time nobody looks again: at the limit each newcomer would cost a search.
  private var nextSearch = Int64.min

  /// The next one, which may have become busy since it was found.
  ///
  /// - Parameter search: Finds all that are idle now.
  mutating func next(at now: Int64, among search: () -> [Place]) -> Place? {
    if places.isEmpty {
      guard now >= nextSearch else { return nil }
      nextSearch = now + DeadlineWheel.tickNanoseconds
      places = search().sorted { ($0.since, $0.descriptor) > ($1.since, $1.descriptor) }
    }
    return places.popLast()
  }
}
