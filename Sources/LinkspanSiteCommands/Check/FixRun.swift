internal import AppBundle
internal import AppSiteAssociation
internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanDaemon

/// Mends the files that were named, on disk or only for show.
struct FixRun {
  /// In the order the files were given; files that stay as they are included.
  let texts: [FixedText]
  private let isDryRun: Bool

  /// Works out every file's fixes before the first is written.
  ///
  /// - Throws: For what is no file that can be written: standard input, a host that was asked.
  init(_ arguments: Arguments) throws(CommandError) {
    isDryRun = arguments.has("--dry-run")
    let operands = arguments.operands + arguments.all("--app")
    if operands.contains("-") {
      throw CommandError(
        "'--fix' cannot write to standard input.", help: "Save the text to a file, and name the file.")
    }
    for missing in arguments.operands where try CommandError.mapping(FileReader.kind(of: missing)) == .missing
    {
      throw CommandError(
        "'--fix' mends files, and there is no file or folder '\(missing)'.",
        help: "What a host serves is mended where it comes from: name the file that is published.")
    }
    var texts: [FixedText] = []
    // The check reports hosts that cannot be read.
    let site = try CommandError.mapping(
      SiteReader(arguments.operands, host: nil, passesOverProblems: true, takesAppFiles: true))
    for file in site.files where !texts.contains(where: { $0.original.name == file.source.name }) {
      texts.append(
        FixedText(
          file.source, isReadable: { AssociationContent($0.bytes).document.isWellFormed },
          findings: { AssociationChecker.findings(in: AssociationSource($0)) }))
    }
    var appFiles = site.appFiles
    for path in arguments.all("--app") where try CommandError.mapping(FileReader.kind(of: path)) == .file {
      // What a bundle holds is signed; nothing in it is mended.
      guard case .other = try BundleInput.open(path) else { continue }
      appFiles.append(try CommandError.mapping(FileReader.read(path)))
    }
    for source in appFiles where Self.entitlementFindings(in: source) != nil {
      texts.append(
        FixedText(
          source, isReadable: { Self.entitlementFindings(in: $0) != nil },
          findings: { Self.entitlementFindings(in: $0) ?? [] }))
    }
    self.texts = texts
  }

  /// nil when the text claims no domains; what is wrong with it is then told by the check itself.
  private static func entitlementFindings(in text: SourceText) -> [Finding]? {
    do throws(PropertyListError) {
      switch try AppFile(text.bytes, name: text.name) {
      case .entitlements(let entitlements): return EntitlementChecker.check(entitlements)
      case .expo(let configuration): return EntitlementChecker.check(configuration.entitlements)
      case .infoPlist, .profile: return nil
      }
    } catch {
      return nil
    }
  }

  /// The mended bytes by the name of their file.
  var bytesByName: [String: [UInt8]] {
    Dictionary(changed.map { ($0.original.name, $0.bytes) }, uniquingKeysWith: { first, _ in first })
  }

  private var changed: [FixedText] { texts.filter(\.isChanged) }

  var patch: String {
    changed.map { UnifiedDiff.text(from: $0.original.bytes, to: $0.bytes, name: $0.original.name) }.joined()
  }

  /// Puts the mended texts in the place of the files; a file that stays as it is is not touched.
  func write() throws(CommandError) {
    precondition(!isDryRun, "a dry run writes nothing")
    for text in changed { try CommandError.mapping(FileWriter.replace(text.original.name, by: text.bytes)) }
  }

  /// What was mended, for people.
  var summary: String {
    var lines = ""
    for text in texts where text.isChanged {
      let count = text.fixed.count == 1 ? "1 finding" : "\(text.fixed.count) findings"
      lines += "\(text.original.name): \(count) \(isDryRun ? "would be fixed" : "fixed")\n"
      for finding in text.fixed {
        let place = finding.location.start.map { "\($0.line):\($0.column)  " } ?? ""
        lines += "  \(place)\(finding.rule)  \(finding.message)\n"
      }
    }
    for text in texts where text.isBeyondRepair {
      lines +=
        "\(text.original.name): left as it is; some mistakes in its syntax have more than one answer\n"
    }
    for text in texts where text.untriedCount > 0 {
      let fixes = text.untriedCount == 1 ? "1 fix was" : "\(text.untriedCount) fixes were"
      lines +=
        "\(text.original.name): \(fixes) not tried, because checking the outcomes takes too long; "
        + (text.isChanged ? "run 'linkspan check --fix' again\n" : "correct the file by hand\n")
    }
    return lines
  }

  /// `fixed` of the JSON report.
  var json: JSON {
    .array(
      changed.flatMap { text in
        text.fixed.map { finding in
          .object([
            ("rule", .string(finding.rule)), ("file", .string(finding.location.file)),
            ("line", .init(finding.location.start?.line)),
            ("column", .init(finding.location.start?.column)), ("message", .string(finding.message)),
          ])
        }
      })
  }
}
