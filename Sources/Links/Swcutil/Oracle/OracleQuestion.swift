import AppSiteAssociation
package import LinkspanCore

/// A question that the sources leave open and that Apple's `swcutil` can settle.
package struct OracleQuestion: Sendable {
  /// One of its answers.
  package struct Reading: Sendable {
    package let name: String
    /// What differs from this program's own answer; nil for that.
    let other: OtherReading?
    /// The rules of the file in a form that every reading reads alike: what this reading makes of them.
    let spelled: String
  }

  package let name: String
  /// The number in section 15 of the specification.
  package let number: Int
  /// A sentence with a question mark.
  package let text: String
  /// This program's own comes first.
  package let readings: [Reading]
  /// The file that raises the question.
  let file: String
  /// URLs that no rule tells apart, only their scheme or their authority.
  let urls: [String]

  static let app = "ABCDE12345.com.example.app"
  static let host = "example.com"

  /// - Parameters:
  ///   - entry: The members of the entry in `details` that raises the question.
  ///   - variables: The members of `substitutionVariables`.
  ///   - readings: With the elements of `components` that each makes of it.
  private init(
    _ name: String, _ number: Int, _ text: String, entry: String? = nil, rules: String = "",
    variables: String = "", urls: [String] = [],
    _ readings: (name: String, other: OtherReading?, spelled: String)...
  ) {
    self.name = name
    self.number = number
    self.text = text
    self.urls = urls
    file = Self.file(entry ?? #""appIDs":["\#(Self.app)"],"components":[\#(rules)]"#, variables)
    self.readings = readings.map { reading in
      Reading(
        name: reading.name, other: reading.other,
        spelled: Self.file(#""appIDs":["\#(Self.app)"],"components":[\#(reading.spelled)]"#, variables))
    }
  }

  private static func file(_ entry: String, _ variables: String) -> String {
    let lists = variables.isEmpty ? "" : #""substitutionVariables":{\#(variables)},"#
    return #"{"applinks":{\#(lists)"details":[{\#(entry)}]}}"#
  }

  // MARK: - The questions

  package static let all: [OracleQuestion] = paths + files + queries + variables + wrongTypes

  private static let paths = [
    OracleQuestion(
      "slash-before-wildcard", 1, "Does a pattern that ends in '?*' right after a name match that name?",
      rules: #"{"/":"/x?*"}"#,
      ("no-match", nil, #"{"/":"/x?*"}"#), ("match", .slashAdded, #"{"/":"/x?*"},{"/":"/x"}"#)),
    OracleQuestion(
      "scheme-http", 6, "Does a URL of the scheme http match?", rules: #"{"/":"/a"}"#,
      urls: ["http://example.com/a"],
      ("match", nil, #"{"/":"/a"}"#), ("no-match", .httpRefused, "")),
    OracleQuestion(
      "user-information", 6, "Does a URL with user information match?", rules: #"{"/":"/a"}"#,
      urls: ["https://user@example.com/a"],
      ("match", nil, #"{"/":"/a"}"#), ("no-match", .userInformationRefused, "")),
  ]

  private static let files = [
    OracleQuestion(
      "entry-without-rules", 2, "What does an entry without 'components' and 'paths' open?",
      entry: #""appIDs":["\#(app)"]"#,
      ("everything", nil, "{}"), ("nothing", .noRulesOpenNothing, "")),
    OracleQuestion(
      "both-identifiers", 3, "Does 'appID' count beside 'appIDs'?",
      entry: #""appID":"\#(app)","appIDs":["\#(app)2"],"components":[{"/":"/a"}]"#,
      ("ignored", nil, ""), ("united", .identifiersUnited, #"{"/":"/a"}"#)),
  ]

  private static let queries = [
    OracleQuestion(
      "query-names-case", 7, "Does 'caseSensitive: false' fold the names of query items?",
      rules: #"{"?":{"n":"1"},"caseSensitive":false}"#,
      ("folded", nil, #"{"?":{"n":"1"},"caseSensitive":false}"#),
      ("literal", .query(.namesWithCase), #"{"?":{"n":"1"}}"#)),
    OracleQuestion(
      "query-names-encoded", 7, "Are names of query items decoded where escapes count?",
      rules: #"{"?":{"é":"1"}}"#,
      ("raw", nil, ""), ("decoded", .query(.namesDecoded), #"{"?":{"%C3%A9":"1"}}"#)),
    OracleQuestion(
      "query-plus", 7, "Is '+' in a query a blank where escapes are decoded?",
      rules: #"{"?":{"q":"a b"},"percentEncoded":false}"#,
      ("plus", nil, #"{"?":{"q":"a b"},"percentEncoded":false}"#),
      (
        "blank", .query(.plusAsBlank),
        #"{"?":{"q":"a b"},"percentEncoded":false},{"?":{"q":"a+b"},"percentEncoded":false}"#
      )),
    OracleQuestion(
      "letters-folded-to-ascii", 7,
      "Does 'caseSensitive: false' take 'ſ' for 's', and the Kelvin sign for 'k'?",
      rules: #"{"/":"/s","caseSensitive":false,"percentEncoded":false}"#,
      ("folded", nil, #"{"/":"/s","caseSensitive":false,"percentEncoded":false}"#),
      (
        "apart", .lettersApart,
        #"{"/":"/s","percentEncoded":false},{"/":"/S","percentEncoded":false}"#
      )),
  ]

  private static let variables = [
    OracleQuestion(
      "variable-with-predefined-name", 8, "Which list has a variable that is named like a predefined one?",
      rules: #"{"/":"/$(digit)"}"#, variables: #""digit":["x"]"#,
      ("own", nil, #"{"/":"/x"}"#), ("predefined", .predefinedListWins, Self.digits),
      ("both", .listsUnited, #"{"/":"/x"},"# + Self.digits)),
    OracleQuestion(
      "star-in-value", 8, "Does '*' in the value of a variable stand for text with '/' in it?",
      rules: #"{"/":"/$(part)/?"}"#, variables: #""part":["a*"]"#,
      ("with-slash", nil, #"{"/":"/a*/?"}"#),
      ("one-segment", .valuesWithinSegments, #"{"/":"/a*/*/?","exclude":true},{"/":"/a*/?"}"#)),
  ]

  private static let digits = (0...9).map { #"{"/":"/\#($0)"}"# }.joined(separator: ",")

  private static let wrongTypes = [
    wrong("/", "5", with: "", like: #"{"/":"*"}"#), wrong("#", "5", with: #""/":"/a""#, like: #"{"/":"/a"}"#),
    wrong("?", "5", with: #""/":"/a""#, like: #"{"/":"/a"}"#),
    wrong("caseSensitive", #""no""#, with: #""/":"/a""#, like: #"{"/":"/a"}"#),
    wrong("percentEncoded", #""no""#, with: #""/":"/a""#, like: #"{"/":"/a"}"#),
    OracleQuestion(
      "wrong-type-exclude", 9, "What does 'exclude' with a value that is no boolean do?",
      rules: #"{"/":"/a","exclude":"no"}"#,
      ("excludes", nil, #"{"/":"/a","exclude":true}"#), ("opens", .wrongExcludeOpens, #"{"/":"/a"}"#),
      ("rule-dropped", .ruleDropped(key: "exclude"), "")),
    OracleQuestion(
      "wrong-type-components", 9, "Does 'paths' count where 'components' is no array?",
      entry: #""appIDs":["\#(app)"],"components":{},"paths":["/a"]"#,
      ("value-dropped", nil, #"{"/":"/a"}"#), ("rules-dropped", .ruleDropped(key: "components"), "")),
  ]

  private static func wrong(
    _ key: String, _ value: String, with rest: String, like spelled: String
  ) -> OracleQuestion {
    let names = [
      "/": "path", "#": "fragment", "?": "query", "caseSensitive": "case", "percentEncoded": "encoding",
    ]
    return OracleQuestion(
      "wrong-type-\(names[key] ?? key)", 9, "What does '\(key)' with a value of a wrong type do to its rule?",
      rules: "{" + (rest.isEmpty ? "" : rest + ",") + #""\#(key)":\#(value)}"#,
      ("value-dropped", nil, spelled), ("rule-dropped", .ruleDropped(key: key), ""))
  }

  /// What section 15 leaves open and no run of `swcutil` on files and URLs settles, with the reason.
  package static let notSettled: [(number: Int, reason: String)] = [
    (4, "the CDN decides whether it looks at the root or follows a redirect"),
    (5, "a device decides between the exact host's file and that of the wildcard's parent"),
    (6, "the entitlement rules out any other port, and swcutil does not read it"),
    (10, "the CDN chooses the headers and the encoding of its copy"),
    (11, "only a device's log over days shows when it looks again"),
  ]

  /// The same for programs.
  package static var notSettledJSON: JSON {
    .array(notSettled.map { .object([("question", .int($0.number)), ("reason", .string($0.reason))]) })
  }
}
