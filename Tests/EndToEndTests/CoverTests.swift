import Foundation
import TestSupport
import Testing

/// `linkspan cover`.
@Suite struct CoverTests {
  /// A PNG of one grey, eight bits.
  private func write(_ level: UInt8, _ width: Int, _ height: Int, to name: String, in tool: Tool) throws {
    let rows = (0..<height).flatMap { _ in [UInt8(0)] + Array(repeating: level, count: width) }
    try Data(PNGFile.grey(width: width, height: height, rows: rows)).write(
      to: tool.folder.appending(path: name))
  }

  @Test func coversAPicture() throws {
    let tool = try Tool()
    try write(100, 40, 30, to: "screen.png", in: tool)
    let outcome = try tool.run("cover", "screen.png", "--preset", "light", "-o", "cover.png", "--json")
    #expect(outcome.status == 0, "\(outcome.errors)")
    let json = try outcome.json()
    #expect(json["type"] as? String == "cover")
    #expect(json["width"] as? Int == 40)
    #expect(json["height"] as? Int == 30)
    #expect(json["box_width"] as? Int == 57)
    #expect(json["blur_ms"] is Double)
    // A second time, nothing but the tint changes: 100 becomes 100 × 0.7 + 255 × 0.3.
    let again = try tool.run("cover", "cover.png", "--preset", "dark", "-o", "cover.png")
    #expect(again.status == 0)
    #expect(again.output.hasPrefix("cover.png: 40 × 30, three boxes of 39 pixels, "))
    #expect(
      try Data(contentsOf: tool.folder.appending(path: "cover.png")).starts(with: [0x89, 0x50, 0x4E, 0x47]))
  }

  @Test func writesToStandardOutput() throws {
    let tool = try Tool()
    try write(100, 40, 30, to: "screen.png", in: tool)
    #expect(try tool.run("cover", "screen.png", "-o", "cover.png").status == 0)
    let process = tool.process(["cover", "screen.png", "-o", "-"])
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let picture = output.fileHandleForReading.readDataToEndOfFile()
    let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(try picture == Data(contentsOf: tool.folder.appending(path: "cover.png")))
    #expect(said.hasPrefix("standard output: 40 × 30, three boxes of "), "\(said)")
    #expect(!FileManager.default.fileExists(atPath: tool.folder.appending(path: "-").path))
    let both = try tool.run("cover", "screen.png", "-o", "-", "--json")
    #expect(both.status == 2)
    #expect(both.errors.contains("'--output -' and '--json' both write to standard output"))
  }

  /// A picture that does not say its scale is asked about, not taken for one of the first iPhone.
  @Test(
    arguments: [
      (1170, 2532, [], 3, "screen"), (640, 1136, [], 2, "screen"),
      (640, 20, ["--scale", "1"], 1, "flag"),
      (40, 30, [], 1, "size"), (700, 900, [], nil, ""),
    ] as [(Int, Int, [String], Int?, String)])
  func theScaleIsThePictures(
    _ width: Int, _ height: Int, _ flags: [String], _ scale: Int?, _ origin: String
  ) throws {
    try expectScale("screen.png", width, height, flags, scale, origin)
  }

  @Test(
    arguments: [
      ("shot@3x.png", [], 3, "name"), ("shot@2x.png", [], 2, "name"),
      ("shot@3x.png", ["--scale", "2"], 2, "flag"),
      ("at 12.30.15@3x.png", [], 3, "name"), ("shot@2x~ipad.png", [], 2, "name"),
      ("shot@4x.png", [], nil, ""), ("shot3x.png", [], nil, ""),
    ] as [(String, [String], Int?, String)])
  func theNameSaysTheScale(_ name: String, _ flags: [String], _ scale: Int?, _ origin: String) throws {
    try expectScale(name, 650, 650, flags, scale, origin)
  }

  private func expectScale(
    _ name: String, _ width: Int, _ height: Int, _ flags: [String], _ scale: Int?, _ origin: String
  ) throws {
    let tool = try Tool()
    try write(100, width, height, to: name, in: tool)
    // A blur without a radius is half the work, and as large as a screen it takes seconds in a debug build.
    let outcome = try tool.run(["cover", name, "-o", "cover.png", "--radius", "0", "--json"] + flags)
    guard let scale else {
      #expect(outcome.status == 2)
      #expect(
        outcome.errors.contains("no iPhone or iPad has a screen of \(width) × \(height)"), "\(outcome.errors)"
      )
      return
    }
    #expect(outcome.status == 0, "\(outcome.errors)")
    let json = try outcome.json()
    #expect(json["scale"] as? Double == Double(scale))
    #expect(json["scale_from"] as? String == origin)
  }

  @Test func saysWhatIsWrong() throws {
    let tool = try Tool()
    try write(1, 4, 4, to: "a.png", in: tool)
    try write(1, 4, 5, to: "mask.png", in: tool)
    try tool.write("no picture", to: "b.png")
    for (arguments, message) in [
      (["cover", "a.png"], "'--output' is missing"),
      (["cover", "b.png", "-o", "c.png"], "'b.png' is not a PNG picture."),
      (
        ["cover", "a.png", "--mask", "mask.png", "-o", "c.png"],
        "The mask 'mask.png' has 4 × 5 pixels, and 'a.png' 4 × 4."
      ),
      (
        ["cover", "a.png", "--preset", "darkish", "-o", "c.png"],
        "'--preset': expected light, extra-light or dark, got 'darkish'. Did you mean 'dark'?"
      ),
      (
        ["cover", "a.png", "--tint", "12345", "-o", "c.png"],
        "'--tint': expected six or eight hexadecimal digits, got '12345'"
      ),
      (
        ["cover", "a.png", "--saturation", "nan", "-o", "c.png"],
        "'--saturation': expected a number from 0 to 10, got 'nan'"
      ),
      (
        ["cover", "a.png", "--scale", "0", "-o", "c.png"],
        "'--scale': expected a number from 0.1 to 10, got '0'"
      ),
      (
        ["cover", "a.png", "--radius", "10001", "-o", "c.png"],
        "'--radius': expected a number from 0 to 10000, got '10001'"
      ),
    ] {
      let outcome = try tool.run(arguments)
      #expect(outcome.status == 2)
      #expect(outcome.errors.contains(message), "\(outcome.errors)")
      #expect(!FileManager.default.fileExists(atPath: tool.folder.appending(path: "c.png").path))
    }
  }
}

/// A PNG without compression, by the standard.
private enum PNGFile {
  static func grey(width: Int, height: Int, rows: [UInt8]) -> [UInt8] {
    var (low, high): (UInt32, UInt32) = (1, 0)
    for byte in rows {
      low = (low + UInt32(byte)) % 65_521
      high = (high + low) % 65_521
    }
    // A stored block holds 65,535 bytes at most.
    var stored: [UInt8] = []
    for start in stride(from: 0, to: rows.count, by: 65_535) {
      let piece = rows[start..<min(rows.count, start + 65_535)]
      let count = UInt16(piece.count)
      stored += [piece.endIndex == rows.count ? 1 : 0, UInt8(count & 255), UInt8(count >> 8)]
      stored += [UInt8(~count & 255), UInt8(~count >> 8)] + piece
    }
    let stream = [0x78, 0x01] + stored + big(high << 16 | low)
    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
      + chunk("IHDR", big(UInt32(width)) + big(UInt32(height)) + [8, 0, 0, 0, 0]) + chunk("IDAT", stream)
      + chunk("IEND", [])
  }

  private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
    let body = Array(name.utf8) + content
    var sum = UInt32.max
    for byte in body {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum >> 1 ^ (sum & 1 == 1 ? 0xEDB8_8320 : 0) }
    }
    return big(UInt32(content.count)) + body + big(~sum)
  }

  private static func big(_ number: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }
}
