import AppSiteAssociation
internal import AssociationDelivery
import LinkspanCore

/// Every exchange of a simulation, for its trace and its archive.
package actor Traffic {
  /// An exchange that has begun.
  struct Begun: Sendable {
    var started: Duration
    var party: String
    var host: String
    var connection: String
  }

  private struct Line {
    var number = 0
    var inFlight = 0
    var lastUse = Duration.zero
  }

  /// Ours: how long a connection without a request stays open.
  private static let idleLimit: Duration = .seconds(60)

  private let clock: SimulationClock
  private let trace: Trace
  private let limit: Int
  private var lines: [String: Line] = [:]
  private var kept: [Exchange] = []

  /// - Parameter limit: How many exchanges are kept; as many as the trace has events.
  package init(clock: SimulationClock, trace: Trace, limit: Int) {
    self.clock = clock
    self.trace = trace
    self.limit = limit
  }

  /// By the moment they began; of one moment by party, lane and what was asked.
  package var exchanges: [Exchange] { exchanges(after: 0) }

  /// Those after the first `count`, in order; the first ones belong to steps that have ended.
  package func exchanges(after count: Int) -> [Exchange] {
    // Their places are moved about and not they, which are large; and most differ in their time.
    (min(count, kept.count)..<kept.count).sorted { left, right in
      if kept[left].started != kept[right].started { return kept[left].started < kept[right].started }
      let (one, other) = (kept[left], kept[right])
      return (one.party, one.cause.lane, one.url, left) < (other.party, other.cause.lane, other.url, right)
    }.map { kept[$0] }
  }

  /// Finds the connection that a request goes over: everything a party asks of one server travels over one
  /// while that is in use (C3: all hosts of a device over one connection to the CDN).
  func begin(from party: String, to host: String) -> Begun {
    let name = "\(party) to \(host)"
    var line = lines[name] ?? Line()
    if line.number == 0 || line.inFlight == 0 && clock.now - line.lastUse > Self.idleLimit {
      line.number += 1
    }
    line.inFlight += 1
    lines[name] = line
    return Begun(started: clock.now, party: party, host: host, connection: "\(name) \(line.number)")
  }

  /// Keeps what came of it.
  func end(_ begun: Begun, _ request: HTTPRequest, _ result: FetchResult, because cause: FetchCause) async {
    let name = "\(begun.party) to \(begun.host)"
    lines[name]?.inFlight -= 1
    lines[name]?.lastUse = clock.now
    let exchange = Exchange(
      started: begun.started, time: clock.now - begun.started, party: begun.party,
      connection: begun.connection,
      version: begun.host == CDNEndpoint.apple.authority ? .http2 : .http1, request: request, result: result,
      cause: cause)
    if kept.count < limit { kept.append(exchange) }
    await trace.record(
      begun.party, AskedQuestion(exchange: exchange), lane: cause.lane, provenance: cause.provenance)
  }
}
