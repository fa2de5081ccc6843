package import LinkspanCore

/// One rule with its defaults merged in and its patterns ready (section 7).
///
/// A class, so that looking at a candidate costs one reference count instead of one for every part.
package final class CompiledRule: Sendable {
  /// The place of the entry in `details`.
  package let entry: Int
  /// The place in `components` or `paths`; nil for the rule of an entry that has neither (J10).
  package let rule: Int?
  /// Whether it stands in `paths`.
  let isPath: Bool
  /// What is stated, after merging.
  package let settings: RuleSettings
  let form: TextForm
  let path: PathPattern
  let query: CompiledQuery
  let fragment: Pattern?
  let variables: SubstitutionVariables?

  package var isExclusion: Bool { settings.exclude ?? false }

  /// - Parameter queries: What other rules of the file compiled already.
  init(
    entry: Int, rule: Int?, isPath: Bool, settings: RuleSettings, variables: SubstitutionVariables?,
    queries: QueryCompiler = QueryCompiler()
  ) {
    self.entry = entry
    self.rule = rule
    self.isPath = isPath
    self.settings = settings
    self.variables = variables
    form = TextForm(
      isCaseSensitive: settings.caseSensitive ?? true, isPercentEncoded: settings.percentEncoded ?? true)
    let compiler = PatternCompiler(variables: variables, form: form)
    path = PathPattern(settings.path ?? "*", compiler: compiler)
    query = queries.compile(settings.query, compiler)
    fragment = settings.fragment.map { compiler.compile(Array($0.utf8)) }
  }

  /// The first component, in the order path, query, fragment, that does not hold; nil when the rule decides.
  @inline(__always)
  func firstFailure(_ subject: inout Subject) -> URLComponent? {
    if !subject.pathHolds(path, in: form) { return .path }
    return failureBehindPath(&subject)
  }

  /// Whether query and fragment hold.
  @inline(__always)
  func holdsBehindPath(_ subject: inout Subject) -> Bool { failureBehindPath(&subject) == nil }

  @inline(__always)
  private func failureBehindPath(_ subject: inout Subject) -> URLComponent? {
    if !query.holds(&subject, form: form) { return .query }
    if let fragment, !subject.fragmentHolds(fragment, in: form) { return .fragment }
    return nil
  }
}

/// The pattern of a path with Apple's rules for slashes (P5–P8).
struct PathPattern: Sendable {
  /// With one leading slash and no trailing ones.
  private let stripped: Pattern
  /// For a pattern that ends in `/*`: what stands before it, since that path matches as well (P7).
  private let parent: Pattern?

  /// Works on bytes: a combining mark after a slash would hide the slash from a comparison of characters.
  init(_ text: String, compiler: PatternCompiler) {
    let slash = UInt8(ascii: "/")
    var text = Array(text.utf8)
    if !text.starts(with: "*".utf8), !text.starts(with: "?".utf8), !text.starts(with: "$(".utf8) {
      text = [slash] + text.drop { $0 == slash }
    }
    var bare = text
    while bare.last == slash { bare.removeLast() }
    stripped = compiler.compile(bare)
    parent = text.suffix(2).elementsEqual("/*".utf8) ? compiler.compile(Array(text.dropLast(2))) : nil
  }

  /// A path begins with `/`, so `/*` covers as much as `*`.
  var coversEverything: Bool {
    stripped.coversEverything || parent.map { $0.tokens == [] || $0.coversEverything } ?? false
  }

  /// The patterns of which one must cover a path.
  var forms: [Pattern] { [stripped] + (parent.map { [$0] } ?? []) }

  /// What the path of every URL that matches begins with, without trailing slashes.
  var literalPrefix: [UInt8] { (parent ?? stripped).literalPrefix }

  /// - Parameter path: The path in the rule's form, without its trailing slashes.
  ///
  /// The reference also lets a pattern ending in `/*` cover the path with a slash added; for such a pattern
  /// that is so exactly when it covers the path or its parent does.
  @inline(__always)
  func covers(_ path: UnsafeBufferPointer<UInt8>, _ work: inout WorkBudget) -> Bool {
    if stripped.covers(path, &work) { return true }
    if path.isEmpty, stripped.covers(Self.root, &work) { return true }
    return parent?.covers(path, &work) ?? false
  }

  static let root = Array("/".utf8)
}

extension RuleSettings {
  /// Whether a rule with these settings alone holds for a URL, whatever its host; false and void when the work ends.
  package func hold(
    for url: LinkURL, variables: SubstitutionVariables = .none, _ work: inout WorkBudget
  ) -> Bool {
    let rule = CompiledRule(entry: 0, rule: 0, isPath: false, settings: self, variables: variables)
    return Subject.comparing(url, within: &work) { subject in
      rule.firstFailure(&subject) == nil
    }
  }
}
