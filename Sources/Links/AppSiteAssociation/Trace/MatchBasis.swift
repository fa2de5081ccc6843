internal import AssociatedDomains
internal import HeldURLs
package import LinkspanCore

/// How sure a decision is: the least sure of the rules that led to it, and the open question that decides it, if one does.
package struct MatchBasis: Hashable, Sendable {
  package var certainty: Certainty
  /// The number in section 15 of the specification.
  package var question: Int?
  /// The other answer to that question, which decides otherwise.
  package var other: OtherReading?

  init(_ certainty: Certainty, question: Int? = nil, other: OtherReading? = nil) {
    self.certainty = certainty
    self.question = question
    self.other = other
  }

  /// As members of a JSON object: `question` only where one decides.
  package var members: [(String, JSON)] {
    [("certainty", .string(certainty.rawValue))] + (question.map { [("question", .int($0))] } ?? [])
  }

  /// `open, question 9`
  package var text: String { certainty.rawValue + (question.map { ", question \($0)" } ?? "") }
}

extension AssociationMatcher {
  /// How sure a decision of this matcher is; nil for one that is not decided.
  package func basis(
    of trace: MatchTrace, _ url: LinkURL, app: String, host: HostScope, _ work: inout WorkBudget
  ) -> MatchBasis? {
    OpenQuestions(self, app: app).basis(of: trace, url, host: host, &work)
  }
}

extension MatchTrace {
  /// Without the open questions: how sure the rules are that decided.
  ///
  /// - Parameters:
  ///   - os: The release that reads the file; nil for the newest behaviour.
  ///   - variables: The file's; nil when the release knows none.
  func certainty(for url: LinkURL, on os: OSVersion?, _ variables: SubstitutionVariables?) -> Certainty {
    let codes: Certainty = os?.hasPublishedCodes ?? true ? .observed : .inferred
    let certainty: Certainty
    switch miss {
    case nil: certainty = steps.last.map { $0.certainty(for: url, codes: codes) } ?? .documented
    case .noURL?: certainty = .documented
    case .tooLong?, .port?: certainty = .inferred
    case .unnamedHost(_, let unnamed)?: certainty = unnamed.certainty
    case .host?, .noRules?, .noApplication(isHidden: true)?: certainty = .observed
    case .scheme?, .noUniversalLinks?, .noAppLinks?, .noAppsKey?, .applicationNotNamed?, .noApplication?:
      certainty = .documented
    case .noRuleHolds(let closest)?: certainty = closest.certaintyOfFailure(codes: codes, variables)
    case .undecided?, .unexplained?: certainty = .inferred
    }
    return certainty.and(url.held?.certainty ?? .documented)
  }
}

extension MatchTrace.Step {
  /// How sure it is that the rule holds.
  ///
  /// - Parameter codes: How sure the lists of regions and languages are (S5).
  fileprivate func certainty(for url: LinkURL, codes: Certainty) -> Certainty {
    if settings.patterns.contains(where: Self.namesCodes) { return codes }
    // Case and escapes: K2 and K4, observed.
    if settings.caseSensitive == false || settings.percentEncoded == false { return .observed }
    if case .ignored? = settings.query { return .observed }
    // Escapes are compared as they are written (K3).
    for (component, pattern) in settings.componentPatterns where pattern != "*" {
      let hasEscape = url.withBytes { $0[url.range(of: component)].contains(UInt8(ascii: "%")) }
      if hasEscape { return .observed }
    }
    return settings.path.map { Self.followsFromDocuments($0, for: url) } ?? true ? .documented : .observed
  }

  /// Whether a path needs none of the rules about slashes that were only observed (P5 to P7).
  private static func followsFromDocuments(_ pattern: String, for url: LinkURL) -> Bool {
    if pattern == "*" { return true }
    guard
      pattern.hasPrefix("*") || pattern.hasPrefix("?") || pattern.hasPrefix("$(") || pattern.hasPrefix("/"),
      !pattern.hasPrefix("//"), !url.path.isEmpty
    else { return false }
    let slash = UInt8(ascii: "/")
    return url.withBytes { bytes in
      let path = bytes[url.path]
      if pattern.hasSuffix("/*") {
        // Else the parent alone may be covered.
        return pattern.utf8.count(where: { $0 == slash }) <= path.count(where: { $0 == slash })
      }
      return pattern.hasSuffix("*") || (pattern.utf8.last == slash) == (path.last == slash)
    }
  }

  private static func namesCodes(_ pattern: String) -> Bool {
    pattern.contains("$(region)") || pattern.contains("$(lang)")
  }

  /// How sure it is that the rule does not hold.
  fileprivate func certaintyOfFailure(codes: Certainty, _ variables: SubstitutionVariables?) -> Certainty {
    guard let failure else { return .documented }
    // That an undefined or empty variable, or '$(' without ')', matches nothing is inferred (S6).
    if variables != nil, !PatternCompiler(variables: variables).problems(in: failure.pattern).isEmpty {
      return .inferred
    }
    if Self.namesCodes(failure.pattern) { return codes }
    if settings.caseSensitive == false || settings.percentEncoded == false { return .observed }
    // Escapes are compared as they are written (K3).
    let hasEscapes = (failure.text ?? "").contains("%") || failure.pattern.contains("%")
    return hasEscapes || failure.pattern.utf8.contains { $0 >= 0x80 } ? .observed : .documented
  }
}

extension MatchTrace.Miss {
  /// Whether the URL or the release decides, whatever the file says.
  var isOfURL: Bool {
    switch self {
    case .noURL, .tooLong, .scheme, .unnamedHost, .host, .port, .noUniversalLinks: true
    default: false
    }
  }
}

extension RuleSettings {
  /// The patterns for whole components.
  var componentPatterns: [(URLComponent, String)] {
    var all: [(URLComponent, String)] = []
    if let path { all.append((.path, path)) }
    switch query {
    case .whole(let pattern): all.append((.query, pattern))
    case .items(let items) where !items.isEmpty: all.append((.query, "="))
    default: break
    }
    if let fragment { all.append((.fragment, fragment)) }
    return all
  }

  /// Every pattern, those of items included.
  var patterns: [String] {
    var all = [path, fragment].compactMap { $0 }
    switch query {
    case .whole(let pattern): all.append(pattern)
    case .items(let items): all += items.map({ $0.pattern })
    case .ignored, nil: break
    }
    return all
  }
}

extension LinkURL {
  fileprivate func range(of component: URLComponent) -> Range<Int> {
    switch component {
    case .path: path
    case .query: query
    case .fragment: fragment
    }
  }
}
