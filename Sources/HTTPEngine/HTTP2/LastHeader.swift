internal import Glibc
internal import LinkspanCore

/// The last header section that was found right, on any connection of a loop: one that is the same byte for byte means
/// the same, and need not be checked again. Phones of one release send the same fields.
///
/// Confined to the thread of its loop.
final class LastHeader {
  /// Longer sections are not remembered; a guess, twice what a browser sends.
  static let limitBytes = 2_048

  private var bytes: [UInt8] = []
  private var known: KnownRequest?

  /// The request that begins with this section, if it is the last one.
  func request(of section: [UInt8], scheme: String) -> KnownRequest? {
    guard let known, section.count == bytes.count, scheme == known.request.scheme,
      memcmp(section, bytes, bytes.count) == 0
    else { return nil }
    return known
  }

  func keep(_ section: [UInt8], _ request: HTTPRequest) {
    guard section.count <= Self.limitBytes else { return }
    bytes.removeAll(keepingCapacity: true)
    bytes.append(contentsOf: section)
    known = KnownRequest(request, .http2)
  }
}
