public import Foundation

extension Router {
  /// The place of a link.
  ///
  /// - Throws: ``RoutingMiss``, which says what came closest.
  public func parse(_ url: URL, from kind: LinkSource.Kind? = nil) throws(RoutingMiss) -> Destination {
    try parse(url.absoluteString, from: kind)
  }
}
