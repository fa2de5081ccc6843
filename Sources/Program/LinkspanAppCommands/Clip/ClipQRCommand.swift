internal import AppClips
internal import HeldURLs
internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanFiles

extension Command {
  static let clipQR = Command(
    name: "clip qr", summary: "The QR code of a URL: in the terminal, as SVG or as PNG", operands: "URL",
    discussion: """
      Made by libqrencode, with the quiet zone of four modules that the standard requires. In a terminal
      with light letters on dark the code is right as it is; dark letters on light need '--invert'; with colours it is
      right in both.
      """,
    flags: [
      Flag(
        "--format", "FORMAT", choices: formats,
        "text, svg or png (by the name of OUT, else text)"),
      Flag(
        "--output", short: "-o", "OUT", "Write the picture to this file (standard output; required for a PNG)"
      ),
      Flag(
        "--correction", "LEVEL", choices: QRCode.Correction.allCases.map(\.rawValue),
        "Error correction: L 7 %, M 15 %, Q 25 %, H 30 % (M)"),
      Flag("--scale", "PIXELS", "Pixels of a module, 1 to 100 (8)"),
      Flag("--invert", "For terminals with dark letters on light"),
      .force,
    ],
    examples: [
      "linkspan clip qr https://example.com/shop", "linkspan clip qr https://example.com/shop -o shop.svg",
      "linkspan clip qr https://example.com/shop -o shop.png --correction Q --scale 12",
    ]
  ) { arguments, console throws(LinkspanError) in
    try arguments.expectOperands(1...1)
    let held = try ExperienceInput.carried(arguments.operands[0], arguments, console)
    let findings = ClipCarrier.findings(
      held.text, at: .init(file: held.text.withoutUserInformation))
    let format = try format(arguments, arguments.value("--output"))
    let output = arguments.value("--output").flatMap { $0 == "-" ? nil : $0 }
    if format == "png", output == nil, arguments.has("--json") {
      throw arguments.usage("'--output -' and '--json' both write to standard output")
    }
    let correction = arguments.choice("--correction", QRCode.Correction.self) ?? .medium
    let scale = try arguments.number("--scale", in: 1...100) ?? 8
    let code: QRCode
    do throws(QRCodeError) { code = try QRCode(held.text, correction) } catch {
      throw LinkspanError("\(error)", help: "Shorten the URL, or use a lower correction level.")
    }
    let picture: [UInt8] =
      switch format {
      case "svg": Array(code.svg(scale: scale).utf8)
      case "png": code.png(scale: scale)
      default:
        Array(code.terminal(isColoured: console.style.isColoured, isInverted: arguments.has("--invert")).utf8)
      }
    if output != nil { try arguments.output("--output", kind(of: format))?.write(picture, console) }
    if arguments.has("--json") {
      console.print(
        .object(
          [
            ("type", .string("clip-qr")), ("url", .string(held.text.withoutUserInformation)),
            ("version", .int(code.version)),
            ("modules", .int(code.width)), ("correction", .string(correction.rawValue)),
            ("format", .string(format)),
            ("output", .init(output)),
            ("picture", output == nil ? .string(String(decoding: picture, as: UTF8.self)) : .null),
            ("findings", .array(findings.map(\.json))),
          ] + held.members))
    } else {
      if output == nil { console.print(bytes: picture) }
      for finding in findings { console.note(finding.text()) }
    }
    return .yes
  }

  private static func kind(of format: String) -> OutputKind {
    switch format {
    case "svg": .vector(of: "linkspan clip qr")
    case "png": .picture(of: "linkspan clip qr")
    default: .common
    }
  }

  private static let formats = ["text", "svg", "png"]

  private static func format(_ arguments: Arguments, _ output: String?) throws(LinkspanError) -> String {
    let ending = output.flatMap { OutputKind.pictureEnding(of: $0) }
    let format = arguments.value("--format") ?? ending.flatMap { formats.contains($0) ? $0 : nil } ?? "text"
    if format == "text", let output, let ending { throw OutputKind.misnaming(output, ending, format) }
    if format == "png", output == nil { throw arguments.usage("a PNG wants '--output'") }
    return format
  }
}
