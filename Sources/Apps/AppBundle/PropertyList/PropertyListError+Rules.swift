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
        summary: "Every value of an Info.plist has the type that its key expects.",
        severity: .error, source: "section 2", bad: ["<dict><key>CFBundleIdentifier</key><true/></dict>"]),
      CheckRule(
        identifier: "info-plist.activity-case-collision",
        summary: "Activity types differ in more than the case of their letters.", severity: .warning,
        source: "HO1",
        bad: [
          "<dict><key>NSUserActivityTypes</key><array><string>com.example.edit</string>"
            + "<string>com.example.Edit</string></array></dict>"
        ]),
      CheckRule(
        identifier: "info-plist.no-scenes",
        summary: "An app that is built with the iOS 27 SDK or a later one declares scenes.", severity: .error,
        source: "LC2",
        bad: [
          "<dict><key>CFBundlePackageType</key><string>APPL</string>"
            + "<key>DTSDKName</key><string>iphoneos27.0</string></dict>"
        ]),
    ]

  private static func entry(_ kind: Kind) -> (String, String?) {
    switch kind {
    case .empty: ("The file is not empty.", " ")
    case .otherFormat: ("The file is a property list.", "{\"a\": 1}")
    case .tooLarge: ("The file is not too large.", nil)
    case .tooDeep: ("Values are not nested too deeply.", nil)
    case .tooManyValues: ("The file does not have too many values.", nil)
    case .truncated: ("The file is complete.", "<dict><key>a</key>")
    case .notWellFormed: ("The file is well-formed XML.", "<dict><key>a</key><string>b & c</string></dict>")
    case .mismatchedTag: ("Every tag has its closing tag.", "<dict></array>")
    case .entity: ("The file declares and uses no custom entities.", "<string>&undeclared;</string>")
    case .unknownTag:
      ("Every tag is a property list tag.", "<dict><key>a</key><text>b</text></dict>")
    case .unexpectedTag: ("Every tag is in a valid place.", "<dict><key><true/></key></dict>")
    case .unexpectedText: ("Text is inside <string>, <key> or another text tag.", "<dict>b</dict>")
    case .keyWithoutValue: ("Every key has a value.", "<dict><key>a</key></dict>")
    case .valueWithoutKey: ("Every value of a dictionary has a key.", "<dict><true/></dict>")
    case .noValue: ("The property list contains a value.", "<plist></plist>")
    case .severalValues:
      (
        "The property list contains only one top-level "
          + "value.", "<dict></dict><dict></dict>"
      )
    case .invalidValue:
      ("Numbers, dates and data are in the property list format.", "<integer>one</integer>")
    case .brokenTable: ("The tables of a binary property list are consistent.", nil)
    case .unknownObject: ("A binary property list contains only known object types.", nil)
    case .cycle: ("No value of a binary property list contains itself.", nil)
    case .outOfMemory: ("There is enough memory to read the file.", nil)
    case .wrongRoot:
      ("An entitlements file or Info.plist is a dictionary with keys that it may have.", "<array></array>")
    }
  }
}
