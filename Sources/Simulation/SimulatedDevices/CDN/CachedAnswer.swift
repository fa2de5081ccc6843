package import LinkspanCore

/// What Apple's CDN keeps for a host.
package struct CachedAnswer: Sendable {
  package var host: String
  /// As it left the crawl, without an age.
  package var response: HTTPResponse
  /// When what it holds was fetched, on the clock of the CDN.
  package var fetched: Duration
  /// From this moment on it is not answered any more.
  package var expires: Duration

  /// - Returns: nil once it is past its life.
  func answer(at now: Duration) -> HTTPResponse? {
    guard now < expires else { return nil }
    return aged(at: now)
  }

  func aged(at now: Duration) -> HTTPResponse {
    var response = response
    response.fields["Age"] = String(max(0, (now - fetched).components.seconds))
    return response
  }

  /// `{"host":…,"status":…,"reason":…,"age_s":…,"expires_in_s":…}`
  package func json(at now: Duration) -> JSON {
    .object([
      ("host", .string(host)), ("status", .int(response.status)),
      ("reason", .init(response.fields["Apple-Failure-Reason"])),
      ("from", .init(response.fields["Apple-From"])),
      ("age_s", .int(Int((now - fetched).components.seconds))),
      ("expires_in_s", .int(Int(max(.zero, expires - now).components.seconds))),
    ])
  }
}
