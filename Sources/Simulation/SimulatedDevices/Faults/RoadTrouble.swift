import AppSiteAssociation
import AssociatedDomains
internal import AssociationDelivery
import LinkspanCore

/// What befalls one question and its answer on the way.
struct RoadTrouble {
  private enum Cut {
    /// The client can tell that the rest is missing.
    case noticed
    case silent
  }

  private(set) var isLost = false
  private(set) var hasNoAddress = false
  private var doublings = 0
  private var held_ms: Int64 = 0
  private var cut: Cut?
  private var flap: HTTPResponse?

  /// Nothing happens.
  init() {}

  /// - Parameter isOrigin: Whether the question goes to a site's own server.
  init(_ faults: FaultOptions, _ chance: inout SeededGenerator, isOrigin: Bool) {
    guard faults != .none else { return }
    isLost = chance.happens(faults.loss)
    hasNoAddress = chance.happens(faults.lookupFailure)
    while doublings < FaultOptions.doublingLimit, chance.happens(faults.latencyTail) { doublings += 1 }
    if chance.happens(faults.reorder) { held_ms = chance.draw(1...FaultOptions.reorderLimit_ms) }
    if chance.happens(faults.partialAnswer) { cut = chance.chance(1, in: 2) ? .noticed : .silent }
    if isOrigin, chance.happens(faults.originFlap) {
      flap = Self.flaps[Int(chance.draw(0...Int64(Self.flaps.count - 1)))]
    }
  }

  private static let flaps: [HTTPResponse] = [
    .text(500, "Internal Server Error"), .text(502, "Bad Gateway"), .text(503, "Service Unavailable"),
    .text(404, "Not Found"), .text(403, "Forbidden"), .text(429, "Too Many Requests"),
    HTTPResponse(status: 302, fields: ["Location": "https://login.invalid/"]),
    HTTPResponse(status: 200, fields: ["Content-Type": "text/html"], body: Array("<html>".utf8)),
  ]

  /// A delay as it becomes.
  func delay(_ usual: Duration) -> Duration { usual * (1 << doublings) + .milliseconds(held_ms) }

  /// An answer as it arrives.
  func spoil(_ result: FetchResult) -> FetchResult {
    guard case .answered(var response) = result else { return result }
    response = flap ?? response
    guard let cut, !response.body.isEmpty else { return .answered(response) }
    response.body = Array(response.body.prefix(response.body.count / 2))
    return cut == .silent
      ? .answered(response) : .failed(.unfinished(receivedBytes: response.body.count))
  }

  /// In a few words for the trace; nil when nothing is out of the ordinary.
  var words: String? {
    var words: [String] = []
    if isLost { words.append("lost") }
    if hasNoAddress { words.append("no address") }
    if doublings > 0 { words.append("late ×\(1 << doublings)") }
    if held_ms > 0 { words.append("held back \(held_ms) ms") }
    if let flap { words.append("answers \(flap.status)") }
    if let cut { words.append(cut == .silent ? "cut" : "cut, and it shows") }
    return words.isEmpty ? nil : words.joined(separator: ", ")
  }
}
