internal import LinkspanServer
internal import SimulatedStores

/// What stories can reach, so that a swarm says what it never did.
package enum Reached {
  /// Steps, answers of the API, of the console and of APNs, ends of deliveries, and what becomes of a host's files.
  package static let all: [String] = {
    let answers = [200, 201, 202, 204, 400, 401, 404, 409, 429, 503].map { "answer \($0)" }
    let pushes = [200, 403, 410, 429, 503].map { "apns \($0)" }
    let ends = ["accepted", "rejected", "expired", "cancelled", "maybe-twice"].map { "delivery \($0)" }
    let orders = ServiceStep.Order.allCases.flatMap { ["order \($0.rawValue)", "shared \($0.rawValue)"] }
    let outcomes = PublicationOutcome.Kind.allCases.map { "publication \($0.rawValue)" }
    let visits = [
      "login-page 200", "login-page 303", "login 303", "login 403", "login 429", "page 200", "page 303",
      "form-page 200", "form-page 303", "form 303", "form 404", "form-again 403", "logout 303",
    ].map { "console \($0)" }
    let database = ["lostBefore", "lostAfter", "conflict", "full", "uncertain"].map { "postgres \($0)" }
    return ServiceStep.names.map { "step \($0)" } + answers + pushes + ends + orders + outcomes + visits
      + database + [
        "start-failed", "configuration applied", "configuration refused", "campaign guarded", "signed",
        "signed refused",
        "access-log vhost_combined", "access-log combined", "access-log json",
      ]
  }()
}
