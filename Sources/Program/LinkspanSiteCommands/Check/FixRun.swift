internal import AppBundle
internal import AppSiteAssociation
internal import AssetLinks
import AssociationCheck
internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanFiles
internal import SiteInput

/// Mends the files that were named, on disk or only for show.
struct FixRun {
  /// In the order the files were given; files that stay as they are included.
  private(set) var texts: [FixedText] = []
  private let isDryRun: Bool
  private let releases: ReleaseSet
  private let keepsOriginals: Bool
  /// Paths without links.
  private var places: Set<String> = []
  /// The files that are of no kind or form that is mended, and why.
  private var left: [(file: String, reason: String)] = []
  /// Where the originals of files that were written are kept, by the name of the file.
  private var copies: [String: String] = [:]

  /// Works out every file's fixes before the first is written.
  ///
  /// - Throws: For what is no file that can be written: standard input, a host that was asked, a file of another kind.
  init(_ arguments: Arguments) throws(LinkspanError) {
    isDryRun = arguments.has("--dry-run")
    releases = try arguments.releases() ?? .standard
    keepsOriginals = !arguments.has("--no-backup")
    let operands = arguments.operands + arguments.all("--app")
    if operands.contains("-") {
      throw LinkspanError(
        "'--fix' cannot write to standard input.", help: "Save the text to a file, and name the file.")
    }
    for operand in arguments.operands {
      switch try FileReader.kind(of: operand) {
      case .file, .folder: continue
      case .missing:
        throw LinkspanError(
          "'--fix' works on files; there is no file or folder '\(operand)'.",
          help: "To fix what a host serves, name the file that is published there.")
      case .special:
        throw LinkspanError(
          "'\(operand)' is not a regular file, so '--fix' cannot write to it.",
          help: "Save the text to a file, and name the file.")
      }
    }
    // The check reports hosts that cannot be read.
    let site = try SiteReader(
      arguments.operands, host: nil, passesOverProblems: true, isProject: true, takesAppFiles: true)
    try collect(site, named: Set(arguments.operands))
    for path in arguments.all("--app") where try FileReader.kind(of: path) == .file {
      // What a bundle holds is signed; nothing in it is mended.
      guard case .other = try BundleInput.open(path) else { continue }
      let source = try FileReader.read(path)
      // The flag says what the site is checked against: other files about apps are only read.
      if AppFile.isPlainlyEntitlements(source.bytes, name: path) { add(entitlements: source) }
    }
  }

  /// Takes the files of a site that are plainly of a kind that is mended.
  ///
  /// - Parameter named: What the person named file by file. Another file, which lies in a folder, is nobody's mistake on
  ///   the command line: it is left as it is, and ``leftUnchanged`` names it.
  private mutating func collect(_ site: SiteReader, named: Set<String>) throws(LinkspanError) {
    for file in site.files {
      if let doubt = AssociationContent(file.source.bytes).doubt {
        try leave(file.source, "is not plainly an association file: it \(doubt.onOneLine)", named)
        continue
      }
      add(AssociationChecker.fixed(file.source, on: releases))
    }
    for file in site.assetLinks {
      guard StatementSource(file.source).isPlain else {
        try leave(file.source, "is not plainly a statement list for Android", named)
        continue
      }
      add(FixedText(statements: file.source))
    }
    if let path = site.appBundles.first {
      throw LinkspanError(
        "'\(path)' is an app as it was signed. Nothing was changed.",
        help: "Name the entitlements file of its project, or give the app with '--app'.")
    }
    for source in site.appFiles {
      if AppFile.isPlainlyEntitlements(source.bytes, name: source.name) {
        add(entitlements: source)
      } else {
        try leave(source, "is not plainly an entitlements file", named)
      }
    }
  }

  private mutating func leave(
    _ source: SourceText, _ what: String, _ named: Set<String>
  ) throws(LinkspanError) {
    guard named.contains(source.name) else {
      left.append((source.name, "it \(what)"))
      return
    }
    throw LinkspanError(
      "'\(source.name)' \(what). Nothing was changed.",
      help: "It seems to be \(ContentGuess.phrase(source.bytes, name: source.name)). "
        + "'--fix' corrects association files, assetlinks.json and entitlements only.")
  }

  /// What is no text in UTF-8 has no places that could be mended.
  private mutating func add(entitlements source: SourceText) {
    guard String(validating: source.bytes, as: UTF8.self) != nil else {
      left.append((source.name, "it is not XML in UTF-8; 'plutil -convert xml1 FILE' makes it so"))
      return
    }
    add(FixedText(entitlements: source))
  }

  /// A file counts once, by whatever names it was given.
  private mutating func add(_ text: FixedText) {
    let path = FileReader.resolved(text.original.name) ?? text.original.name
    if places.insert(path).inserted { texts.append(text) }
  }

  /// The mended bytes by the name of their file.
  var bytesByName: [String: [UInt8]] {
    Dictionary(changed.map { ($0.original.name, $0.bytes) }, uniquingKeysWith: { first, _ in first })
  }

  private var changed: [FixedText] { texts.filter { $0.isChanged } }

  var patch: String {
    changed.map { UnifiedDiff.text(from: $0.original.bytes, to: $0.bytes, name: $0.original.name) }.joined()
  }

  /// Puts the mended texts in the place of the files; a file that stays as it is is not touched.
  /// The originals are kept beside them, unless '--no-backup' says otherwise.
  mutating func write() throws(LinkspanError) {
    precondition(!isDryRun, "a dry run writes nothing")
    for text in changed {
      let name = text.original.name
      copies[name] = try FileCorrection.replace(
        name, text.original.bytes, by: text.bytes, keepsOriginal: keepsOriginals)
    }
  }

  /// Where the original of a file is kept, as a person would write it.
  private func copy(of name: String) -> String? {
    guard let path = copies[name] else { return nil }
    guard let target = FileReader.resolved(name), path.hasPrefix(target) else { return path }
    // Beside a link's target the path says where that is.
    let isSameFile = target.split(separator: "/").last == name.split(separator: "/").last
    return isSameFile ? name + path.dropFirst(target.count) : path
  }

  /// A line for each file of a folder that is of no kind that is mended.
  var leftUnchanged: [String] { left.map { "\($0.file.onOneLine): left unchanged; \($0.reason)" } }

  /// What was mended, for people.
  var summary: String {
    var lines = ""
    for text in texts where text.isChanged {
      let count = text.fixed.count.counted("finding")
      let kept = copy(of: text.original.name).map { "; the original is kept as \($0.onOneLine)" } ?? ""
      lines += "\(text.original.name.onOneLine): \(count) \(isDryRun ? "would be fixed" : "fixed")\(kept)\n"
      for finding in text.fixed {
        let place = finding.location.start.map { "\($0.line):\($0.column)  " } ?? ""
        lines += "  \(place)\(finding.rule)  \(finding.message.onOneLine)\n"
      }
    }
    for line in leftUnchanged { lines += line + "\n" }
    for text in texts where text.isBeyondRepair {
      lines +=
        "\(text.original.name.onOneLine): left unchanged; some of its syntax errors can be fixed in more than one way\n"
    }
    for text in texts where text.untriedCount > 0 {
      let fixes = text.untriedCount == 1 ? "1 fix was" : "\(text.untriedCount) fixes were"
      lines +=
        "\(text.original.name.onOneLine): \(fixes) not tried, because checking the results takes too long; "
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

  /// `left_unchanged` of the JSON report.
  var leftUnchangedJSON: JSON {
    .array(left.map { .object([("file", .string($0.file)), ("reason", .string($0.reason))]) })
  }

  /// `backups` of the JSON report.
  var backupsJSON: JSON {
    .array(
      changed.compactMap { text in
        copy(of: text.original.name).map {
          .object([("file", .string(text.original.name)), ("backup", .string($0))])
        }
      })
  }
}
