internal import Foundation

/// What an alert shows for an error, as values: the same on every system, and testable without one.
///
/// The title is the error's description. The message holds the failure reason and the recovery suggestion, whichever of the
/// two exists: a nil reason must not swallow the suggestion.
public struct AlertContent: Sendable, Equatable {
  /// A button, and the recovery option it stands for.
  public struct Action: Sendable, Equatable {
    /// What the button says.
    public var title: String
    /// The index to hand to the error's `attemptRecovery(optionIndex:)`; nil for a button that only closes the alert.
    public var recoveryOption: Int?

    /// A button with its recovery option.
    public init(title: String, recoveryOption: Int?) {
      self.title = title
      self.recoveryOption = recoveryOption
    }
  }

  /// What went wrong, in one line.
  public var title: String
  /// Nil when the error has neither a reason nor a suggestion.
  public var message: String?
  /// Never empty: without recovery options it is the one button that closes the alert.
  public var actions: [Action]

  /// - Parameters:
  ///   - error: Any error; a `LocalizedError` or an `NSError` supplies more than its description.
  ///   - closeTitle: The button for an error without recovery options.
  ///   - untitled: The title for an error that describes itself with nothing but blanks.
  /// - Returns: Nil for a cancelled operation, which is not shown: `CancellationError`, `URLError.cancelled` (−999),
  ///   `CocoaError.userCancelled` (3072), also where another error wraps it.
  public init?(
    _ error: any Error, closeTitle: String = "OK", untitled: String = "Something went wrong"
  ) {
    guard !Self.isCancellation(error) else { return nil }
    let parts = Parts(error)
    title = parts.title ?? untitled
    var sentences: [String] = []
    for part in [parts.reason, parts.suggestion] {
      guard let part, part != title, !sentences.contains(part) else { continue }
      sentences.append(part)
    }
    message = sentences.isEmpty ? nil : sentences.joined(separator: "\n\n")
    actions = parts.options.enumerated().map { Action(title: $0.element, recoveryOption: $0.offset) }
    if actions.isEmpty { actions = [Action(title: closeTitle, recoveryOption: nil)] }
  }

  /// Our choice: an error that wraps errors deeper than this is not looked into any further.
  private static let deepestCause = 8

  /// Whether the error only says that somebody cancelled the operation.
  public static func isCancellation(_ error: any Error) -> Bool {
    var next: (any Error)? = error
    for _ in 0..<deepestCause {
      guard let error = next else { return false }
      if error is CancellationError { return true }
      // Not by a cast: on Linux every error of the code is a CocoaError, whatever its domain.
      let bridged = error as NSError
      if bridged.domain == NSURLErrorDomain, bridged.code == NSURLErrorCancelled { return true }
      if bridged.domain == NSCocoaErrorDomain, bridged.code == CocoaError.Code.userCancelled.rawValue {
        return true
      }
      next = bridged.userInfo[NSUnderlyingErrorKey] as? any Error
    }
    return false
  }

  /// Lets the error try what the person chose.
  ///
  /// - Returns: Whether the error recovered, so that the operation may be repeated. False for a button that only closes.
  @discardableResult
  public static func recover(from error: any Error, choosing action: Action) -> Bool {
    guard let option = action.recoveryOption, let recoverable = error as? any RecoverableError,
      recoverable.recoveryOptions.indices.contains(option)
    else { return false }
    return recoverable.attemptRecovery(optionIndex: option)
  }
}

/// What an error says of itself, without blanks around it and without empty texts.
private struct Parts {
  var title: String?
  var reason: String?
  var suggestion: String?
  var options: [String] = []

  init(_ error: any Error) {
    if let localized = error as? any LocalizedError {
      title = Self.text(localized.errorDescription)
      reason = Self.text(localized.failureReason)
      suggestion = Self.text(localized.recoverySuggestion)
    }
    let bridged = error as NSError
    title = title ?? Self.text(bridged.localizedDescription)
    reason = reason ?? Self.text(bridged.userInfo[NSLocalizedFailureReasonErrorKey] as? String)
    suggestion =
      suggestion ?? Self.text(bridged.userInfo[NSLocalizedRecoverySuggestionErrorKey] as? String)
    if let recoverable = error as? any RecoverableError {
      options = recoverable.recoveryOptions
    } else if let titles = bridged.userInfo[NSLocalizedRecoveryOptionsErrorKey] as? [String] {
      options = titles
    }
  }

  private static func text(_ text: String?) -> String? {
    guard let text = text?.trimmingCharacters(in: .whitespacesAndNewlines), !text.isEmpty else { return nil }
    return text
  }
}
