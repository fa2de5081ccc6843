internal import AppClips
internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanDaemon

extension Command {
  static let clipCode = Command(
    name: "clip code",
    summary: "Whether a URL keeps the rules of App Clip Codes, and the URL of a code's picture",
    operands: "URL|SVG…",
    discussion: """
      Holds URLs to Apple's rules for App Clip Codes and says what would make them shorter. Whether a URL fits into the
      code's 128 bits in the end only Apple's generator can say: its tables are not published. Of a picture that the
      generator made, its 'data-payload' is read; with '--experiences' it is asked whether that URL opens the clip.
      """,
    flags: [Flag("--experiences", "FILE", "The experiences that a code's URL has to open")],
    examples: [
      "linkspan clip code 'https://example.com/a?p=42'",
      "linkspan clip code codes/*.svg --experiences experiences.json5",
    ]
  ) { arguments, console throws(CommandError) in
    try arguments.expectOperands(1...Int.max)
    var file: ExperienceFile?
    if let path = arguments.value("--experiences") { file = try ExperienceInput.read(path) }
    var hasErrors = false
    for operand in arguments.operands {
      let (url, findings) = try judged(operand, file)
      let isRefused = findings.count(of: .error) > 0
      hasErrors = hasErrors || isRefused
      if arguments.has("--json") {
        console.print(
          .object([
            ("type", .string("clip-code")), ("url", .string(url)),
            ("file", url == operand ? .null : .string(operand)), ("characters", .int(url.count)),
            ("capacity_bits", .int(ClipCode.capacityBits)),
            ("verdict", .string(isRefused ? "refused" : "undecided")),
            ("findings", .array(findings.map(\.json))),
          ]))
      } else {
        let verdict =
          isRefused ? console.style.paint("refused", .red) : "keeps the rules; Apple's generator decides"
        console.print("\(console.style.bold(url)): \(verdict)")
        for finding in findings { console.print(finding.text(style: console.style), terminator: "") }
      }
    }
    return hasErrors ? .no : .yes
  }

  private static func judged(
    _ operand: String, _ file: ExperienceFile?
  ) throws(CommandError) -> (url: String, findings: [Finding]) {
    var url = operand
    if !operand.contains("://") {
      guard let payload = ClipCode.payload(svg: try CommandError.mapping(FileReader.bytes(operand))) else {
        throw CommandError(
          "'\(operand)' has no 'data-payload'.",
          help: "Pictures of Apple's generator have it; others cannot be read.")
      }
      url = payload
    }
    var findings = ClipCode.findings(url, at: .init(file: operand))
    if let file {
      let answer = Invocation(url, .appClipCode, Invocation.Device(), in: file)
      findings += answer.findings
      if answer.receiver == .none {
        findings.append(
          Finding(
            rule: "clip.code-not-registered", severity: .error, at: .init(file: operand),
            message: "The URL opens no experience.",
            help: answer.reasons.map(\.text).joined(separator: " "), source: "AC15"))
      }
    }
    return (url, findings)
  }
}
