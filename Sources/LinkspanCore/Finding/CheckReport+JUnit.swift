extension CheckReport {
  /// The report as JUnit XML, for pages that show test results.
  ///
  /// A file is a suite, and a rule it breaks is a case: failed when one of its findings is an error, else
  /// passed with the warnings and notes as output. A file without findings is one passed case. Cases carry the
  /// file as `classname`, which is what readers show for the suite, and have one name in each suite, because
  /// GitLab drops a second case of the same name.
  ///
  /// - Source: GitLab, "Unit test reports", for what is read; the format has no standard.
  package var junit: String {
    let names = files + findings.map(\.location.file).filter { !files.contains($0) }
    var seen: Set<String> = []
    var suites = ""
    var counts = (cases: 0, failures: 0)
    for file in names where seen.insert(file).inserted {
      let found = findings.filter { $0.location.file == file }
      let rules = Set(found.map(\.rule)).sorted()
      let failures = rules.count { rule in found.contains { $0.rule == rule && $0.severity == .error } }
      let cases = max(1, rules.count)
      counts = (counts.cases + cases, counts.failures + failures)
      suites += "  <testsuite\(Self.attributes([("name", file)] + Self.numbers(cases, failures)))>\n"
      if rules.isEmpty { suites += "    <testcase\(Self.attributes(Self.identity("check", file)))/>\n" }
      for rule in rules { suites += Self.testCase(rule, file, found.filter { $0.rule == rule }) }
      suites += "  </testsuite>\n"
    }
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      + "<testsuites\(Self.attributes([("name", tool.name)] + Self.numbers(counts.cases, counts.failures)))>\n"
      + suites + "</testsuites>\n"
  }

  private static func numbers(_ cases: Int, _ failures: Int) -> [(String, String)] {
    [("tests", "\(cases)"), ("failures", "\(failures)"), ("errors", "0"), ("skipped", "0")]
  }

  private static func identity(_ name: String, _ file: String) -> [(String, String)] {
    [("name", name), ("classname", file), ("file", file)]
  }

  private static func testCase(_ rule: String, _ file: String, _ findings: [Finding]) -> String {
    let text = { (chosen: [Finding]) in
      XMLText.escaped(chosen.map { $0.text() }.joined(), isAttribute: false)
    }
    let errors = findings.filter { $0.severity == .error }
    let others = findings.filter { $0.severity != .error }
    var result = "    <testcase\(attributes(identity(rule, file)))>\n"
    if let first = errors.first {
      let count = errors.count(of: .error)
      let more = count == 1 ? "" : " (and \(count - 1) more)"
      result +=
        "      <failure\(attributes([("message", first.message + more), ("type", first.severity.rawValue)]))>"
      result += text(errors) + "</failure>\n"
    }
    if !others.isEmpty { result += "      <system-out>\(text(others))</system-out>\n" }
    return result + "    </testcase>\n"
  }

  private static func attributes(_ list: [(String, String)]) -> String {
    list.map { " \($0.0)=\"\(XMLText.escaped($0.1, isAttribute: true))\"" }.joined()
  }
}

/// Text as XML 1.0 carries it.
enum XMLText {
  /// - Parameter isAttribute: Whether line ends and tabs have to survive a reader, which makes blanks of them
  ///   in attributes.
  /// - Source: XML 1.0, section 2.2: other control characters, U+FFFE and U+FFFF have no form at all, so they
  ///   are shown as U+FFFD.
  static func escaped(_ text: String, isAttribute: Bool) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x26: result.append(contentsOf: "&amp;".unicodeScalars)
      case 0x3C: result.append(contentsOf: "&lt;".unicodeScalars)
      case 0x3E: result.append(contentsOf: "&gt;".unicodeScalars)
      case 0x22: result.append(contentsOf: "&quot;".unicodeScalars)
      case 0x0D: result.append(contentsOf: "&#13;".unicodeScalars)
      case 0x09 where isAttribute: result.append(contentsOf: "&#9;".unicodeScalars)
      case 0x0A where isAttribute: result.append(contentsOf: "&#10;".unicodeScalars)
      case 0x09, 0x0A: result.append(scalar)
      case 0..<0x20, 0xFFFE, 0xFFFF: result.append("\u{FFFD}")
      default: result.append(scalar)
      }
    }
    return String(result)
  }
}
