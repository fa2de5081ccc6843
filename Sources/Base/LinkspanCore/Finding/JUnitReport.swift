/// Results as JUnit XML, for pages that show test results.
///
/// Cases carry their suite as `classname`, which is what readers show for it, and have one name in each suite, because
/// GitLab drops a second case of the same name.
///
/// - Source: GitLab, "Unit test reports", for what is read; the format has no standard.
package struct JUnitReport: Sendable {
  /// What is wrong with a case.
  package struct Problem: Sendable {
    /// One sentence.
    package var message: String
    package var type: String
    /// Everything there is to say, with its line ends.
    package var text: String

    package init(message: String, type: String, text: String) {
      self.message = message
      self.type = type
      self.text = text
    }
  }

  package enum Outcome: Sendable {
    case passed
    /// The answer is no.
    case failed(Problem)
    /// There is no answer.
    case unanswered(Problem)
  }

  package struct Case: Sendable {
    package var name: String
    package var outcome = Outcome.passed
    /// What is worth reading although nothing failed because of it.
    package var output = ""

    package init(name: String, outcome: Outcome = .passed) {
      self.name = name
      self.outcome = outcome
    }
  }

  package struct Suite: Sendable {
    /// The path of the file that the cases are about.
    package var name: String
    package var cases: [Case]

    package init(name: String, cases: [Case]) {
      self.name = name
      self.cases = cases
    }
  }

  package var name: String
  package var suites: [Suite] = []

  package init(name: String) { self.name = name }

  package var xml: String {
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      + "<testsuites\(Self.attributes([("name", name)] + Self.counts(suites.flatMap { $0.cases })))>\n"
      + suites.map(Self.text).joined() + "</testsuites>\n"
  }

  private static func text(_ suite: Suite) -> String {
    var seen: [String: Int] = [:]
    let cases = suite.cases.map { one in
      seen[one.name, default: 0] += 1
      let number = seen[one.name]!
      return text(one, name: number == 1 ? one.name : "\(one.name) (\(number))", of: suite.name)
    }
    return "  <testsuite\(attributes([("name", suite.name)] + counts(suite.cases)))>\n" + cases.joined()
      + "  </testsuite>\n"
  }

  private static func text(_ one: Case, name: String, of suite: String) -> String {
    let identity = attributes([("name", name), ("classname", suite), ("file", suite)])
    var content = ""
    switch one.outcome {
    case .passed: break
    case .failed(let problem): content = element("failure", problem)
    case .unanswered(let problem): content = element("error", problem)
    }
    if !one.output.isEmpty {
      content += "      <system-out>\(Markup.escaped(one.output, isAttribute: false))</system-out>\n"
    }
    return content.isEmpty
      ? "    <testcase\(identity)/>\n" : "    <testcase\(identity)>\n\(content)    </testcase>\n"
  }

  private static func element(_ name: String, _ problem: Problem) -> String {
    "      <\(name)\(attributes([("message", problem.message), ("type", problem.type)]))>"
      + Markup.escaped(problem.text, isAttribute: false) + "</\(name)>\n"
  }

  private static func counts(_ cases: [Case]) -> [(String, String)] {
    let failures = cases.count { if case .failed = $0.outcome { true } else { false } }
    let errors = cases.count { if case .unanswered = $0.outcome { true } else { false } }
    return [
      ("tests", "\(cases.count)"), ("failures", "\(failures)"), ("errors", "\(errors)"), ("skipped", "0"),
    ]
  }

  private static func attributes(_ list: [(String, String)]) -> String {
    list.map { " \($0.0)=\"\(Markup.escaped($0.1, isAttribute: true))\"" }.joined()
  }
}
