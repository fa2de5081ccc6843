internal import AppBundle
internal import LinkspanCore
internal import LinkspanDaemon

extension Command {
  static let clipSize = Command(
    name: "clip size",
    summary: "Each variant of a clip against Apple's limit, and what would make it smaller",
    operands: "PATH",
    discussion: """
      PATH is 'App Thinning Size Report.txt', app-thinning.plist, an .ipa or an .app. Apple's limit counts the
      unpacked bundle of every variant, the universal one included, and depends on the clip's own minimum iOS:
      10 MB, 15 MB from iOS 16, 100 MB from iOS 17 for clips that only links on screens, or Apple's demo link, open.

      The text report has rounded sizes, so a clip close to its limit is undecided there; the property list beside
      it and the .ipa are exact. From a bundle it also says what takes the room and what each remedy would save,
      each computed: 'zip' really compresses the resources, 'symbols' strips local symbols, 'slice' drops all
      architectures but arm64, 'duplicate' keeps one of equal files.
      """,
    flags: [
      Flag("--minimum-os", "VERSION", "The clip's minimum iOS, such as 16.0 (that of its Info.plist)"),
      Flag(
        "--invocation", "KIND", choices: ClipInvocation.allCases.map(\.rawValue),
        "How the clip is opened: physical, digital or demo (physical)"),
      Flag("--on", "DAY", "The rules of a day, such as 2024-03-01 (the newest)"),
      Flag("--resources", "PATTERN", repeats: true, "Resources for 'zip', such as 'layouts/*.json'"),
      Flag("--fonts", "PATTERN", repeats: true, "Fonts for 'zip', such as '*.ttf'"),
      Flag("--format", "FORMAT", choices: ["text", "report"], "Print an answer, or Xcode's report (text)"),
      Flag("--product", "NAME", "The product's name for the title of the report"),
    ],
    examples: [
      "linkspan clip size Clip.ipa --resources 'layouts/*.json' --fonts '*.ttf'",
      "linkspan clip size app-thinning.plist --minimum-os 16 --json",
      "linkspan clip size app-thinning.plist --format report",
    ],
    exitStatus: "0 every variant fits or is undecided, 1 one is too large, 2 could not answer"
  ) { arguments, console throws(CommandError) in
    try arguments.expectOperands(1...1)
    let run = try ClipSizeRun(arguments)
    if run.printsReport {
      console.print(try run.report(), terminator: "")
      return .yes
    }
    var answer = try run.answer()
    answer.noteOtherReading(file: arguments.operands[0])
    if arguments.has("--json") { console.print(answer.json) } else { ClipSizeText(answer).print(on: console) }
    if answer.rule.minimumOS == nil {
      console.note(
        "The clip's minimum iOS is not known, so the verdicts hold for every one. Name it with --minimum-os.")
    }
    return answer.isTooLarge || answer.findings.count(of: .error) > 0 ? .no : .yes
  }
}

private struct ClipSizeRun {
  private let arguments: Arguments
  private let path: String
  private let invocation: ClipInvocation
  private let minimumOS: Int?
  let printsReport: Bool

  /// Ours: the largest real report has 30 KB.
  private static let reportBytes = 16 << 20

  init(_ arguments: Arguments) throws(CommandError) {
    self.arguments = arguments
    path = arguments.operands[0]
    let kind = arguments.value("--invocation") ?? ClipInvocation.physical.rawValue
    guard let invocation = ClipInvocation(rawValue: kind) else {
      throw arguments.usage("unknown invocation '\(kind)'; expected physical, digital or demo")
    }
    self.invocation = invocation
    let format = arguments.value("--format") ?? "text"
    guard ["text", "report"].contains(format) else {
      throw arguments.usage("unknown format '\(format)'; expected text or report")
    }
    printsReport = format == "report"
    if let day = arguments.value("--on"), WallTime(day + "T00:00:00Z") == nil {
      throw arguments.usage("'--on' expected a day such as 2024-03-01, got '\(day)'")
    }
    if let version = arguments.value("--minimum-os") {
      guard let major = Self.majorVersion(version) else {
        throw arguments.usage("'--minimum-os' expected a version such as 16.0, got '\(version)'")
      }
      minimumOS = major
    } else {
      minimumOS = nil
    }
  }

  /// The first number of a version, where all of it is one.
  private static func majorVersion(_ text: String) -> Int? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...3).contains(parts.count), parts.allSatisfy({ Int($0) != nil }) else { return nil }
    return Int(parts[0]).flatMap { (1...99).contains($0) ? $0 : nil }
  }

  private func rule(_ own: String?) -> ClipSizeAnswer.Rule {
    ClipSizeAnswer.Rule(
      minimumOS: minimumOS ?? own.flatMap(Self.majorVersion), invocation: invocation,
      day: arguments.value("--on"))
  }

  // MARK: - Reports

  func report() throws(CommandError) -> String {
    guard case .other(let file) = try BundleInput.open(path) else {
      throw arguments.usage("'--format report' needs a report, and '\(path)' is a bundle or a program")
    }
    return try read(file).text()
  }

  private func read(_ file: LocalFile) throws(CommandError) -> ThinningReport {
    guard file.count <= Self.reportBytes else {
      throw CommandError("'\(path)' has more than \(Self.reportBytes >> 20) MB; no size report has.")
    }
    let bytes = try BundleInput.answer { () throws(BundleError) in try file.bytes(0..<file.count) }
    let isList =
      bytes.starts(with: "bplist".utf8) || bytes.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == 0x3C
    guard isList else {
      return try BundleInput.answer { () throws(BundleError) in
        try ThinningReport(text: SourceText(name: path, bytes: bytes))
      }
    }
    let document: PropertyListDocument
    do throws(PropertyListError) {
      document = try PropertyListDocument(bytes, name: path)
    } catch {
      throw CommandError("\(error)")
    }
    return try BundleInput.answer { () throws(BundleError) in
      try ThinningReport(plist: document, productName: arguments.value("--product"))
    }
  }

  // MARK: - Bundles

  func answer() throws(CommandError) -> ClipSizeAnswer {
    switch try BundleInput.open(path) {
    case .other(let file): return ClipSizeAnswer(try read(file), rule: rule(nil))
    case .program:
      throw CommandError("'\(path)' is a program, not a bundle.", help: "Name the .app or .ipa it is in.")
    case .tree(let index):
      let document = try BundleInput.answer { () throws(BundleError) in try BundleReader(index).read() }
      return try answer(document, index)
    }
  }

  private func answer(_ document: BundleDocument, _ index: FileIndex) throws(CommandError) -> ClipSizeAnswer {
    // The clip of an app is measured by itself; an app without one as the clip it may become.
    let clip = document.main.isAppClip ? document.main : document.main.clips.first ?? document.main
    let isWhole = clip.path == document.main.path && document.kind == .ipa
    return try BundleInput.answer { () throws(BundleError) in
      let sizes = try BundleSizes(index, root: clip.path, isWholeArchive: isWhole)
      let whatIf = WhatIf(index, sizes)
      let name = clip.path.split(separator: "/").last ?? path.split(separator: "/").last ?? "app"
      var answer = ClipSizeAnswer(
        variants: [
          ClipSizeAnswer.Variant(
            name: name.hasSuffix(".app") ? String(name.dropLast(4)) : String(name), devices: [],
            isUniversal: true, compressed: sizes.compressedBytes.map { ByteCount($0) },
            uncompressed: ByteCount(sizes.uncompressedBytes))
        ], rule: rule(clip.minimumOS))
      answer.parts = sizes.parts
      answer.levers = try whatIf.levers(resources: try resources(whatIf))
      if !clip.isAppClip {
        answer.findings.append(
          Finding(
            rule: "clip.not-a-clip", severity: .note, at: .init(file: document.name),
            message: "'\(clip.bundleIdentifier ?? name.description)' is not an App Clip and has none inside.",
            help: "It is measured as if it were one."))
      }
      return answer
    }
  }

  /// What the patterns name, or else what an app reads by itself.
  private func resources(_ whatIf: WhatIf) throws(BundleError) -> [Int] {
    let patterns = arguments.all("--resources") + arguments.all("--fonts")
    guard !patterns.isEmpty else { return whatIf.looseResources() }
    var places: Set<Int> = []
    for pattern in patterns {
      let found = whatIf.matches(PathPattern(pattern))
      guard !found.isEmpty else {
        throw BundleError(
          .unreadable, in: path, "The pattern '\(pattern)' names no file of the clip.",
          help: "Patterns are for paths from the bundle's folder: 'layouts/*.json', '**/*.ttf'.")
      }
      places.formUnion(found)
    }
    return places.sorted()
  }
}
