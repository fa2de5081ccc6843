internal import Dispatch
internal import HTTPEngine
package import LinkspanCore

/// An answer that is on its way. Holds its client, which would give the request up without anybody holding it.
package final class PendingAnswer: Sendable {
  final class Promise: Sendable {
    private let result = LockedState<Result<HTTPAnswer, HTTPClientError>?>(nil)
    private let semaphore = DispatchSemaphore(value: 0)

    func keep(_ result: Result<HTTPAnswer, HTTPClientError>) {
      self.result.withLock { $0 = result }
      semaphore.signal()
    }

    func wait() -> Result<HTTPAnswer, HTTPClientError> {
      semaphore.wait()
      // For whoever asks again.
      semaphore.signal()
      return result.withLock { result in
        guard let result else { preconditionFailure("signalled without a result") }
        return result
      }
    }
  }

  let promise = Promise()
  private let client: HTTPClient

  init(_ client: HTTPClient) { self.client = client }

  /// Blocks until the answer is there, at the latest at the request's deadline; not on the client's own thread.
  package func wait() throws(HTTPClientError) -> HTTPAnswer {
    try withExtendedLifetime(client) { promise.wait() }.get()
  }
}
