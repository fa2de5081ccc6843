import AppSiteAssociation
import LinkspanCore

/// One question and what came back, as the network saw it and not as the one who asked made of it.
struct Exchange: Sendable {
  var began: Duration
  var ended: Duration
  var asker: Asker
  /// The host whose file is wanted, also where Apple's CDN is asked about it.
  var host: String
  var target: String
  var isThroughCDN: Bool
  var result: FetchResult
  /// Whose questions follow each other: `DEVICE APP ENTRY`, or `cdn`.
  var lane: String

  var isByCrawler: Bool { asker == .crawler }

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

  static func precedes(_ left: Exchange, _ right: Exchange) -> Bool {
    (left.began, left.ended, left.lane, left.host, left.target)
      < (right.began, right.ended, right.lane, right.host, right.target)
  }
}

/// Who asked whom in a run.
actor Ledger {
  private var exchanges: [Exchange] = []

  func record(_ exchange: Exchange) { exchanges.append(exchange) }

  /// What came since the last time, in an order that chance of scheduling has no part in.
  func take() -> [Exchange] {
    let taken = exchanges.sorted(by: Exchange.precedes)
    exchanges = []
    return taken
  }
}
