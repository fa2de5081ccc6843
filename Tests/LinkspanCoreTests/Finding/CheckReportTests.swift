import Foundation
import FoundationXML
import LinkspanCore
import Testing

/// Small reports whole, and the shape of large ones.
@Suite struct CheckReportTests {
  static let source = SourceText(name: "./a b:c,d.json", "{\n  \"exlude\": \"%\",\n}\n")

  static let unknownKey = {
    var finding = Finding(
      rule: "aasa.unknown-key", severity: .error, at: .init(source, 4..<12, pointer: "/exlude"),
      message: "100 % of <keys> & 'exlude'", help: "One.", fix: Fix([Edit(5..<11, "exclude")], in: source))
    finding.addHelp("Two: \u{1}.")
    return finding
  }()

  static let findings = [
    unknownKey,
    Finding(
      rule: "json.trailing-comma", severity: .warning, at: .init(source, 17..<20), message: "it spans lines"),
    Finding(
      rule: "site.root-only", severity: .note, at: .init(file: "https://example.com/x y"), message: "far"),
  ]

  static func report(_ findings: [Finding] = findings, files: [String] = ["clean", source.name])
    -> CheckReport
  {
    CheckReport(
      tool: ("linkspan", "0.1.0"), files: files, findings: findings, notChecked: ["the certificate"],
      rules: [
        FindingRule(identifier: "aasa.unknown-key", summary: "Every key is known.", severity: .error),
        FindingRule(identifier: "json", summary: "It is JSON.", severity: .error),
      ])
  }

  @Test func asSARIF() {
    #expect(
      Self.report(Array(Self.findings.prefix(1))).sarif.text == """
        {"$schema":"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",\
        "version":"2.1.0","runs":[{"tool":{"driver":{"name":"linkspan","version":"0.1.0","rules":[\
        {"id":"aasa.unknown-key","shortDescription":{"text":"Every key is known."},\
        "defaultConfiguration":{"level":"error"}}]}},"invocations":[{"executionSuccessful":true,\
        "toolExecutionNotifications":[{"message":{"text":"Not checked: the certificate."},"level":"note"}]}],\
        "columnKind":"unicodeCodePoints","results":[{"ruleId":"aasa.unknown-key","ruleIndex":0,"level":"error",\
        "message":{"text":"100 % of <keys> & 'exlude'.\\nOne.\\nTwo: \\u0001."},"locations":[{"physicalLocation":\
        {"artifactLocation":{"uri":"a%20b%3Ac%2Cd.json"},"region":{"startLine":2,"startColumn":3,"endLine":2,\
        "endColumn":11}},"logicalLocations":[{"fullyQualifiedName":"/exlude"}]}],\
        "partialFingerprints":{"linkspanSubject/v1":"\(Self.fingerprint)"},"fixes":[{"artifactChanges":[\
        {"artifactLocation":{"uri":"a%20b%3Ac%2Cd.json"},"replacements":[{"deletedRegion":{"startLine":2,\
        "startColumn":4,"endLine":2,"endColumn":10},"insertedContent":{"text":"exclude"}}]}]}]}]}]}
        """)
  }

  /// Found once; it must not change from release to release, or every known finding turns up as new.
  static let fingerprint = "4c194734fab216a9"

  @Test(arguments: [
    ("a/b.json", "a/b.json"), ("./a", "a"), ("<stdin>", "%3Cstdin%3E"), ("/tmp/ä", "file:///tmp/%C3%A4"),
    ("https://example.com/a%20b?c=ä#d", "https://example.com/a%20b?c=%C3%A4#d"), ("../x#y?z", "../x%23y%3Fz"),
  ])
  func filesAreReferences(name: String, uri: String) throws {
    let finding = Finding(rule: "r", severity: .note, at: .init(file: name), message: "m")
    let text = Self.report([finding]).sarif.text
    #expect(text.contains("\"uri\":\"\(uri)\""))
  }

  @Test func fingerprintsOutliveMovedLines() throws {
    func prints(_ text: String) throws -> [String] {
      let source = SourceText(name: "f", text)
      let findings = text.ranges(of: "bad").map { range in
        let start = text.utf8.distance(from: text.startIndex, to: range.lowerBound)
        return Finding(rule: "r", severity: .error, at: .init(source, start..<start + 3), message: "m")
      }
      return try SARIFShape.results(Self.report(findings).sarif).map {
        try #require(($0["partialFingerprints"] as? [String: String])?.values.first)
      }
    }
    let before = try prints("a\nbad\nb\nbad\n")
    #expect(Set(before).count == 2)
    #expect(try prints("new\na\n  bad\nb\n\n bad, x\n") == before)
  }

  @Test func sarifHasTheShapeOfItsSchema() throws {
    try SARIFShape.check(Self.report().sarif)
    try SARIFShape.check(Self.report([]).sarif)
  }

  @Test func unknownRulesSpeakForThemselvesAndGroupsForTheirMembers() {
    #expect(
      Self.report().brokenRules == [
        FindingRule(identifier: "aasa.unknown-key", summary: "Every key is known.", severity: .error),
        FindingRule(identifier: "json.trailing-comma", summary: "It is JSON.", severity: .warning),
        FindingRule(identifier: "site.root-only", summary: "site.root-only", severity: .note),
      ])
  }

  @Test func asJUnit() {
    #expect(
      Self.report().junit == """
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="linkspan" tests="4" failures="1" errors="0" skipped="0">
          <testsuite name="clean" tests="1" failures="0" errors="0" skipped="0">
            <testcase name="check" classname="clean" file="clean"/>
          </testsuite>
          <testsuite name="./a b:c,d.json" tests="2" failures="1" errors="0" skipped="0">
            <testcase name="aasa.unknown-key" classname="./a b:c,d.json" file="./a b:c,d.json">
              <failure message="100 % of &lt;keys&gt; &amp; &#39;exlude&#39;." type="error">./a b:c,d.json:2:3: \
        error[aasa.unknown-key]: 100 % of &lt;keys&gt; &amp; 'exlude'.
          2 |   &quot;exlude&quot;: &quot;%&quot;,
            |   ^^^^^^^^
          One.
          Two: \\u{1}.
        </failure>
            </testcase>
            <testcase name="json.trailing-comma" classname="./a b:c,d.json" file="./a b:c,d.json">
              <system-out>./a b:c,d.json:2:16: warning[json.trailing-comma]: It spans lines.
          2 |   &quot;exlude&quot;: &quot;%&quot;,
            |                ^
        </system-out>
            </testcase>
          </testsuite>
          <testsuite name="https://example.com/x y" tests="1" failures="0" errors="0" skipped="0">
            <testcase name="site.root-only" classname="https://example.com/x y" file="https://example.com/x y">
              <system-out>https://example.com/x y: note[site.root-only]: Far.
        </system-out>
            </testcase>
          </testsuite>
        </testsuites>

        """)
  }

  /// Whatever stands in a message or a file's name, another XML reader takes the report.
  @Test func junitIsXMLWhateverItHolds() throws {
    for value in (0...0x2FF).map({ $0 }) + [0xFFFD, 0xFFFE, 0xFFFF, 0x1F600] {
      guard let scalar = UnicodeScalar(UInt32(value)) else { continue }
      let odd = "x\(Character(scalar))]]>y"
      let finding = Finding(rule: "r\(odd)", severity: .error, at: .init(file: odd), message: odd, help: odd)
      let reader = AttributeReader()
      let parser = XMLParser(data: Data(Self.report([finding], files: [odd]).junit.utf8))
      parser.delegate = reader
      #expect(parser.parse(), "U+\(String(value, radix: 16))")
      let isEscaped =
        scalar.properties.generalCategory == .control && ![0x09, 0x0A, 0x0D].contains(value)
        || [0xFFFE, 0xFFFF].contains(value)
      let shown = "x\\u{\(String(value, radix: 16))}]]>y"
      #expect(reader.classNames == [isEscaped ? shown : odd], "U+\(String(value, radix: 16))")
    }
  }

  private final class AttributeReader: NSObject, XMLParserDelegate {
    var classNames: [String] = []

    func parser(
      _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
      attributes: [String: String] = [:]
    ) {
      if name == "testcase", let value = attributes["classname"] { classNames.append(value) }
    }
  }

  @Test func asGitHubAnnotations() {
    #expect(
      Self.report().gitHubAnnotations == """
        ::error file=./a b%3Ac%2Cd.json,line=2,col=3,endLine=2,endColumn=11,title=aasa.unknown-key\
        ::100 %25 of <keys> & 'exlude'.%0AOne.%0ATwo: \\u{1}.
        ::warning file=./a b%3Ac%2Cd.json,line=2,endLine=3,title=json.trailing-comma::It spans lines.
        ::notice file=https%3A//example.com/x y,title=site.root-only::Far.

        """)
  }
}
