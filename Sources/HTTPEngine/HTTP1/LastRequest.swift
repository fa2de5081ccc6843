internal import Glibc
internal import LinkspanCore

/// The last request that came whole in one piece and without a body, on any connection of a loop: one that is the same
/// byte for byte is the same request, and need not be parsed again. Phones of one release send the same bytes.
///
/// Confined to the thread of its loop.
final class LastRequest {
  /// Longer pieces are not remembered; a guess, twice what a browser sends.
  static let limitBytes = 2_048

  private var bytes: [UInt8] = []
  private var known: KnownRequest?
  private var offered: [UInt8] = []
  private var offerNumber = 0

  /// The request that these bytes are, if they are those of the last one.
  func request(for piece: UnsafeBufferPointer<UInt8>, scheme: String) -> KnownRequest? {
    guard let known, piece.count == bytes.count, known.request.scheme == scheme,
      let start = piece.baseAddress, memcmp(start, bytes, piece.count) == 0
    else { return nil }
    return known
  }

  /// Takes note of a piece that may turn out to be one request.
  ///
  /// - Returns: What ``keep(_:offer:)`` wants to know then; nil for a piece that is too long.
  func offer(_ piece: UnsafeBufferPointer<UInt8>) -> Int? {
    guard piece.count <= Self.limitBytes else { return nil }
    offered.removeAll(keepingCapacity: true)
    offered.append(contentsOf: piece)
    offerNumber += 1
    return offerNumber
  }

  /// Remembers what the piece was, unless another one has been offered since.
  func keep(_ request: HTTP1Request, offer: Int) {
    guard offer == offerNumber else { return }
    swap(&bytes, &offered)
    known = KnownRequest(request.request, request.version, keepsAlive: request.keepsAlive)
    offerNumber += 1
  }
}
