package import LinkspanCore
internal import LinkspanDecisions

/// An answer of APNs, read.
package struct PushAnswer: Hashable, Sendable {
  /// Ours: an answer's body is one short object.
  private static let bodyLimitBytes = 4_096
  /// Ours: a longer delay is as good as no answer.
  private static let longestDelaySeconds = 24 * 60 * 60

  package let status: Int
  /// The string of the body, known or not; nil when there is none.
  package let reasonText: String?
  /// When APNs confirmed that the token is dead for the topic; only with 410.
  package let timestamp: WallTime?
  /// The key to the delivery log, which the development environment answers.
  package let uniqueIdentifier: String?
  /// Apple documents none; it is honoured where it appears.
  package private(set) var retryAfter: Duration?
  /// Whether a 200 is APNs' own: it names the push, and has no page in it. A proxy or a portal that answers in its place has
  /// not taken the push.
  package let isAcceptance: Bool

  package init(_ response: HTTPResponse) {
    status = response.status
    let root =
      response.body.count <= Self.bodyLimitBytes && !response.body.isEmpty
      ? JSONParser.parse(response.body).root : nil
    reasonText = root?["reason"]?.string
    timestamp =
      response.status == 410
      ? root?["timestamp"]?.int.map { WallTime(milliseconds: Int64($0)) } : nil
    uniqueIdentifier = response.fields["apns-unique-id"]
    isAcceptance =
      response.status == 200 && (response.fields["apns-id"] ?? uniqueIdentifier) != nil
      && (response.body.isEmpty || root != nil)
    retryAfter = response.fields["retry-after"].flatMap {
      RetryAfter.seconds($0, date: response.fields["date"], now: nil)
    }.flatMap { (0...Self.longestDelaySeconds).contains($0) ? .seconds($0) : nil }
  }

  /// The same answer with another time until the next attempt.
  func asking(for pause: Duration) -> PushAnswer {
    var answer = self
    answer.retryAfter = pause
    return answer
  }

  package var reason: RejectionReason? { reasonText.flatMap(RejectionReason.init(rawValue:)) }

  /// Whether something answered in APNs' place.
  package var isForeign: Bool { status < 400 && !isAcceptance }

  /// What to call a refusal or a failure.
  package var words: String {
    if isForeign { return "status \(status) without apns-id, which is not an answer of APNs" }
    return reasonText ?? "status \(status)"
  }

  /// What the sender does; nil when the push was accepted. A reason that is not known goes by its status.
  package var step: RejectionStep? {
    if isAcceptance { return nil }
    if isForeign { return .retry }
    if let reason { return reason.step }
    switch status {
    case 410: return .unregister
    case 429, 500...599: return .retry
    default: return .fix
    }
  }

  /// The `reason` in the debug data of a GOAWAY frame.
  package static func reasonText(inGoAway data: [UInt8]) -> String? {
    guard !data.isEmpty, data.count <= bodyLimitBytes else { return nil }
    return JSONParser.parse(data).root?["reason"]?.string
  }
}
