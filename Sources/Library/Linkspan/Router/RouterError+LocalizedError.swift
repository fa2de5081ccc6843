public import Foundation

// 'AlertContent' and the system's own alerts ask an error for its text by this protocol.

extension RouterError: LocalizedError {
  /// The description, for alerts.
  public var errorDescription: String? { description }
}

extension RoutingMiss: LocalizedError {
  /// The description, for alerts.
  public var errorDescription: String? { description }
}

extension PrintingError: LocalizedError {
  /// The description, for alerts.
  public var errorDescription: String? { description }
}
