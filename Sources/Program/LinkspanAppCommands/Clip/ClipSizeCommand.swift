internal import AppBundle
internal import LinkspanCommand
internal import LinkspanCore

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
      it and the .ipa are exact. For a bundle it
      also lists the largest parts and computes what each remedy would save: 'zip' really compresses the resources, 'symbols' strips local symbols, 'slice' drops all
      architectures but arm64, 'duplicate' keeps one of equal files.
      """,
    flags: [
      Flag("--minimum-os", "VERSION", "The clip's minimum iOS, such as 16.0 (that of its Info.plist)"),
      Flag(
        "--invocation", "KIND", choices: ClipInvocation.allCases.map(\.rawValue),
        "How the clip is opened: physical (also by QR codes, NFC tags or App Clip Codes), digital (links on screens only) "
          + "or demo (Apple's demo link, anywhere); from iOS 17 on the last two may have 100 MB (physical)"),
      Flag("--on", "DAY", "The rules of a day, such as 2024-03-01 (the newest)"),
      Flag("--resources", "PATTERN", repeats: true, "Resources for 'zip', such as 'layouts/*.json'"),
      Flag("--fonts", "PATTERN", repeats: true, "Fonts for 'zip', such as '*.ttf'"),
      Flag("--against", "OLD", "Show what grew since an older build"),
      Flag(
        "--max", "[PART=]SIZE", repeats: true, "A budget for CI, such as 9.5MB or code=4MB; exit 1 above it"),
      Flag("--budget", "FILE", "A budget from a file, such as {total: \"9.5 MB\", code: \"4 MB\"}"),
      Flag("--svg", "FILE", "Write a treemap of the bundle's files; '-' is standard output"),
      Flag(
        "--html", "FILE",
        "Write a page with all figures, and of a bundle with the treemap; '-' is standard output"),
      Flag("--format", "FORMAT", choices: ["text", "report"], "Print an answer, or Xcode's report (text)"),
      Flag("--product", "NAME", "The product name in the report's title"),
      .force,
    ],
    examples: [
      "linkspan clip size Clip.ipa --resources 'layouts/*.json' --fonts '*.ttf'",
      "linkspan clip size app-thinning.plist --minimum-os 16 --json",
      "linkspan clip size app-thinning.plist --format report",
      "linkspan clip size Clip.ipa --against last/Clip.ipa --budget clip-budget.json5 --html size.html",
    ],
    commonFlags: [
      "--minimum-os", "--invocation", "--against", "--max", "--svg", "--html", "--json", "--help",
    ],
    exitStatus:
      "0 every variant fits or is undecided, 1 one is too large or above the budget, or another error was found, 2 could not answer"
  ) { arguments, console throws(LinkspanError) in
    try arguments.expectOperands(1...1)
    let run = try ClipSizeRun(arguments)
    if run.printsReport {
      console.print(try run.report(), terminator: "")
      return .yes
    }
    var answer = try run.answer()
    answer.noteOtherReading(file: arguments.operands[0])
    try run.compare(&answer)
    try run.writePictures(of: answer, console)
    if arguments.has("--json") { console.print(answer.json) } else { ClipSizeText(answer).print(on: console) }
    if answer.rule.minimumOS == nil {
      console.note(
        "The clip's minimum iOS is not known: what only some releases allow is undecided. Give it with --minimum-os."
      )
    }
    return answer.isTooLarge || answer.findings.count(of: .error) > 0 ? .no : .yes
  }
}
