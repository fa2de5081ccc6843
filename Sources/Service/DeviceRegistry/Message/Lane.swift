/// What goes before what. A message keeps its lane, and its deliveries with it.
package enum Lane: Int64, Hashable, Sendable, CaseIterable {
  /// Notifications, such as one-time codes.
  case transactional = 0
  case campaign = 1

  package init(_ kind: Message.Kind) { self = kind == .campaign ? .campaign : .transactional }

  /// As labels of metrics and names of tables have it.
  package var name: String {
    switch self {
    case .transactional: "transactional"
    case .campaign: "campaign"
    }
  }

  /// The value of `queue.turn`: first attempts and others of a lane are claimed side by side.
  func turn(attempts: Int64) -> Int64 { 2 * rawValue + (attempts > 0 ? 1 : 0) }
}
