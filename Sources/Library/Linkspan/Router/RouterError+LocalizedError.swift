public import Foundation

// 'AlertContent' and the system's own alerts ask an error for its text by this protocol. A person reads what the app cannot
// do; what a developer needs stays in 'description'.

extension RouterError: LocalizedError {
  /// For a person.
  public var errorDescription: String? { "The app cannot open links." }
}

extension RoutingMiss: LocalizedError {
  /// For a person.
  public var errorDescription: String? { "This link cannot be opened." }
  /// For a person.
  public var failureReason: String? { "There is nothing in the app for it." }
  /// For a person.
  public var recoverySuggestion: String? {
    "The page may be gone, or a newer version of the app may be needed."
  }
}

extension PrintingError: LocalizedError {
  /// For a person.
  public var errorDescription: String? { "There is no link for this." }
}
