internal import AppSiteAssociation
internal import AssociationDelivery
internal import HTTPTransport
internal import LinkspanCore

/// Causes as they are gathered.
struct Found {
  private(set) var causes: [FoundCause] = []
  /// What is wrong now and does no harm yet, since a copy hides it.
  private(set) var hidden: [FoundCause] = []
  private let subject: FileCauses.Subject
  /// For all comparisons of one target.
  private var work = WorkBudget.answer

  init(_ subject: FileCauses.Subject) { self.subject = subject }

  /// Whether it is about an App Clip, which no rule of a file opens.
  var isOfClip: Bool { subject.isClip }

  mutating func hide(_ cause: FoundCause) { hidden.append(cause) }

  mutating func add(_ cause: FoundCause?) {
    guard let cause, !causes.contains(where: { $0.cause == cause.cause }) else { return }
    causes.append(cause)
  }

  /// Why none of the apps claims the host, or why no device installs it.
  mutating func add(_ app: AppCauses) {
    add(app.cause)
    add(app.uninstallable)
    add(app.tooNew)
  }

  /// What a host serves, what its file says, and whether the CDN says something else.
  mutating func look(
    at answer: HostAnswer, on os: OSVersion, _ causes: (FileCauses, inout WorkBudget) -> [FoundCause]
  ) {
    let serving = answer.servingCause
    add(serving)
    let place = answer.published ?? Self.page(answer)
    if let bytes = place ?? answer.delivered {
      let copyName = answer.cdn?.isOfStandIn == true ? "the stand-in's copy" : "Apple's copy"
      let name = place == nil ? copyName : "the file of \(answer.host)"
      let own = Self.causes(subject, of: bytes, named: name, on: os, causes, &work)
      if serving == nil || answer.published != nil { for cause in own { add(cause) } }
      if own.isEmpty, serving == nil, answer.isCDNKnown, answer.asksCDN, let copy = answer.delivered,
        copy != bytes,
        let old = Self.causes(subject, of: copy, named: copyName, on: os, causes, &work).first
      {
        add(stale(answer, old))
      }
    }
    if serving == nil, let own = answer.hostCause { hidden.append(own) }
  }

  /// The same for a host whose file is asked behind another: what is wrong there is told besides.
  mutating func look(
    behind answer: HostAnswer, on os: OSVersion, _ causes: (FileCauses, inout WorkBudget) -> [FoundCause]
  ) {
    var found = Found(subject)
    found.work = work
    found.look(at: answer, on: os, causes)
    work = found.work
    for cause in found.causes where !hidden.contains(where: { $0.cause == cause.cause }) { hide(cause) }
  }

  /// The same for a file by itself.
  mutating func look(
    at bytes: [UInt8], named name: String, on os: OSVersion,
    _ causes: (FileCauses, inout WorkBudget) -> [FoundCause]
  ) {
    for cause in Self.causes(subject, of: bytes, named: name, on: os, causes, &work) { add(cause) }
  }

  private static func causes(
    _ subject: FileCauses.Subject, of bytes: [UInt8], named name: String, on os: OSVersion,
    _ causes: (FileCauses, inout WorkBudget) -> [FoundCause], _ work: inout WorkBudget
  ) -> [FoundCause] {
    let file = FileCauses(bytes, named: name, on: os, for: subject)
    return file.ofFile.map { [$0] } ?? causes(file, &work)
  }

  /// What the host answers 200 with that is no file.
  private static func page(_ answer: HostAnswer) -> [UInt8]? {
    guard case .answered(let response)? = answer.counting, response.status == 200 else { return nil }
    return response.body
  }

  private func stale(_ answer: HostAnswer, _ old: FoundCause) -> FoundCause {
    let life = answer.cdn?.answer?.remaining_s.map { "another " + CacheControl.words($0) } ?? "some hours"
    let isOfStandIn = answer.cdn?.isOfStandIn == true
    let wait =
      isOfStandIn
      ? "Purge it there (POST /purge), or wait: it keeps its copy for \(life). "
      : "Wait: Apple's CDN keeps its copy for \(life), and it cannot be purged (C4, C5). "
    return FoundCause(
      .cdnStale, .observed,
      evidence: old.evidence + ["The host's own file opens the link."] + answer.evidence,
      remedy:
        wait + "Then install the app again; other devices look about once a week (V2, V3).",
      title: answer.staleTitle)
  }
}
