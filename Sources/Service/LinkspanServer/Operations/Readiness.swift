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

  /// What a probe may ask for by itself: `/readyz?part=registry`.
  package enum Part: String, Hashable, Sendable, CaseIterable {
    /// The association files.
    case files
    /// The store of devices and pushes: whether it takes changes.
    case registry
    /// APNs: whether it takes pushes with this key.
    case push
    /// The access log: whether lines get to the file that its name stands for.
    case log
  }

  package var phase = Phase.starting
  package var refused: [Refused] = []
  /// Why nothing could be read the last time; nil when it could.
  package var problem: String?
  /// Whether there are association files to serve.
  package var hasFiles = true
  /// What is wrong with the other parts of this server, nil inside where nothing is.
  package var others: [Part: String?] = [:]
  /// What is not as it should be in parts that work all the same.
  package var warnings: [Part: String] = [:]

  package init() {}

  /// The word for all: `degraded` is ready with something that is not as it should be, for then the last good files are
  /// served, and taking the server out would help nobody. A server that has nothing but a registry is `unavailable` without
  /// it.
  package var status: String {
    if phase == .serving, !hasFiles {
      let status = status(of: .registry)
      return status == "ready" && !(warnings.isEmpty && problem == nil) ? "degraded" : status
    }
    let isWhole = refused.isEmpty && problem == nil && registryProblem == nil && warnings.isEmpty
    return phase == .serving ? (isWhole ? "ready" : "degraded") : phase.rawValue
  }

  private var registryProblem: String? { others[.registry] ?? nil }

  private func status(of part: Part) -> String {
    guard phase == .serving else { return phase.rawValue }
    if part == .files {
      return refused.isEmpty && problem == nil && warnings[part] == nil ? "ready" : "degraded"
    }
    guard (others[part] ?? nil) == nil else { return "unavailable" }
    return warnings[part] == nil ? "ready" : "degraded"
  }

  private func reason(of part: Part) -> String? {
    part == .files ? problem ?? warnings[part] : (others[part] ?? nil) ?? warnings[part]
  }

  private var parts: [Part] { Part.allCases.filter { $0 == .files ? hasFiles : others[$0] != nil } }

  package var response: HTTPResponse { response(of: nil) }

  /// - Parameter query: Of the request; `part=NAME` asks for one part.
  package func response(to query: Substring) -> HTTPResponse {
    var asked: Part?
    let here = parts.map(\.rawValue).joined(separator: ", ")
    for field in query.split(separator: "&", omittingEmptySubsequences: false) where !query.isEmpty {
      let name = "part="
      let part = field.hasPrefix(name) ? Part(rawValue: String(field.dropFirst(name.count))) : nil
      guard asked == nil, let part else {
        return .text(400, "unknown query; expected part=NAME once, with NAME one of: \(here)")
      }
      guard parts.contains(part) else {
        return .text(404, "this server has no part '\(part.rawValue)'; it has: \(here)")
      }
      asked = part
    }
    return response(of: asked)
  }

  private func response(of part: Part?) -> HTTPResponse {
    let hosts = refused.map { host in
      JSON.object([
        ("host", .init(host.host)), ("errors", .int(host.errors)),
        ("findings", .array(host.findings.prefix(Self.findingLimit).map(JSON.string))),
      ])
    }
    let status = part.map(status) ?? status
    // Without the registry nothing can be stored, which goes before files that are not the newest; else the first whose problem
    // has words, since what is refused has a place of its own.
    let bad = parts.filter { self.status(of: $0) != "ready" }
    let told = bad.filter { reason(of: $0) != nil }
    let named = part ?? (registryProblem != nil ? .registry : told.first ?? bad.first)
    // Who asks for one part hears of that part, others of each that has a problem, the named one first.
    let rest = part == nil ? told.filter { $0 != named }.map(reason) + [hasFiles ? nil : problem] : []
    let words = ([named.flatMap(reason)] + rest).compactMap(\.self).joined(separator: " ")
    let body = JSON.object([
      ("type", .string("ready")), ("status", .string(status)),
      ("part", .init(named?.rawValue)),
      ("parts", .object(parts.map { ($0.rawValue, .string(self.status(of: $0))) })),
      ("refused", .array(hosts)), ("problem", words.isEmpty ? .null : .string(words)),
    ])
    return HTTPResponse(
      status: status == "ready" || status == "degraded" ? 200 : 503,
      fields: ["Content-Type": "application/json", "Cache-Control": "no-store"], body: body.bytes + [0x0A])
  }
}
