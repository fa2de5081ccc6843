import AppSiteAssociation
internal import AssociationDelivery
import LinkspanCore
import SimulatedDevices

/// What the invariants ask of an exchange: as the network saw it, and not as the one who asked made of it.
extension Exchange {
  var ended: Duration { started + time }

  var isByCrawler: Bool { party == FetchClient.crawler.name }

  var isThroughCDN: Bool { request.host == ContentDeliveryNetwork.host }

  /// The host whose file is wanted, also where Apple's CDN is asked about it.
  var host: String {
    isThroughCDN
      ? String(request.path.dropFirst(ContentDeliveryNetwork.pathPrefix.count)) : request.host
  }

  /// Whose questions follow each other: `DEVICE APP ENTRY`, or `cdn HOST`.
  var lane: String { party + " " + cause.lane }

  /// The answer failed in a way that passes: no answer in time, or 5xx, of the host or as the CDN tells it (R1).
  var passes: Bool {
    switch result {
    case .failed(.timedOut), .failed(.unfinished): true
    case .failed: false
    case .answered(let response):
      isThroughCDN
        ? reason.hasPrefix("SWCERR003") || reason.contains("Bad HTTP Response: 5")
        : (500...599).contains(response.status)
    }
  }

  /// The host answered 4xx, itself or as the CDN tells it (R1).
  var isRefused: Bool {
    guard case .answered(let response) = result else { return false }
    return isThroughCDN ? reason.contains("Bad HTTP Response: 4") : (400...499).contains(response.status)
  }

  private var reason: String {
    guard case .answered(let response) = result, response.status != 200 else { return "" }
    return response.fields["Apple-Failure-Reason"] ?? ""
  }
}
