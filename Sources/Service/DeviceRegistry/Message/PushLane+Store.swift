package import PushProvider

/// A message keeps its lane, and its deliveries with it.
extension PushLane {
  package init(_ kind: Message.Kind) { self = kind == .campaign ? .campaign : .transactional }

  /// What ``number`` is for a lane; nil for any other number.
  init?(number: Int64) {
    guard let lane = Self.allCases.first(where: { $0.number == number }) else { return nil }
    self = lane
  }

  /// The lane of a value of `queue.turn`.
  init(turn: Int64) { self = Self(number: turn / 2) ?? .transactional }

  /// In the store's tables.
  var number: Int64 {
    switch self {
    case .transactional: 0
    case .campaign: 1
    }
  }

  /// The value of `queue.turn`: first attempts and others of a lane are claimed side by side.
  func turn(attempts: Int64) -> Int64 { 2 * number + (attempts > 0 ? 1 : 0) }
}
