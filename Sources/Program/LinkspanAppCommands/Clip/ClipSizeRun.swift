internal import AppBundle
internal import AppClips
internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanFiles
internal import SiteInput

/// One call of `linkspan clip size`.
struct ClipSizeRun {
  private let arguments: Arguments
  private let path: String
  private let invocation: ClipInvocation
  private let minimumOS: Int?
  private let budget: ClipBudget
  let printsReport: Bool

  /// Ours: the largest real report has 30 KB.
  private static let reportBytes = 16 << 20

  init(_ arguments: Arguments) throws(LinkspanError) {
    self.arguments = arguments
    path = arguments.operands[0]
    invocation = arguments.choice("--invocation") ?? .physical
    printsReport = arguments.value("--format") == "report"
    if printsReport, arguments.has("--json") {
      throw arguments.usage("'--json' and '--format report' ask for two formats")
    }
    // Whoever limits or compares something takes the exit status for the answer.
    let others = [
      "--minimum-os", "--invocation", "--on", "--resources", "--fonts", "--against", "--max", "--budget",
      "--svg", "--html",
    ]
    for flag in others where printsReport && arguments.has(flag) {
      throw arguments.usage("'\(flag)' does not go with '--format report'")
    }
    budget = try Self.budget(arguments)
    if let day = arguments.value("--on"), WallTime(day + "T00:00:00Z") == nil {
      throw arguments.usage("'--on': expected a day such as 2024-03-01, got '\(day)'")
    }
    if let version = arguments.value("--minimum-os") {
      guard let major = Self.majorVersion(version), major >= ClipSizeLimit.firstMinimumOS else {
        throw arguments.usage(
          "'--minimum-os': expected a version such as 16.0, from \(ClipSizeLimit.firstMinimumOS) on (AC14), got "
            + "'\(version)'")
      }
      minimumOS = major
    } else {
      minimumOS = nil
    }
  }

  /// The first number of a version, where all of it is one.
  private static func majorVersion(_ text: String) -> Int? { ClipRelease(text)?.major }

  private func rule(_ own: String?) -> ClipSizeAnswer.Rule {
    let release = arguments.value("--minimum-os") ?? own
    let major = minimumOS ?? own.flatMap(Self.majorVersion)
    return ClipSizeAnswer.Rule(
      minimumOS: major, release: major == nil ? nil : release, invocation: invocation,
      day: arguments.value("--on"))
  }

  // MARK: - Reports

  func report() throws(LinkspanError) -> String {
    guard case .other(let file) = try BundleInput.open(path) else {
      throw arguments.usage("'--format report' needs a report, and '\(path)' is a bundle or a program")
    }
    return try read(file, path).text()
  }

  private func read(_ file: LocalFile, _ path: String) throws(LinkspanError) -> ThinningReport {
    guard file.count <= Self.reportBytes else {
      throw LinkspanError(
        "'\(path)' has more than \(Self.reportBytes >> 20) MB; no size report is that large.")
    }
    let bytes = try LinkspanError.of(bundle: file.bytes(0..<file.count))
    // A byte order mark and white space may come first.
    let start = bytes.first { ![0xEF, 0xBB, 0xBF, 0x20, 0x09, 0x0A, 0x0D].contains($0) }
    let isList = bytes.starts(with: "bplist".utf8) || start == 0x3C
    guard isList else {
      return try LinkspanError.of(bundle: ThinningReport(text: SourceText(name: path, bytes: bytes)))
    }
    let document: PropertyListDocument
    do throws(PropertyListError) {
      document = try PropertyListDocument(bytes, name: path)
    } catch {
      throw LinkspanError(error)
    }
    return try LinkspanError.of(
      bundle: ThinningReport(plist: document, productName: arguments.value("--product")))
  }

  // MARK: - Bundles

  func answer() throws(LinkspanError) -> ClipSizeAnswer { try answer(path) }

  private func answer(_ path: String) throws(LinkspanError) -> ClipSizeAnswer {
    switch try BundleInput.open(path) {
    case .other(let file):
      for flag in ["--resources", "--fonts"] where arguments.has(flag) {
        throw LinkspanError(
          "'\(flag)' needs a bundle; a size report has no files.", help: "Name the .ipa or .app.")
      }
      return ClipSizeAnswer(try read(file, path), rule: rule(nil))
    case .program:
      throw LinkspanError("'\(path)' is a program, not a bundle.", help: "Name the .app or .ipa it is in.")
    case .tree(let index):
      let document = try LinkspanError.of(bundle: BundleReader(index).read())
      return try answer(document, index)
    }
  }

  private func answer(_ document: BundleDocument, _ index: FileIndex) throws(LinkspanError) -> ClipSizeAnswer
  {
    // The clip of an app is measured by itself; an app without one as the clip it may become.
    let clip = document.main.isAppClip ? document.main : document.main.clips.first ?? document.main
    let isWhole = clip.path == document.main.path && document.kind == .ipa
    let sizes = try LinkspanError.of(bundle: BundleSizes(index, root: clip.path, isWholeArchive: isWhole))
    let name = clip.path.split(separator: "/").last ?? path.split(separator: "/").last ?? "app"
    var answer = ClipSizeAnswer(
      variants: [
        ClipSizeAnswer.Variant(
          name: name.hasSuffix(".app") ? String(name.dropLast(4)) : String(name), devices: [],
          isUniversal: true, compressed: sizes.compressedBytes.map { ByteCount($0) },
          uncompressed: ByteCount(sizes.uncompressedBytes))
      ], rule: rule(clip.minimumOS))
    answer.parts = sizes.parts
    answer.files = sizes.files
    answer.findings += document.findings.filter { $0.rule == BundleError.linkRule }
    let selection = try LinkspanError.of(bundle: resources(index, clip.path))
    answer.savings = try LinkspanError.of(bundle: WhatIf(index, sizes).savings(resources: selection))
    if !document.main.isAppClip,
      var several = ClipChecker.several(in: document.main, at: .init(file: document.name))
    {
      several.addHelp("Only '\(clip.path)' was measured; to measure another, unpack it and name its folder.")
      answer.findings.append(several)
    }
    if !clip.isAppClip {
      answer.findings.append(
        Finding(
          rule: "clip.not-a-clip", severity: .note, at: .init(file: document.name),
          message: "'\(clip.bundleIdentifier ?? name.description)' is not an App Clip and has none inside.",
          help: "It is measured as if it were a clip."))
    }
    return answer
  }

  /// What the patterns name, or else what an app reads by itself.
  private func resources(_ index: FileIndex, _ root: String) throws(BundleError) -> ClipSelection {
    let (resources, fonts) = (arguments.all("--resources"), arguments.all("--fonts"))
    if resources.isEmpty, fonts.isEmpty { return ClipSelection(looseIn: index, root: root) }
    return try ClipSelection(resources: resources, fonts: fonts, in: index, root: root)
  }

  // MARK: - Budget, comparison, pictures

  private static func budget(_ arguments: Arguments) throws(LinkspanError) -> ClipBudget {
    var budget = ClipBudget()
    for text in arguments.all("--max") {
      if let reason = budget.add(text) { throw arguments.usage("'--max': \(reason)") }
    }
    if let path = arguments.value("--budget") {
      let mistakes = budget.add(try FileReader.read(path))
      guard mistakes.isEmpty else {
        throw LinkspanError(
          "'\(path)' is not a budget:", findings: mistakes)
      }
    }
    return budget
  }

  /// Holds the answer to the budget and to the older build.
  func compare(_ answer: inout ClipSizeAnswer) throws(LinkspanError) {
    if budget.hasParts, answer.files.isEmpty { throw needsBundle("a budget for parts") }
    if let part = budget.unknownParts(answer).first {
      throw LinkspanError(
        "The budget names the part '\(part)', which '\(path)' does not have.",
        help: "Its parts are \(ClipBudget.partNames(answer).joined(separator: ", ")).")
    }
    answer.findings += budget.findings(answer, file: path)
    guard let old = arguments.value("--against") else { return }
    let other = try self.answer(old)
    guard !answer.files.isEmpty, !other.files.isEmpty else {
      throw needsBundle("'--against'", "a bundle on each side")
    }
    answer.comparison = ClipSizeComparison(answer, against: other, name: old)
  }

  func writePictures(of answer: ClipSizeAnswer, _ console: Console) throws(LinkspanError) {
    let outputs = try arguments.outputs([
      ("--svg", .vector(of: "linkspan clip size")), ("--html", .page(of: "linkspan clip size")),
    ])
    guard !outputs.isEmpty else { return }
    if outputs["--svg"] != nil, answer.files.isEmpty { throw needsBundle("a treemap") }
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let page = TreemapPage(answer, name: name)
    try outputs["--svg"]?.write(Array(page.svg.utf8), console)
    try outputs["--html"]?.write(Array(page.html.utf8), console)
  }

  private func needsBundle(_ what: String, _ bundle: String = "a bundle") -> LinkspanError {
    LinkspanError("\(what) needs \(bundle); a size report has no files.", help: "Name the .ipa or .app.")
  }
}
