import Foundation
import TestSupport
import Testing

/// `linkspan clip codes`: the CSV files of App Clip Codes (AC31).
@Suite struct ClipCodesTests {
  private static let batch =
    "SVG File Name,URL,Background Color,Foreground Color,Type,Logo\n"
    + "table-1.svg,https://example.com/shop?p=1,FF3B30,FFFFFF,cam,none\n"
    + "table-2.svg,https://example.com/shop?p=2,FF3B30,FFFFFF,nfc,badge\n"

  @Test func aGoodTableIsCounted() throws {
    let tool = try Tool()
    try tool.write(Self.batch, to: "codes.csv")
    let outcome = try tool.run("clip", "codes", "codes.csv")
    #expect(outcome.status == 0 && outcome.output == "2 codes, no problems found\n", "\(outcome.errors)")
    let json = try tool.run("clip", "codes", "codes.csv", "--json").json()
    #expect(json["type"] as? String == "clip-codes" && json["form"] as? String == "generator")
    #expect(json["codes"] as? Int == 2)
  }

  @Test func mistakesAreNamedAtTheirLine() throws {
    let tool = try Tool()
    try tool.write(
      Self.batch + "table-2.svg,http://example.com/shop?p=3,red,FFFFFF,cam,none\n", to: "codes.csv")
    let outcome = try tool.run("clip", "codes", "codes.csv", "--write", "print", "-o", "print.csv")
    #expect(outcome.status == 1)
    for rule in ["clip.code-table-name", "clip.code-table-colour", "clip.code-url"] {
      #expect(outcome.output.contains("codes.csv:4:") && outcome.output.contains("error[\(rule)]"), "\(rule)")
    }
    #expect(!FileManager.default.fileExists(atPath: tool.folder.appending(path: "print.csv").path))
  }

  /// A list of URLs becomes a batch file, the batch file what a print partner gets, and that a list again.
  @Test func tablesAreMadeFromOneAnother() throws {
    let tool = try Tool()
    let urls = (1...12).map { "https://example.com/shop?p=\($0)\n" }.joined()
    try tool.write(urls, to: "urls.txt")
    let batch = try tool.run(
      "clip", "codes", "urls.txt", "--write", "generator", "--type", "nfc", "--logo", "badge", "--index", "5",
      "--names", "table-", "-o", "codes.csv")
    #expect(batch.status == 0, "\(batch.errors)")
    let lines = try String(contentsOf: tool.folder.appending(path: "codes.csv"), encoding: .utf8)
      .split(separator: "\n")
    #expect(lines.count == 13)
    #expect(lines[1] == "table-01.svg,https://example.com/shop?p=1,FFFFFF,FF3B30,nfc,badge")
    let print = try tool.run("clip", "codes", "codes.csv", "--write", "print")
    #expect(print.output.hasPrefix("SVG File Name,URL\ntable-01.svg,https://example.com/shop?p=1\n"))
    let list = try tool.run("clip", "codes", "codes.csv", "--write", "connect")
    #expect(list.output == urls)
  }

  @Test func picturesAreCompared() throws {
    let tool = try Tool()
    try tool.write(Self.batch, to: "codes.csv")
    for (name, number) in [("table-1.svg", 1), ("table-2.svg", 7)] {
      try tool.write(
        "<svg data-design=\"Fingerprint\" data-payload=\"https://example.com/shop?p=\(number)\"></svg>",
        to: "codes/\(name)")
    }
    let outcome = try tool.run("clip", "codes", "codes.csv", "--pictures", "codes")
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("The picture 'table-2.svg' holds 'https://example.com/shop?p=7'"))
    #expect(!outcome.output.contains("table-1.svg"))
  }

  @Test func eachURLIsHeldToTheExperiences() throws {
    let tool = try Tool()
    try tool.write(Self.batch, to: "codes.csv")
    for (prefix, status) in [("https://example.com/shop", 0), ("https://example.com/cafe", 1)]
      as [(String, Int32)]
    {
      try tool.write(
        """
        { clip: { bundle_id: "com.example.app.Clip", domains: ["example.com"] }, default: { subtitle: "Order" },
          advanced: [{ url: "\(prefix)", title: "Shop", subtitle: "Order" }] }
        """, to: "experiences.json5")
      let outcome = try tool.run("clip", "codes", "codes.csv", "--experiences", "experiences.json5")
      #expect(outcome.status == status, "\(outcome.output) \(outcome.errors)")
    }
  }

  @Test(arguments: [
    (["missing.csv"], "missing.csv"),
    (["codes.csv", "--index", "18"], "expected an integer from 0 to 17, got '18'"),
    (["codes.csv", "--foreground", "red"], "six hexadecimal digits"),
    (["codes.csv", "-o", "x.csv"], "'--output' needs '--write'"),
  ])
  func whatCannotBeAnswered(_ words: [String], _ message: String) throws {
    let tool = try Tool()
    try tool.write(Self.batch, to: "codes.csv")
    let outcome = try tool.run(["clip", "codes"] + words)
    #expect(outcome.status == 2 && outcome.errors.contains(message), "\(outcome.errors)")
  }
}
