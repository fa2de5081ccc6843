import AssociatedDomains
import LinkspanStories
import SimulatedDevices

extension Expectation {
  func isHeld(by verdict: LinkVerdict) -> Bool {
    let opens: Bool
    switch self.opens {
    case .browser: opens = verdict.app == nil && !verdict.isUnknown
    case .unknown: opens = verdict.isUnknown
    case .app(let identifier, _): opens = verdict.app == identifier
    }
    return opens && (rule == nil || rule == verdict.ruleName) && (step == nil || step == verdict.step)
      && (by == nil || by == verdict.domain?.hostText)
  }

  /// What is expected, so that it reads on after "expected ".
  var words: String {
    var words: String
    switch opens {
    case .browser: words = "the browser"
    case .unknown: words = "what no source settles"
    case .app(_, let name): words = name
    }
    if let rule { words += " by rule \(rule)" }
    if let by { words += " through \(by)" }
    if let step { words += " (\(step.rawValue))" }
    return words
  }
}

extension AssociatedDomain {
  /// The host as the entry has it: `*.example.com`, and its mode when there is one.
  var hostText: String { String(canonicalText.dropFirst(service.rawValue.utf8.count + 1)) }
}
