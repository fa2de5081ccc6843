internal import LinkspanCore
internal import LinkspanServer
internal import Synchronization

/// The handler in use, which a reload replaces while the server runs.
final class ReplaceableHandler: Sendable {
  private let current: Mutex<AssociationHandler>

  init(_ handler: AssociationHandler) { current = Mutex(handler) }

  func replace(_ handler: AssociationHandler) { current.withLock { $0 = handler } }

  func response(to request: HTTPRequest) -> HTTPResponse {
    current.withLock { $0 }.response(to: request)
  }
}
