package import AppSiteAssociation
package import AssociatedDomains
internal import LinkspanCore

/// What Apple's `swcutil verify` answers: a whole file against a domain and, when there is one, a URL.
///
/// - Source: section 11.1, and J3 for the services without URL matching.
package struct SwcutilVerify: Sendable {
  /// What the file says for one application of one service.
  package struct Answer: Sendable {
    package var service: Service
    package var app: String
    /// nil when no URL was asked about. Services without URL matching always match, as Apple's tool has it.
    package var verdict: Decision.Verdict?
  }

  /// Every application the file names, `applinks` first.
  package let answers: [Answer]
  /// The answer as Apple's tool prints it.
  package let lines: [String]
  /// false when comparing the URL for all applications took more than the bound on work; the rest has no verdict then.
  package let isDecided: Bool

  /// - Parameters:
  ///   - domain: nil for the URL's own, which is our reading: no run without it is published.
  ///   - url: nil to list what the file grants, in lines of our own making: no such run is published either.
  package init(_ file: AssociationFile, domain: String?, url: LinkURL?) {
    let domain = domain ?? url?.host
    func subject(_ service: Service, _ app: String) -> String {
      "{ s = \(service.rawValue), a = \(app), d = \(domain ?? "(null)") }"
    }
    var answers: [Answer] = []
    let scope = HostScope(domain ?? "")
    if let url, HostScope(domain ?? "") != HostScope(url.host) {
      self.answers = []
      isDecided = true
      lines = ["Input domain \"\(domain ?? "")\" did not match input URL's domain \"\(url.host)\"."]
      return
    }
    let matcher = AssociationMatcher(file)
    var work = WorkBudget.answer
    for app in matcher.applications {
      let decision = url.map { matcher.decide($0, app: app, host: scope, &work) }
      answers.append(
        Answer(service: .applinks, app: app, verdict: decision.flatMap { $0.isDecided ? $0.verdict : nil }))
    }
    isDecided = !work.isExhausted
    for service in Service.allCases {
      for app in file.apps[service] ?? [] {
        answers.append(Answer(service: service, app: app, verdict: url == nil ? nil : .match))
      }
    }
    self.answers = answers
    guard let url else {
      lines = answers.map { subject($0.service, $0.app) }
      return
    }
    // Apple's tool prints a user and a password too.
    let shown = url.text.withoutUserInformation
    let told = answers.compactMap { answer -> String? in
      switch answer.verdict {
      case .match: "\(subject(answer.service, answer.app)): Pattern \"\(shown)\" matched."
      case .excluded: "\(subject(answer.service, answer.app)): Pattern \"\(shown)\" blocked match."
      case .noMatch, nil: nil
      }
    }
    let rest =
      isDecided
      ? [] : ["Not decided for every application: comparing the URL takes more than the bound on work."]
    lines = told.isEmpty && isDecided ? ["Input JSON did not match input URL."] : told + rest
  }
}
