import AppSiteAssociation
import AssociationCheck
import LinkspanCore
import TestSupport
import Testing

/// Every rule's own examples: a bad one is found at its mark, a good one is not found at all.
@Suite struct AssociationRuleTests {
  @Test(arguments: RuleExample.all(of: AssociationRule.all.map(\.record)))
  func keepsItsWord(_ example: RuleExample) throws {
    let rule = try #require(AssociationRule.all.first { $0.identifier == example.rule.identifier })
    try example.isKept { rule.findings(in: AssociationSource($0), on: .allOfIOS) }
  }

  @Test func everyRuleHasExamplesAndItsOwnName() {
    for rule in AssociationRule.all {
      #expect(!rule.bad.isEmpty && !rule.good.isEmpty, "\(rule.identifier)")
      #expect(rule.summary.hasSuffix("."), "\(rule.identifier)")
    }
    #expect(Set(AssociationRule.all.map(\.identifier)).count == AssociationRule.all.count)
  }

  /// An exclusion behind a catch-all is a mistake, unless the same exclusion also stands before it.
  @Test(arguments: [(#""*""#, Finding.Severity.error), (#""NOT /e/*","*""#, .note)])
  func theFirstRuleThatCoversDecides(before: String, severity: Finding.Severity) {
    let entry = #"{"appID":"ABCDE12345.com.example.app","paths":[\#(before)]}"#
    let again = #"{"appID":"ABCDE12345.com.example.app","paths":["NOT /e/*"]}"#
    let text = #"{"applinks":{"apps":[],"details":[\#(entry),\#(again)]}}"#
    let findings = AssociationChecker.findings(in: AssociationSource(SourceText(name: "file", text)))
    #expect(findings.filter { $0.rule == "aasa.unreachable" }.map(\.severity) == [severity])
  }

  /// A key that belongs elsewhere in the file is sent there, and only there.
  @Test(
    arguments: [
      ("appID", nil, "in the entry, next to \"components\""),
      ("paths", nil, "in the entry, next to \"components\""),
      ("excluded", "write {\"/\": \"/page\", \"exclude\": true}", nil),
      ("#", "into the rule or into \"defaults\"", nil),
      ("substitutionVariables", "in \"applinks\", for all entries", nil),
    ] as [(String, String?, String?)])
  func aKeyInTheWrongPlaceIsSentToItsOwn(key: String, ofEntry: String?, ofComponent: String?) throws {
    let rule = try #require(AssociationRule.all.first { $0.identifier == "aasa.unknown-key" })
    func help(_ entry: String, _ component: String) -> String? {
      let text =
        #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],\#(entry)"components":[{\#(component)"/":"/a"}]}]}}"#
      return rule.findings(in: AssociationSource(SourceText(name: "file", text)), on: .allOfIOS).first?.help
    }
    let member = "\"\(key)\":\"x\","
    if let ofEntry { #expect(help(member, "")?.contains(ofEntry) == true) }
    let found = help("", member)
    if let ofComponent {
      #expect(found?.contains(ofComponent) == true)
    } else {
      #expect(found?.contains("into the rule") != true && found?.contains("for all entries") != true)
    }
  }

  /// The letter is named as URLs have it; one that has no composed form is in none.
  @Test(arguments: [
    ("/cafe\u{301}", "é"), ("/CAFE\u{301}", "É"), ("/o\u{308}l", "ö"), ("/か\u{3099}", "が"),
    ("/caf\u{E9}", nil),
    ("/\u{958}", nil), ("/x\u{301}", nil),
  ])
  func aDecomposedLetterIsNamed(pattern: String, letter: String?) throws {
    let rule = try #require(AssociationRule.all.first { $0.identifier == "aasa.decomposed-letter" })
    let text =
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"\#(pattern)","percentEncoded":false}]}]}}"#
    let findings = rule.findings(in: AssociationSource(SourceText(name: "file", text)))
    #expect(
      findings.map(\.message)
        == (letter.map { ["The pattern contains '\($0)' as several characters."] } ?? []))
  }

  @Test func saysItAsACompilerWould() throws {
    let text =
      "{\n  \"applinks\": {\n    \"details\": [{ \"appIDs\": [\"ABCDE12345.com.example.app\"], \"components\": [{ \"/\": \"/a\", \"exlude\": true }] }]\n  }\n}\n"
    let findings = AssociationChecker.findings(in: AssociationSource(SourceText(name: "file", text)))
    #expect(findings.count == 1)
    #expect(
      findings.first?.text() == """
        file:3:89: error[aasa.unknown-key]: 'exlude' is not a component key.
          3 | 45.com.example.app"], "components": [{ "/": "/a", "exlude": true }] }]
            |                                                   ^^^^^^^^
          iOS ignores unknown keys and applies the rest of the rule. Did you mean 'exclude'?

        """)
    #expect(
      findings.first?.json.text == """
        {"rule":"aasa.unknown-key","severity":"error","file":"file","line":3,"column":89,"end_line":3,"end_column":97,\
        "pointer":"/applinks/details/0/components/0/exlude","message":"'exlude' is not a component key.",\
        "help":"iOS ignores unknown keys and applies the rest of the rule. Did you mean 'exclude'?","source":"J2","fixable":true,\
        "releases":{"from":"ios:15.0","to":null}}
        """)
  }

  /// A file without defects gets no error; one whose syntax is broken gets one on its line.
  @Test(.enabled(if: Fixtures.corpus != nil, Comment(rawValue: Fixtures.corpusAbsence)))
  func agreesWithTheCorpus() throws {
    let corpus = try #require(Fixtures.corpus)
    for row in try corpus.manifest("aasa") {
      let (name, defects) = (row[0], row[10])
      let source = SourceText(name: name, bytes: try corpus.bytes("aasa/\(name)"))
      let findings = AssociationChecker.findings(in: AssociationSource(source), on: .allOfIOS)
      let errors = findings.filter { $0.severity == .error }
      if defects == "-" {
        #expect(errors == [], "\(name): \(errors.map { $0.text() }.joined())")
      } else if defects.contains("json-syntax") {
        #expect(errors.contains { $0.rule.hasPrefix("json.") }, "\(name)")
      } else {
        #expect(!findings.isEmpty, "\(name): \(defects)")
      }
    }
  }

  /// What matches no URL because of a character that URLs have as an escape only, wherever the character stands.
  @Test(arguments: [
    (#"{"/":"/$(city)/*"}"#, ["error"]),
    (#"{"/":"/$(city)/*","exclude":true}"#, ["error"]),
    (#"{"/":"/$(city)/*","percentEncoded":false}"#, []),
    (#"{"/":"/$(mixed)/*"}"#, ["warning"]), (#"{"/":"/$(region)/*"}"#, []),
    (#"{"?":{"größe":"?*"}}"#, ["error"]), (#"{"?":{"größe":"*"}}"#, ["warning"]),
    (#"{"?":{"größe":"?*"},"percentEncoded":false}"#, []),
    (#"{"?":{"gr%C3%B6":"?*"},"percentEncoded":false}"#, ["warning"]),
    (#"{"?":{"id":"$(mixed)"}}"#, ["warning"]), (##"{"#":"a#b"}"##, ["error"]),
    (#"{"/":"/a\u0000/*"}"#, ["error"]), (#"{"/":"/a\u007f"}"#, ["error"]), (#"{"/":"/a}b"}"#, ["error"]),
    (#"{"/":"/a`b^c"}"#, ["error"]), (#"{"/":"/\ud800/*"}"#, ["error"]),
    (#"{"/":"/a|b","percentEncoded":false}"#, []),
    (#"{"/":"/a(b)!$&'*,;=:@[c]~"}"#, []),
  ])
  func whatNoURLHasIsFound(component: String, severities: [String]) {
    let variables = #"{"city":["münchen","new york"],"mixed":["köln","ulm","a|b"]}"#
    let text =
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.x"],"components":[\#(component)]}],"substitutionVariables":\#(variables)}}"#
    let source = AssociationSource(SourceText(name: "file", text))
    let found = AssociationChecker.findings(in: source).filter { $0.rule == "aasa.encoded-pattern" }
    #expect(found.map(\.severity.rawValue) == severities, "\(found.map { $0.text() })")
    // A half of a pair has no escape.
    #expect(!found.contains { $0.text().contains("%EF%BF%BD") })
  }

  @Test func valuesThatNeverMatchAreNamed() {
    let text =
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.x"],"components":[{"/":"/$(a)"},{"/":"/$(b)"}]}],"substitutionVariables":{"a":["ulm","köln","new york"],"b":["köln"]}}}"#
    let found = AssociationChecker.findings(in: AssociationSource(SourceText(name: "file", text)))
    #expect(
      found.map(\.message) == [
        "No value of the variable 'b' can match.", "2 values of 'a' never match: 'köln', 'new york'.",
      ])
    #expect(
      found.last?.help
        == "iOS compares the encoded URL, so no URL has what is written here. Write 'k%C3%B6ln' for 'köln', "
        + "'new%20york' for 'new york', or add \"percentEncoded\": false to the rule (iOS 14 and later).")
  }

  /// What only an old release needs is a note.
  @Test(arguments: [
    (
      #"{"applinks":{"apps":[],"details":[{"appIDs":["ABCDE12345.com.x"],"components":[{"/":"*"}]},{"appID":"ABCDE12345.com.x","paths":["NOT /b","*"]}]}}"#,
      ["note", "note"]
    ),
    (
      #"{"applinks":{"defaults":{"exclude":true},"details":[{"appIDs":["ABCDE12345.com.x"],"components":[{"/":"*","exclude":false},{"/":"/a"}]}]}}"#,
      ["error"]
    ),
    (
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.x"],"components":[{"/":"/shop"},{"/":"/$(nope)"}]}]}}"#,
      []
    ),
    (
      #"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.com.x","paths":["/*","/a","/b","/c"]}]}}"#,
      ["note"]
    ),
  ])
  func unreachableMeansOnSomeRelease(file: String, severities: [String]) {
    let source = AssociationSource(SourceText(name: "file", file))
    let found = AssociationChecker.findings(in: source, on: .allOfIOS).filter {
      $0.rule == "aasa.unreachable"
    }
    #expect(found.map(\.severity.rawValue) == severities)
  }

  /// One mistake, one finding.
  @Test(arguments: [
    (#"["NOT  /y","*"]"#, ["aasa.not-in-components"]), (#"["not /x","*"]"#, ["aasa.not-in-components"]),
    (#"["NOT/x","*"]"#, ["aasa.not-in-components"]), (#"["NOT /x","*"]"#, []),
    (#"["NOT   /y","*"]"#, ["aasa.not-in-components"]),
  ])
  func aWrongExclusionIsToldOnce(paths: String, rules: [String]) {
    let text = #"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.com.x","paths":\#(paths)}]}}"#
    let findings = AssociationChecker.findings(in: AssociationSource(SourceText(name: "file", text)))
    #expect(findings.map(\.rule) == rules)
  }

  /// Browsers write an apostrophe as an escape in queries, and in no other part of a URL.
  @Test(arguments: [
    (#"{"?":"q=it's"}"#, 1), (#"{"?":{"q":"it's"}}"#, 1), (#"{"?":"q=it%27s"}"#, 0), (#"{"/":"/it's"}"#, 0),
    (##"{"#":"it's"}"##, 0), (#"{"?":"q=it's","percentEncoded":false}"#, 0),
  ])
  func anApostropheOfAQueryIsEncoded(component: String, count: Int) {
    let text = #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.x"],"components":[\#(component)]}]}}"#
    let findings = AssociationChecker.findings(in: AssociationSource(SourceText(name: "file", text)))
    let found = findings.filter { $0.rule == "aasa.encoded-pattern" }
    #expect(found.count == count && found.allSatisfy { $0.severity == .warning }, "\(findings)")
  }

  /// A blank at the beginning of a path has no NOT before it.
  @Test func aBlankBeforeAPathIsNoExclusion() {
    let text = #"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.com.x","paths":[" /y","*"]}]}}"#
    let findings = AssociationChecker.findings(in: AssociationSource(SourceText(name: "file", text)))
    #expect(!findings.contains { $0.rule == "aasa.not-in-components" || $0.message.contains("NOT") })
    #expect(!findings.isEmpty)
  }

  /// Found by fuzzing: a bare word of one character has no quotation marks to mend between.
  @Test(arguments: ["a", "$", "“", "“a", "'", "\"", "\"a"])
  func wordsWithoutQuotationMarksAreChecked(path: String) {
    let text = "{\"applinks\":{\"apps\":[],\"details\":[{\"appID\":\"ABCDE12345.com.x\",\"paths\":[\(path)"
    for ending in ["", "]", "]}]}}", "\n]}]}}"] {
      let source = AssociationSource(SourceText(name: "file", text + ending))
      #expect(AssociationChecker.findings(in: source).contains { $0.severity == .error })
    }
  }

  /// J13: each key is an application identifier, and each value holds "paths".
  @Test(arguments: [
    (#"{"appID":"ABCDE12345.com.example.app","paths":["/a"]}"#, Finding.Severity.error),
    (#"{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a"}]}"#, .error),
    (#"{"ABCDE12345.com.example.app":["/a"]}"#, .error), (#"{"ABCDE12345.com.example.app":null}"#, .error),
    (#"{"ABCDE12345.com.example.app":{"paths":["/a"]}}"#, .note), ("{}", nil), ("[]", nil),
  ])
  func anObjectInTheListsPlaceIsJudgedByItsKeys(details: String, worst: Finding.Severity?) {
    let text = #"{"applinks":{"apps":[],"details":\#(details)}}"#
    let findings = AssociationChecker.findings(in: AssociationSource(SourceText(name: "file", text)))
    let found = findings.filter { $0.rule == "aasa.details-object" }
    #expect(
      Finding.Severity.allCases.first { severity in found.contains { $0.severity == severity } } == worst)
    #expect(!found.contains { $0.severity == .error && $0.message.contains("keyed") })
  }

  @Test(arguments: [#""apps":[],"#, ""]) func oneEntryBecomesAListOfOne(apps: String) {
    let text = #"{"applinks":{\#(apps)"details":{"appID":"ABCDE12345.com.example.app","paths":["/a"]}}}"#
    let source = AssociationSource(SourceText(name: "file", text))
    let found = AssociationChecker.findings(in: source).first { $0.rule == "aasa.details-object" }
    #expect(found?.fix?.edits.map(\.replacement) == ["[", "]"])
    #expect(source.content.doubt == nil)
  }

  /// M5: what a component does not state matches, so a rule without any part covers every URL.
  @Test(arguments: [
    (#""pathname":"/a""#, Finding.Severity.error, "matches every URL"),
    (#""url":"/a","exclude":true"#, .error, "excludes every URL"),
    (#""components":[{"/":"/a"}]"#, .error, "matches every URL"),
    (#""/":"/a","url":"/b""#, .warning, "applies the rest"),
    (#""?":{"a":"b"},"url":"/b""#, .warning, "applies"),
    (#""_note":"x""#, .note, "applies"), (#""name":"x""#, .note, "applies"),
  ])
  func aRuleWithoutAPartIsToldWhatItCovers(members: String, severity: Finding.Severity, help: String) {
    let text =
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{\#(members)}]}]}}"#
    let findings = AssociationChecker.findings(in: AssociationSource(SourceText(name: "file", text)))
    let found = findings.filter { $0.rule == "aasa.unknown-key" }
    #expect(found.map(\.severity) == [severity])
    #expect(found.first?.wholeHelp?.contains(help) == true, "\(found.first?.wholeHelp ?? "")")
  }

  /// DF1: what "defaults" say is compared, too.
  @Test func defaultsArePartsOfARule() {
    let text =
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"defaults":{"/":"/a"},"components":[{"url":"/b"}]}]}}"#
    let findings = AssociationChecker.findings(in: AssociationSource(SourceText(name: "file", text)))
    #expect(findings.filter { $0.rule == "aasa.unknown-key" }.map(\.severity) == [.warning])
  }

  /// One piece of advice for a slip, and none that makes it worse.
  @Test(arguments: ["^/user/[0-9]+$", " /e", "/e "]) func aSlipGetsNoSlash(pattern: String) {
    let text =
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"\#(pattern)"}]}]}}"#
    let findings = AssociationChecker.findings(in: AssociationSource(SourceText(name: "file", text)))
    #expect(!findings.contains { $0.rule == "aasa.missing-slash" } && !findings.isEmpty)
    guard pattern.hasPrefix(" ") || pattern.hasSuffix(" ") else { return }
    let encoded = findings.first { $0.rule == "aasa.encoded-pattern" }
    #expect(encoded?.wholeHelp?.contains("Remove the blanks at its ends: write '/e'.") == true)
  }

  /// The mark was meant as the end, and is no part of the pattern.
  @Test(arguments: ["”\n]", "”]", "”, \n\"/b\"]"]) func aTypographicMarkEndsAString(end: String) throws {
    let text =
      #"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.com.example.app","paths":["/app/*"#
      + end + "}]}}"
    let findings = AssociationChecker.findings(in: AssociationSource(SourceText(name: "file", text)))
    let found = findings.filter { $0.rule.hasPrefix("json.") || $0.rule == "aasa.encoded-pattern" }
    #expect(found.map(\.rule).first == "json.typographic-quotes")
    #expect(found.first?.fix?.edits.map(\.replacement) == ["\""])
    #expect(!found.contains { $0.rule == "aasa.encoded-pattern" || $0.rule == "json.unterminated-string" })
  }
}
