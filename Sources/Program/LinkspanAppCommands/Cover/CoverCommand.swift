package import LinkspanCommand
internal import LinkspanCore
internal import LinkspanDecisions
internal import LinkspanFiles
internal import PNGPictures

extension Command {
  package static let cover = Command(
    name: "cover", summary: "Blur a screenshot as the app's privacy cover would",
    operands: "IMAGE",
    discussion: """
      Shows what the library's blurred cover makes of a screen, so that you can see whether anything stays legible: large
      digits do under a small radius. IMAGE is a PNG. The answer has the same size and colour space; 16 bits a channel
      become 8.

      A preset has a radius in points, a saturation and a tint: light 30, 1.8, white at 30 %; extra-light 20, 1.8, white
      0.97 at 82 %; dark 20, 1.8, white 0.11 at 73 %. Without --preset, --tint makes a veil of that colour at 60 %
      (radius 10, saturation -1). The other flags change single values. Documentation/privacy-cover.md has pictures.

      Points become pixels by the scale: that of the picture's name (shot@3x.png), what the picture says (144 or 216 dpi),
      that of the iPhone or iPad whose screen has the picture's size, or 1 for a picture narrower than 640 pixels. For any
      other picture, name it with --scale.
      """,
    flags: [
      Flag(
        "--preset", "NAME", choices: Presets.Preset.allCases.map(\.rawValue),
        "light, extra-light or dark (light)"),
      Flag("--radius", "POINTS", "The blur's radius, 0 to 10000"),
      Flag(
        "--scale", "N", "Pixels of a point, such as 3 for a screenshot of a phone, up to 10 (by the picture)"),
      Flag("--tint", "COLOUR", "The colour over the picture: RRGGBB, or RRGGBBAA with its alpha"),
      Flag("--saturation", "FACTOR", "0 is grey, 1 leaves colours as they are, up to 10"),
      Flag("--mask", "PNG", "Blur only where this picture is white; as large as IMAGE"),
      Flag("--output", short: "-o", "OUT", "Write the PNG to this file; '-' is standard output (required)"),
      .force,
    ],
    examples: [
      "linkspan cover screen.png --preset light -o cover.png",
      "linkspan cover screen.png --preset dark --scale 3 --radius 40 -o cover.png",
      "linkspan cover screen.png --tint 3366CC --mask card.png -o cover.png",
    ]
  ) { arguments, console throws(LinkspanError) in
    try arguments.expectOperands(1...1)
    guard let output = try arguments.output("--output", .picture(of: "linkspan cover")) else {
      throw arguments.usage("'--output' is missing")
    }
    var effect = try Presets.effect(arguments)
    let path = arguments.operands[0]
    var picture = try CoverRun.picture(path)
    let scale = try Presets.scale(arguments, of: picture, path)
    effect.scale = scale.value
    let mask = try arguments.value("--mask").map { name throws(LinkspanError) in
      try CoverRun.mask(name, for: picture, of: path)
    }
    let began = ContinuousClock.now
    CoverRun.apply(effect, to: &picture, mask: mask)
    let time = ContinuousClock.now - began
    if picture.losesGreyProfile {
      console.note("'\(path)' is grey and the tint is not: its colour profile is left out.")
    }
    let bytes = output.marked(try CoverRun.answer { () throws(PNGError) in try picture.encoded() })
    let summary =
      "\(picture.width) × \(picture.height), three boxes of \(effect.boxWidth) pixels, \(bytes.count) bytes"
      + ([.screen, .picture, .name].contains(scale.origin) ? ", scale \(Int(scale.value))" : "")
    try output.write(bytes, console)
    guard arguments.has("--json") else {
      console.print("\(output.name): \(summary)")
      return .yes
    }
    console.print(CoverRun.json(effect, scale, picture, output: output.name, bytes: bytes.count, time: time))
    return .yes
  }
}

/// The effects that flags name.
private enum Presets {
  enum Preset: String, CaseIterable {
    case light
    case extraLight = "extra-light"
    case dark
  }

  static func effect(_ arguments: Arguments) throws(LinkspanError) -> BlurEffect {
    let tint = try arguments.value("--tint").map { text throws(LinkspanError) in try colour(text, arguments) }
    var effect: BlurEffect
    switch arguments.choice("--preset", Preset.self) {
    case nil: effect = tint.map { BlurEffect.tinted($0.colour) } ?? .light
    case .light?: effect = .light
    case .extraLight?: effect = .extraLight
    case .dark?: effect = .dark
    }
    if let tint {
      let alpha = tint.hasAlpha ? tint.colour.alpha : effect.tint?.alpha ?? 1
      effect.tint = tint.colour
      effect.tint?.alpha = alpha
    }
    if let radius = try arguments.decimal("--radius", in: 0...10_000) { effect.radius = radius }
    if let saturation = try arguments.decimal("--saturation", in: 0...10) { effect.saturation = saturation }
    return effect
  }

  static func scale(
    _ arguments: Arguments, of picture: PNGPicture, _ path: String
  ) throws(LinkspanError) -> ScreenScale {
    if let scale = try arguments.decimal("--scale", in: 0.1...10) { return ScreenScale(flag: scale) }
    guard let scale = ScreenScale(picture, at: path) else {
      throw LinkspanError(
        "'\(path)' does not say how many pixels a point has, and no iPhone or iPad has a screen of "
          + "\(picture.width) × \(picture.height).",
        help:
          "Name it: '--scale 3' for most iPhones, '--scale 2' for iPads, '--scale 1' for what is no screenshot."
      )
    }
    return scale
  }

  private static func colour(
    _ text: String, _ arguments: Arguments
  ) throws(LinkspanError) -> (colour: BlurEffect.Tint, hasAlpha: Bool) {
    let digits = Array((text.hasPrefix("#") ? text.dropFirst() : text[...]).utf8)
    let values = digits.compactMap(ASCII.hexValue)
    guard values.count == digits.count, digits.count == 6 || digits.count == 8 else {
      throw arguments.usage("'--tint': expected six or eight hexadecimal digits, got '\(text)'")
    }
    let parts = stride(from: 0, to: values.count, by: 2).map { (place: Int) -> Double in
      let byte = Int(values[place]) * 16 + Int(values[place + 1])
      return Double(byte) / 255
    }
    return (
      BlurEffect.Tint(red: parts[0], green: parts[1], blue: parts[2], alpha: parts.count > 3 ? parts[3] : 1),
      parts.count > 3
    )
  }
}

private enum CoverRun {
  static func picture(_ path: String) throws(LinkspanError) -> PNGPicture {
    let bytes = try FileReader.bytes(path)
    return try answer { () throws(PNGError) in
      try PNGPicture(bytes, file: path == "-" ? "<stdin>" : path)
    }
  }

  static func answer<Answer>(_ work: () throws(PNGError) -> Answer) throws(LinkspanError) -> Answer {
    do throws(PNGError) {
      return try work()
    } catch {
      throw LinkspanError(error.message, help: error.help)
    }
  }

  /// White where the effect shows; transparent counts as black.
  static func mask(
    _ path: String, for picture: PNGPicture, of name: String
  ) throws(LinkspanError) -> BlurMask {
    let mask = try self.picture(path)
    guard mask.width == picture.width, mask.height == picture.height else {
      throw LinkspanError(
        "The mask '\(path)' has \(mask.width) × \(mask.height) pixels, and '\(name)' \(picture.width) × \(picture.height).",
        help: "Make the mask as large as the picture.")
    }
    let coverage = stride(from: 0, to: mask.pixels.count, by: 4).map { place in
      let (red, green, blue) = (
        Int(mask.pixels[place]), Int(mask.pixels[place + 1]), Int(mask.pixels[place + 2])
      )
      let luma = (2_126 * red + 7_152 * green + 722 * blue + 5_000) / 10_000
      return UInt8((luma * Int(mask.pixels[place + 3]) + 127) / 255)
    }
    return BlurMask(width: mask.width, height: mask.height, coverage: coverage)
  }

  static func apply(_ effect: BlurEffect, to picture: inout PNGPicture, mask: BlurMask?) {
    var bytes = picture.pixels
    if picture.hasAlpha { premultiply(&bytes) }
    var image = PixelImage(width: picture.width, height: picture.height, bytes: bytes)
    BlurWorkspace().apply(effect, to: &image, mask: mask)
    bytes = image.bytes
    if picture.hasAlpha { unpremultiply(&bytes) }
    picture.pixels = bytes
    if picture.isGrey, let tint = effect.tint {
      picture.isGrey = tint.red == tint.green && tint.green == tint.blue
    }
  }

  private static func premultiply(_ bytes: inout [UInt8]) {
    for place in stride(from: 0, to: bytes.count, by: 4) {
      let alpha = Int(bytes[place + 3])
      for channel in place..<place + 3 { bytes[channel] = UInt8((Int(bytes[channel]) * alpha + 127) / 255) }
    }
  }

  private static func unpremultiply(_ bytes: inout [UInt8]) {
    for place in stride(from: 0, to: bytes.count, by: 4) {
      let alpha = Int(bytes[place + 3])
      guard alpha > 0 else { continue }
      for channel in place..<place + 3 {
        bytes[channel] = UInt8(min(255, (Int(bytes[channel]) * 255 + alpha / 2) / alpha))
      }
    }
  }

  static func json(
    _ effect: BlurEffect, _ scale: ScreenScale, _ picture: PNGPicture, output: String, bytes: Int,
    time: Duration
  ) -> JSON {
    let tint = effect.tint.map { tint in
      JSON.object([
        ("red", .number("\(tint.red)")), ("green", .number("\(tint.green)")),
        ("blue", .number("\(tint.blue)")),
        ("alpha", .number("\(tint.alpha)")),
      ])
    }
    let (seconds, attoseconds) = time.components
    return .object([
      ("type", .string("cover")), ("output", .string(output)), ("width", .int(picture.width)),
      ("height", .int(picture.height)), ("bit_depth", .int(picture.bitDepth)),
      ("radius", .number("\(effect.radius)")), ("scale", .number("\(effect.scale)")),
      ("scale_from", .string(scale.origin.rawValue)),
      ("box_width", .int(effect.boxWidth)), ("saturation", .number("\(effect.saturation)")),
      ("tint", tint ?? .null), ("output_bytes", .int(bytes)),
      ("blur_ms", .number("\(Double(seconds) * 1_000 + Double(attoseconds) / 1e15)")),
    ])
  }
}
