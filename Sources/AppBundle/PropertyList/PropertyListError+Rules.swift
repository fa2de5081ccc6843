package import LinkspanCore

extension PropertyListError {
  /// Every rule about property lists as such, for the reference; an example is a whole file or what stands
  /// inside `<plist>`.
  package static let rules: [CheckRule] =
    Kind.allCases.map { kind in
      let (summary, bad) = entry(kind)
      return CheckRule(
        identifier: "plist.\(kind.rawValue)", summary: summary, severity: .error, source: "section 2",
        bad: bad.map { [$0] } ?? [])
    } + [
      CheckRule(
        identifier: "plist.duplicate-key", summary: "No dictionary has a key twice.", severity: .warning,
        source: "section 2", bad: ["<dict><key>a</key><true/><key>a</key><false/></dict>"]),
      CheckRule(
        identifier: "info-plist.wrong-type",
        summary: "Every value of an Info.plist has the type its key wants.",
        severity: .error, source: "section 2", bad: ["<dict><key>CFBundleIdentifier</key><true/></dict>"]),
    ]

  private static func entry(_ kind: Kind) -> (String, String?) {
    switch kind {
    case .empty: ("The file is not empty.", " ")
    case .otherFormat: ("The file is a property list and no other format.", "{\"a\": 1}")
    case .tooLarge: ("The file is as large as a reader reads.", nil)
    case .tooDeep: ("Values are nested as far as a reader goes.", nil)
    case .tooManyValues: ("The file has as many values as a reader takes.", nil)
    case .truncated: ("The file is there to its end.", "<dict><key>a</key>")
    case .notWellFormed: ("The file is well-formed XML.", "<dict><key>a</key><string>b & c</string></dict>")
    case .mismatchedTag: ("Every tag is closed by its like.", "<dict></array>")
    case .entity: ("The file declares no entities of its own.", "<string>&undeclared;</string>")
    case .unknownTag:
      ("Every tag is one that property lists have.", "<dict><key>a</key><text>b</text></dict>")
    case .unexpectedTag: ("Tags stand where property lists have them.", "<dict><key><true/></key></dict>")
    case .unexpectedText: ("Texts stand in tags.", "<dict>b</dict>")
    case .keyWithoutValue: ("Every key has a value.", "<dict><key>a</key></dict>")
    case .valueWithoutKey: ("Every value of a dictionary has a key.", "<dict><true/></dict>")
    case .noValue: ("The property list holds a value.", "<plist></plist>")
    case .severalValues: ("The property list holds one value.", "<dict></dict><dict></dict>")
    case .invalidValue:
      ("Numbers, dates and data are written as property lists have them.", "<integer>one</integer>")
    case .brokenTable: ("The tables of a binary property list agree with one another.", nil)
    case .unknownObject: ("A binary property list holds only objects that property lists have.", nil)
    case .cycle: ("No value of a binary property list holds itself.", nil)
    case .outOfMemory: ("There is memory enough to read the file.", nil)
    case .wrongRoot: ("An entitlements file or Info.plist is a dictionary.", "<array></array>")
    }
  }
}
