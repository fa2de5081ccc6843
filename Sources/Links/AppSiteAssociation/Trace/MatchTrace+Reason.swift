internal import AssociatedDomains
internal import LinkspanCore

extension MatchTrace {
  /// The decision and its cause in one sentence.
  package var reason: String { keptReason ?? madeReason }

  /// Makes the sentence now, for a trace that is used many times.
  mutating func keepReason() { keptReason = madeReason }

  private var madeReason: String {
    switch decision.verdict {
    case .match: "\(Self.place(of: steps.last!)) covers it: \(steps.last!.settings.json.text)"
    case .excluded: "\(Self.place(of: steps.last!)) excludes it: \(steps.last!.settings.json.text)"
    case .noMatch: miss?.reason ?? "no rule holds"
    }
  }

  static func place(of step: Step) -> String {
    guard let rule = step.rule else {
      return "entry \(step.entry), which has no list of components or paths,"
    }
    return "entry \(step.entry), rule \(rule)"
  }
}

extension MatchTrace.Miss {
  package var reason: String {
    switch self {
    case .noURL(let fault): return fault
    case .tooLong(let bytes):
      return "it has \(bytes) bytes; URLs longer than \(LinkURL.lengthLimitBytes) bytes are not matched"
    case .scheme(let scheme):
      return scheme.isEmpty
        ? "it is not an absolute URL: universal links begin with https:// or http://"
        : "its scheme is '\(scheme)'; universal links are https or http"
    case .unnamedHost(let host, .ipAddress):
      return "its host '\(host)' is an IP address, and an associated domain is a name"
    case .unnamedHost(let host, .trailingDot):
      return "its host '\(host)' ends in a dot, and no associated domain can"
    case .unnamedHost(let host, .invalid(let fault)):
      return "no associated domain can name its host '\(host)': it \(fault)"
    case .host(let host, .exactly(let own)):
      return "its host '\(host)' is not '\(own)', the host of the file"
    case .host(let host, .subdomains(let parent)):
      return "its host '\(host)' is not below '\(parent)'"
    case .port(let port):
      return "it names port \(port), and no associated domain can"
    case .noUniversalLinks(let os):
      return "\(os.name) has no universal links"
    case .noAppLinks:
      return "the file has no \"applinks\" object"
    case .noAppsKey(let os):
      return "\(os.platform.name) before 13 requires \"apps\": [] inside \"applinks\", which is missing"
    case .applicationNotNamed(let app, let similar):
      let app = app.withoutUserInformation
      guard let other = similar.first else { return "the file does not name \(app)" }
      if other.drop(while: { $0 != "." }).dropFirst() == app {
        let all = similar.joined(separator: " or ")
        return "the file does not name \(app), which has no prefix; did you mean \(all)?"
      }
      return "the file does not name \(app); it names \(other), which has another prefix"
    case .noApplication(isHidden: true):
      return "the file names no app: \"appIDs\" of an entry is empty, so its \"appID\" is ignored"
    case .noApplication: return "the file names no app"
    case .noRules:
      return "the file names the app but gives it no rule"
    case .undecided:
      return "not decided: comparing it with the rules takes more than the bound on work"
    case .unexplained:
      return "no rule holds; finding the closest takes more than the bound on work"
    case .noRuleHolds(let step):
      return step.failure!.reason(of: step)
    }
  }
}

extension MatchTrace.Failure {
  func reason(of step: MatchTrace.Step) -> String {
    let place = "closest is " + MatchTrace.place(of: step)
    var sentence: String
    switch (component, item, text) {
    case (.query, let item?, nil):
      sentence = "\(place): the query has no item '\(item)'; the rule requires '\(pattern)'"
    case (.query, let item?, let text?):
      sentence = "\(place): query item '\(item)' is '\(text)', which '\(pattern)' does not cover"
    default:
      let shown = text.map { $0.isEmpty ? "empty" : "'\($0)'" } ?? "empty"
      sentence = "\(place): the \(component.name) is \(shown), which '\(pattern)' does not cover"
    }
    if let remedy { sentence += "; " + remedy }
    return sentence
  }
}
