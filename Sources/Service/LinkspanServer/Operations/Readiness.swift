package import LinkspanCore

/// What `/readyz` says: whether to send requests here, and what is not as the operator wants it.
package struct Readiness: Sendable {
  package enum Phase: String, Sendable {
    /// Nothing is published yet.
    case starting
    case serving
    /// Told to stop; what is under way is being answered.
    case draining
  }

  /// A host whose newest files are not live.
  package struct Refused: Sendable {
    /// Nil for the site of every host without one of its own.
    package var host: String?
    package var errors: Int
    package var findings: [String]

    package init(host: String?, errors: Int, findings: [String]) {
      self.host = host
      self.errors = errors
      self.findings = findings
    }
  }

  /// Of one host, in the answer; ours.
  package static let findingLimit = 20

  package var phase = Phase.starting
  package var refused: [Refused] = []
  /// Why nothing could be read the last time; nil when it could.
  package var problem: String?

  package init() {}

  /// The word of ``response``: `degraded` is ready with something refused, for then the last good files are served, and
  /// taking the server out would help nobody.
  package var status: String {
    switch phase {
    case .starting: "starting"
    case .draining: "draining"
    case .serving: refused.isEmpty && problem == nil ? "ready" : "degraded"
    }
  }

  package var response: HTTPResponse {
    let hosts = refused.map { host in
      JSON.object([
        ("host", .init(host.host)), ("errors", .int(host.errors)),
        ("findings", .array(host.findings.prefix(Self.findingLimit).map(JSON.string))),
      ])
    }
    let body = JSON.object([
      ("type", .string("ready")), ("status", .string(status)), ("refused", .array(hosts)),
      ("problem", .init(problem)),
    ])
    return HTTPResponse(
      status: phase == .serving ? 200 : 503,
      fields: ["Content-Type": "application/json", "Cache-Control": "no-store"], body: body.bytes + [0x0A])
  }
}
