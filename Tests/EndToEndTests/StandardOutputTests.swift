import Foundation
import TestSupport
import Testing

/// Commands whose flag for the output says '-': what they make is on standard output, and nothing else is.
@Suite struct StandardOutputTests {
  /// Runs a command with its output in files.
  static func run(_ tool: Tool, _ words: String) throws -> (status: Int32, output: Data, errors: String) {
    let (status, _) = try tool.program(
      "/bin/sh", ["-c", "'\(Tool.binary.path)' \(words) >out 2>err </dev/null"])
    #expect(!FileManager.default.fileExists(atPath: tool.folder.appending(path: "-").path), "\(words)")
    return (
      status, try Data(contentsOf: tool.folder.appending(path: "out")),
      try String(contentsOf: tool.folder.appending(path: "err"), encoding: .utf8)
    )
  }

  @Test(.enabled(if: SigningAuthority.path != nil, Comment(rawValue: SigningAuthority.absence)))
  func aSignedFileAndItsContent() throws {
    let tool = try SigningAuthority.tool()
    let signed = try Self.run(tool, "sign file --cert rsa.pem --key rsa.key --chain between.pem -o -")
    #expect(signed.status == 0 && signed.output.first == 0x30, "\(signed.errors)")
    #expect(signed.errors.contains("standard output: \(signed.output.count) bytes, signed by "))
    try signed.output.write(to: tool.folder.appending(path: "signed"))
    let content = try Self.run(tool, "verify signed --ca root.pem --output -")
    #expect(content.status == 0)
    let file = try tool.bytes("file")
    #expect(Array(content.output) == Array(file))
    #expect(content.errors.hasPrefix("signed: good\n"))
    let refused = try Self.run(tool, "verify signed --ca other.pem --output -")
    #expect(refused.status != 0 && !refused.output.starts(with: file))
    let both = try tool.run("verify", "signed", "--ca", "root.pem", "--output", "-", "--json")
    #expect(both.status == 2 && both.output.isEmpty)
    #expect(both.errors.contains("'--output -' and '--json' both write to standard output."))
  }

  @Test func whatAClipNeeds() throws {
    let tool = try Tool()
    let tag = try Self.run(tool, "clip ndef https://example.com/a -o -")
    #expect(tag.status == 0 && tag.output.first == 0xD1, "\(tag.errors)")
    #expect(tag.errors.hasPrefix("message  "))
    let card = try Self.run(tool, "clip card '\(ClipInvocationTests.example)' --svg -")
    #expect(card.output.starts(with: "<svg".utf8), "\(card.errors)")
    let packed = try ClipPackTests.tool()
    let list = try Self.run(packed, "clip pack Payload/Clip.app --resources 'layouts/*.json' --list -")
    #expect(list.status == 0)
    #expect(String(decoding: list.output, as: UTF8.self) == "layouts/home.json\nlayouts/menu.json\n")
    #expect(list.errors.contains("deleting them saves"))
  }

  @Test func whatTheSimulatorDraws() throws {
    let tool = try Tool()
    for (flag, end) in [("--svg", "</svg>\n"), ("--html", "</html>\n")] {
      let matrix = try Self.run(tool, "simulate --matrix arrival \(flag) -")
      #expect(matrix.status == 0 && matrix.output.starts(with: "<".utf8), "\(matrix.errors)")
      #expect(matrix.output.suffix(end.utf8.count).elementsEqual(end.utf8))
      #expect(matrix.errors.contains("cold"), "\(matrix.errors)")
    }
    let story = Fixtures.root.appending(path: "Examples/story.json5").path
    let page = try Self.run(tool, "simulate '\(story)' --html -")
    #expect(page.output.starts(with: "<!doctype html>".utf8))
    #expect(page.output.suffix(8).elementsEqual("</html>\n".utf8))
    #expect(page.errors.contains(", seed "))
    let report = try tool.run("simulate", story, "--html", "-", "--format", "junit")
    #expect(report.status == 2 && report.output.isEmpty)
    #expect(report.errors.contains("'--html -' and '--format junit' both write to standard output."))
  }

  @Test func aClipWhoseListNobodyReadsKeepsItsFiles() throws {
    let tool = try ClipPackTests.tool()
    let run = try tool.runUnread([
      "clip", "pack", "Payload/Clip.app", "--resources", "layouts/*.json", "--list", "-", "--delete",
    ])
    #expect(run.status == 2)
    #expect(run.errors.contains("Nothing was deleted."), "\(run.errors)")
    let kept = tool.folder.appending(path: "Payload/Clip.app/layouts/home.json")
    #expect(FileManager.default.fileExists(atPath: kept.path))
  }

  @Test func whatAForecastDraws() throws {
    let tool = try Tool()
    try tool.write("{ devices: 2000, days: 3 }", to: "fleet.json5")
    let curve = try Self.run(tool, "forecast fleet.json5 --csv -")
    #expect(curve.status == 0 && curve.output.starts(with: "time,requests,".utf8), "\(curve.errors)")
    #expect(!String(decoding: curve.output, as: UTF8.self).contains("requests a second"))
    #expect(curve.errors.contains("requests a second"))
    #expect(try Self.run(tool, "forecast fleet.json5 --svg -").output.starts(with: "<svg".utf8))
    let two = try tool.run("forecast", "fleet.json5", "--csv", "-", "--html", "-")
    #expect(two.status == 2 && two.errors.contains("'--csv -' and '--html -' both write to standard output."))
    try tool.write(FitTests.log, to: "access.log")
    let fleet = try Self.run(tool, "forecast --fit access.log --fleet-out -")
    #expect(fleet.status == 0)
    try fleet.output.write(to: tool.folder.appending(path: "fitted.json5"))
    #expect(try tool.run("forecast", "fitted.json5").status == 0)
  }
}
