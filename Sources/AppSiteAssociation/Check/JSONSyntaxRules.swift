package import LinkspanCore

/// The mistakes in JSON, which rules of every kind of file report, for the reference.
package enum JSONSyntaxRules {
  package static let all = JSONSyntaxError.Kind.allCases.map { kind in
    let (summary, bad) = entry(kind)
    return CheckRule(
      identifier: "json.\(kind.rawValue)", summary: summary, severity: .error,
      source: kind == .html ? "R8" : "R5", bad: bad, good: [#"{"applinks":{"details":[]}}"#])
  }

  private static func entry(_ kind: JSONSyntaxError.Kind) -> (String, [String]) {
    switch kind {
    case .byteOrderMark: ("The file begins with its first bracket and no byte order mark.", ["⟦\u{FEFF}⟧{}"])
    case .notUTF8: ("The file is UTF-8.", [])
    case .empty: ("The file is not empty.", ["  ⟦⟧"])
    case .html: ("The file is no page.", ["⟦<!doctype html>⟧\n<title>Home</title>"])
    case .notJSON: ("The file is JSON and no other text.", ["⟦Not found⟧\n"])
    case .textBefore: ("Nothing stands before the first bracket.", [#"⟦echo ⟧{"applinks":{}}"#])
    case .textAfter: ("Nothing stands after the last bracket.", [#"{"applinks":{}} ⟦> file⟧"# + "\n"])
    case .noOuterBrace: ("The whole is inside braces.", [#"⟦"applinks"⟧: {"details":[]}"# + "\n"])
    case .comment:
      ("JSON has no comments.", ["{⟦// links⟧\n\"applinks\":{}}", "{⟦/* links */⟧\"applinks\":{}}"])
    case .trailingComma: ("No comma stands after the last value.", [#"{"applinks":{"details":[]⟦,⟧}}"#])
    case .extraComma: ("One comma stands between values.", [#"["/a",⟦,⟧"/b"]"#])
    case .missingComma: ("A comma stands between values.", [#"["/a" ⟦"/b"⟧]"#])
    case .missingColon:
      ("A colon stands between name and value.", [#"{"applinks" ⟦{⟧}}"#, #"{"exclude" ⟦=⟧ true}"#])
    case .missingValue: ("Every name has a value.", [#"{⟦"apps"⟧: , "details":[]}"#])
    case .typographicQuotes: ("Quotation marks are straight.", ["{⟦“applinks”⟧:{}}"])
    case .singleQuotes: ("Quotation marks are double.", ["{⟦'applinks'⟧:{}}"])
    case .unquoted:
      ("Names and texts stand in quotation marks.", ["{⟦applinks⟧:{}}", #"{"exclude": ⟦True⟧}"#])
    case .unterminatedString:
      ("Every text has a closing quotation mark.", ["{\"/\": ⟦\"/a⟧,\n\"exclude\":true}"])
    case .invalidEscape: (#"A backslash begins one of JSON's escapes."#, [#"["⟦\.⟧"]"#])
    case .controlCharacter: ("Texts hold no tabs and no line ends as they are.", ["[\"a⟦\t⟧b\"]"])
    case .invalidNumber: ("Numbers are written as JSON has them.", ["[⟦007⟧]"])
    case .unclosed: ("Every bracket is closed.", [#"{"applinks":{"details":[]}⟦⟧"#])
    case .unexpectedBracket:
      ("Every closing bracket closes one of its kind.", [#"{"details":[]⟦]⟧,"apps":[]}"#])
    case .unexpectedCharacter: ("Nothing stands between values that is no JSON.", ["{⟦^⟧\n\"applinks\":{}}"])
    case .tooDeep: ("Brackets are nested as far as a reader goes, and no real file goes beyond.", [])
    case .tooLarge: ("The file is as large as a reader reads, which is far more than a device takes.", [])
    case .tooManyErrors: ("The file has few enough mistakes to be read to its end.", [])
    }
  }
}
