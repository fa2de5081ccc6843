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
    case .byteOrderMark: ("The file has no byte order mark.", ["⟦\u{FEFF}⟧{}"])
    case .notUTF8: ("The file is UTF-8.", [])
    case .empty: ("The file is not empty.", ["  ⟦⟧"])
    case .html: ("The file is not a web page.", ["⟦<!doctype html>⟧\n<title>Home</title>"])
    case .notJSON: ("The file is JSON.", ["⟦Not found⟧\n"])
    case .textBefore: ("There is no text before the first bracket.", [#"⟦echo ⟧{"applinks":{}}"#])
    case .textAfter: ("There is no text after the last bracket.", [#"{"applinks":{}} ⟦> file⟧"# + "\n"])
    case .noOuterBrace: ("The content is enclosed in braces.", [#"⟦"applinks"⟧: {"details":[]}"# + "\n"])
    case .comment:
      ("The file contains no comments.", ["{⟦// links⟧\n\"applinks\":{}}", "{⟦/* links */⟧\"applinks\":{}}"])
    case .trailingComma: ("There is no comma after the last value.", [#"{"applinks":{"details":[]⟦,⟧}}"#])
    case .extraComma: ("There is only one comma between values.", [#"["/a",⟦,⟧"/b"]"#])
    case .missingComma: ("There is a comma between values.", [#"["/a" ⟦"/b"⟧]"#])
    case .missingColon:
      ("There is a colon between name and value.", [#"{"applinks" ⟦{⟧}}"#, #"{"exclude" ⟦=⟧ true}"#])
    case .missingValue: ("Every name has a value.", [#"{⟦"apps"⟧: , "details":[]}"#])
    case .typographicQuotes: ("Quotation marks are straight.", ["{⟦“applinks”⟧:{}}"])
    case .singleQuotes: ("Quotation marks are double.", ["{⟦'applinks'⟧:{}}"])
    case .unquoted:
      ("Names and strings are in quotation marks.", ["{⟦applinks⟧:{}}", #"{"exclude": ⟦True⟧}"#])
    case .unterminatedString:
      ("Every string has a closing quotation mark.", ["{\"/\": ⟦\"/a⟧,\n\"exclude\":true}"])
    case .invalidEscape: (#"Every backslash begins a JSON escape."#, [#"["⟦\.⟧"]"#])
    case .controlCharacter: ("Strings contain no unescaped tabs or line breaks.", ["[\"a⟦\t⟧b\"]"])
    case .invalidNumber: ("Numbers are in JSON syntax.", ["[⟦007⟧]"])
    case .unclosed: ("Every bracket is closed.", [#"{"applinks":{"details":[]}⟦⟧"#])
    case .unexpectedBracket:
      ("Every closing bracket matches an opening bracket.", [#"{"details":[]⟦]⟧,"apps":[]}"#])
    case .unexpectedCharacter:
      (
        "There is nothing but JSON syntax between "
          + "values.", ["{⟦^⟧\n\"applinks\":{}}"]
      )
    case .tooDeep: ("Values are not nested too deeply.", [])
    case .tooLarge: ("The file is not too large.", [])
    case .tooManyErrors: ("The file does not have too many errors to be read completely.", [])
    }
  }
}
