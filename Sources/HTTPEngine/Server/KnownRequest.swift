internal import LinkspanCore

/// A request that a loop remembers: one that is the same byte for byte need not be read again, and where its answer is
/// settled (``HTTPReply/settled(_:)``) nobody need be asked again either.
///
/// A class, so that handing one on copies nothing. Confined to the thread of its loop.
final class KnownRequest {
  /// Without a body.
  let request: HTTPRequest
  let version: ServerExchange.Version
  let answersHead: Bool
  let keepsAlive: Bool
  /// The answer, and the ``LoopService/generation`` that gave it.
  var settled: (response: HTTPResponse, generation: Int)?

  init(_ request: HTTPRequest, _ version: ServerExchange.Version, keepsAlive: Bool = true) {
    self.request = request
    self.version = version
    self.keepsAlive = keepsAlive
    answersHead = request.method == "HEAD"
  }
}
