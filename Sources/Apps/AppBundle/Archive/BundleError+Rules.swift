package import LinkspanCore

extension BundleError {
  /// The rule about links in a folder, which has no error: the rest of the folder is read.
  package static let linkRule = "bundle.unfollowed-link"

  /// Every rule about archives, bundles and programs as such, for the reference.
  package static let rules: [CheckRule] =
    Kind.allCases.map { kind in
      let (summary, source, bad) = entry(kind)
      return CheckRule(
        identifier: "bundle.\(kind.rawValue)", summary: summary, severity: .error, source: source,
        bad: bad.map { [$0] } ?? [])
    } + [
      CheckRule(
        identifier: linkRule, summary: "The folder of a bundle holds its files themselves.",
        severity: .warning, source: "B2", bad: ["App.app/AppClips/Clip.app -> ../../Clip.app"]),
      CheckRule(
        identifier: "bundle.no-info-plist", summary: "A bundle has an Info.plist.", severity: .error,
        source: "B1", bad: ["Payload/App.app/App"]),
      CheckRule(
        identifier: "bundle.no-program", summary: "The Info.plist names the program, which is in the bundle.",
        severity: .error, source: "B1",
        bad: [
          "Payload/App.app/Info.plist: CFBundleExecutable is 'App'",
          "Payload/App.app/Info.plist: no CFBundleExecutable",
        ]),
    ]

  private static func entry(_ kind: Kind) -> (summary: String, source: String, bad: String?) {
    switch kind {
    case .unreadable: ("The file can be read.", "B1", nil)
    case .otherFormat: ("The file is a bundle, an archive of one, or a program.", "B1", "App.ipa: <html>")
    case .truncated: ("The file is there to its end.", "B2", nil)
    case .damaged: ("The parts of the file agree with one another.", "B2", nil)
    case .encrypted: ("No entry of the archive is encrypted.", "B2", nil)
    case .unsafePath: ("No path leads out of the archive.", "B2", "Payload/../../etc/passwd")
    case .link: ("The archive holds files and folders only.", "B2", "Payload/App.app/link -> /etc")
    case .duplicateEntry: ("No path is in the archive twice.", "B2", "Payload/App.app/a\nPayload/App.app/a")
    case .overlappingEntries: ("No two entries share bytes.", "B2", nil)
    case .hiddenEntry: ("The archive's directory lists every entry.", "B2", nil)
    case .unsupportedCompression: ("Entries are stored or deflated.", "B2", "App.ipa with LZMA")
    case .bomb: ("No entry unpacks to far more than its own size.", "B2", "4 MB that unpack to 4 GB")
    case .tooLarge: ("The file is as large as a reader reads.", "B2", nil)
    case .brokenProgram: ("Programs are whole Mach-O files.", "B3", nil)
    case .brokenSignature: ("The parts of a signature agree with one another.", "B3", nil)
    case .brokenEntitlements: ("The entitlements of a signature can be read.", "B3", nil)
    case .noApp: ("There is one app.", "B1", "Payload/A.app\nPayload/B.app")
    case .brokenReport: ("A size report is as Xcode wrote it.", "Z3", "App size: 10 XB compressed")
    }
  }
}
