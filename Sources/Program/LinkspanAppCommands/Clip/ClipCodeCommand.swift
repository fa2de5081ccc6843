internal import AppClips
internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanFiles

extension Command {
  static let clipCode = Command(
    name: "clip code",
    summary: "Check a URL against the rules of App Clip Codes, or read the URL in a code's picture",
    operands: "URL|SVG…",
    discussion: """
      Checks URLs against Apple's rules for App Clip Codes and says what would make them shorter. Only Apple's generator
      can say whether a URL fits into the code's 128 bits: its tables are not published. From a picture that the
      generator made, the 'data-payload' is read; with '--experiences' it also says whether that URL opens the clip.
      """,
    flags: [Flag("--experiences", "FILE", "The experiences, one of which the code's URL must open")],
    examples: [
      "linkspan clip code 'https://example.com/a?p=42'",
      "linkspan clip code codes/*.svg --experiences experiences.json5",
    ]
  ) { arguments, console throws(LinkspanError) in
    try arguments.expectOperands(1...Int.max)
    var file: ExperienceFile?
    if let path = arguments.value("--experiences") { file = try ExperienceInput.read(path) }
    var hasErrors = false
    for operand in arguments.operands {
      let (url, findings) = try judged(operand, file, arguments)
      let isRefused = findings.count(of: .error) > 0
      hasErrors = hasErrors || isRefused
      if arguments.has("--json") {
        console.print(
          .object([
            ("type", .string("clip-code")), ("url", .string(url.withoutUserInformation)),
            ("file", url == operand ? .null : .string(operand)), ("characters", .int(url.count)),
            ("capacity_bits", .int(ClipCode.capacityBits)),
            ("verdict", .string(isRefused ? "refused" : "undecided")),
            ("findings", .array(findings.map(\.json))),
          ]))
      } else {
        let verdict =
          isRefused ? console.style.paint("refused", .red) : "follows the rules; Apple's generator decides"
        console.print("\(console.style.bold(url.withoutUserInformation)): \(verdict)")
        for finding in findings { console.print(finding.text(style: console.style), terminator: "") }
      }
    }
    return hasErrors ? .no : .yes
  }

  private static func judged(
    _ operand: String, _ file: ExperienceFile?, _ arguments: Arguments
  ) throws(LinkspanError) -> (url: String, findings: [Finding]) {
    var url = operand
    if !operand.contains("://") {
      if !operand.hasSuffix(".svg"), try FileReader.kind(of: operand) == .missing {
        throw arguments.usage(
          "'\(operand.withoutUserInformation)' is neither a picture nor a URL; write a URL in full, such as "
            + "https://example.com/shop")
      }
      guard let payload = ClipCode.payload(svg: try FileReader.bytes(operand)) else {
        throw LinkspanError(
          "'\(operand)' has no 'data-payload'.",
          help: "Only pictures made by Apple's generator have one.")
      }
      url = payload
    }
    let place = Finding.Location(file: operand.withoutUserInformation)
    var findings = ClipCode.findings(url, at: place)
    if let file {
      let answer = Invocation(url, .appClipCode, Invocation.Device(), in: file)
      findings += answer.findings
      if answer.receiver == .none {
        findings.append(
          Finding(
            rule: "clip.code-not-registered", severity: .error, at: place,
            message: "The URL opens no experience.",
            help: answer.reasons.map(\.text).joined(separator: " "), source: "AC15"))
      }
    }
    return (url, findings)
  }
}
