import Foundation
import FoundationXML
import TestSupport
import Testing

/// Every command, in every format, over files, names and arguments that hold what a terminal, a build service or a page
/// would obey.
@Suite struct StrangeTextTests {
  private static let head =
    #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":["#
  private static let every = ["text", "json", "sarif", "junit", "github"]

  /// A text in each of a command's places, and what to run over it.
  private struct Stage {
    let tool: Tool
    let text: String
    /// A file's name.
    let name: String

    init(_ text: String) throws {
      tool = try Tool()
      self.text = text
      // A path's parts have at most 255 bytes.
      name = String(decoding: text.replacing("/", with: "\\").utf8.prefix(180), as: UTF8.self)
        .replacing("\u{FFFD}", with: "")
      let json = try #require(
        String(
          data: JSONSerialization.data(withJSONObject: [text], options: [.withoutEscapingSlashes]),
          encoding: .utf8))
      try write(String(json.dropFirst(2).dropLast(2)))
      try writeXML()
    }

    private func write(_ e: String) throws {
      let file = head + #"{"/":"/\#(e)"},{"/":"/\#(e)","comment":"\#(e)"},{"?":{"\#(e)":"\#(e)"},"#
      let files = [
        "good": head + #"{"/":"/a*"}]}]}}"#,
        "key": head + #"{"/":"/a*","\#(e)":1}]}]}}"#,
        "value": file + #""\#(e)":1}]}]}}"#,
        "app":
          #"{"applinks":{"details":[{"appIDs":["\#(e)"],"components":[{"/":"/b"}]}]},"\#(e)":1,"\#(e)":2}"#,
        "raw": head + "{\"/\":\"/a*\", // \(text)\n \"x\":\"\(text)\"}]}]}}", "notjson": "\(text) {",
        "fixable": head + "{\"/\":\"/a*\", \"comment\": \"\(e)\",}]}]}}",
        "assetlinks.json":
          #"[{"relation":["\#(e)"],"target":{"namespace":"\#(e)","\#(e)":1},"\#(e)":"\#(e)"}]"#,
        "sites/example.com/.well-known/apple-app-site-association": file + #""\#(e)":1}]}]}}"#,
        "routes.json": #"["/a*","/\#(e)/:id"]"#,
        "constraints.json": #"{"routes":[{"path":"/a","constraints":{"\#(e)":"\#(e)("}}]}"#,
        "request.json5":
          #"{apps:[{id:"ABCDE12345.com.example.app",routes:["/\#(e)/:id"],"\#(e)":1}],host:"\#(e)"}"#,
        "noted.json5": #"{apps:[{id:"ABCDE12345.com.example.app",routes:["/a/:id"],comment:"\#(e)"}]}"#,
        "payload.json": #"{"aps":{"\#(e)":1,"alert":"\#(e)","sound":"\#(e)"},"\#(e)":1,"\#(e)":2}"#,
        "story.json5": #"{name:"\#(e)",seed:1,"\#(e)":1,script:[{at:"\#(e)"}]}"#,
        "fleet.json5": #"{name:"\#(e)","\#(e)":1,devices:"\#(e)"}"#,
        "config.json5": #"{sites:["\#(e)"],"\#(e)":1,server:{listen:"\#(e)","\#(e)":2}}"#,
        "rules.json5": #"{rules:[{"\#(e)":1,answer:{"\#(e)":"\#(e)"}}],"\#(e)":1}"#,
        "experience.json5": #"{"\#(e)":1,experiences:[{url:"\#(e)",title:"\#(e)"}]}"#,
        "budget.json5": #"{"\#(e)":1}"#, "urls.txt": "https://example.com/\(text)\nhttps://example.com/a\n",
        "access.log":
          "1.2.3.4 - - [14/Sep/2026:08:00:00 +0000] \"GET /\(text) HTTP/1.1\" 200 12 \"-\" \"\(text)\"\n",
        "log.jsonl": #"{"time":"2026-09-14T08:00:00Z","host":"example.com","path":"/\#(e)","method":"GET"}"#,
        "batch.jsonl":
          #"{"id":"\#(e)","url":"https://example.com/\#(e)","file":\#(head)]}]}},"app":"\#(e)"}"#,
        "show.txt": "Service: applinks\nApp ID: \(text)\nDomain: \(text)\nUser Approval: \(text)\n",
        "thin.plist": "App Thinning Size Report for All Variants of \(text)\n\nVariant: \(text)\n",
        "page.html":
          "<html><head><meta name=\"apple-itunes-app\" content=\"app-id=\(text), \(text)=1\"></head></html>",
        "app.swift": "let x = \"\(text)\"; func scene(_ s: UIScene, continue a: NSUserActivity) {}",
        "d/\(name)": head + #"{"/":"/a*","q":1,}]}]}}"#,
        "\(name).swift": "func scene(_ s: UIScene, continue a: A) {}",
        "\(name).json": #"{"aps":{"x":1}}"#, "b/\(name).app/Info.plist": "x",
      ]
      for (name, content) in files { try tool.write(content, to: name) }
    }

    private func writeXML() throws {
      // XML holds no other controls, not even as references.
      let x = String(
        String.UnicodeScalarView(
          text.unicodeScalars.filter { $0.value >= 0x20 || "\t\n".unicodeScalars.contains($0) })
      )
      .replacing("&", with: "").replacing("<", with: "").replacing("]]>", with: "")
      let start = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      func list(_ content: String) -> String {
        start + "<plist version=\"1.0\"><dict>\(content)</dict></plist>"
      }
      let domains =
        "<key>com.apple.developer.associated-domains</key><array><string>applinks:\(x)</string></array>"
      try tool.write(
        list(
          "<key>application-identifier</key><string>\(x)</string>\(domains)<key>\(x)</key><string>\(x)</string>"
        ),
        to: "App.entitlements")
      try tool.write(
        list("<key>CFBundleIdentifier</key><string>\(x)</string><key>\(x)</key><string>\(x)</string>"),
        to: "Info.plist")
      try tool.write(
        start
          + "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"><url><loc>https://example.com/\(x)"
          + "</loc></url></urlset>", to: "sitemap.xml")
    }

    /// Commands with the formats they answer in.
    var commands: [([String], [String])] {
      let both = ["text", "json"]
      let url = "https://example.com/\(text)"
      var list: [([String], [String])] = [
        "key", "value", "app", "raw", "notjson", "d/\(name)", "assetlinks.json", "sites", "App.entitlements",
        "Info.plist",
        name,
      ].map { (["check", $0], every) }
      list += [
        (["check", "good", "--app", "App.entitlements"], every), (["check", "good", "--host", text], both),
        (["check", "fixable", "--fix", "--dry-run"], ["json"]), (["check", "--\(text)"], ["text"]),
        ([text], ["text"]),
        (["push", text], ["text"]), (["check", "good", "--format", text], ["text"]),
        (["coverage", "urls.txt", "--file", "value"], both),
        (["coverage", "access.log", "--file", "value"], both),
        (["coverage", "log.jsonl", "--file", "value"], both),
        (["coverage", "sitemap.xml", "--file", "app"], both),
        (["coverage", "--file", "value", "--routes", "routes.json"], both),
        (["coverage", "--file", "value", "--routes", "constraints.json"], both),
        (["coverage", "urls.txt", "--file", "value", "--html", "-"], ["html"]),
        (["generate", "request.json5"], both),
        (["generate", "noted.json5"], both), (["generate", text], both),
        (["match", url, "--file", "value"], both),
        (["match", "https://example.com/a", "--file", "app"], both),
        (["match", text, "--file", "good"], both),
        (["match", "--batch", "batch.jsonl"], ["json"]), (["explain", url, "--site", "value"], both),
        (["explain", "https://example.com/a", "--site", "app"], both),
        (["inspect", "App.entitlements"], both),
        (["inspect", "Info.plist"], both), (["inspect", "thin.plist"], both),
        (["inspect", "b/\(name).app"], both),
        (["review", "app.swift"], every), (["review", "\(name).swift"], every), (["review", text], both),
        (["clip", "size", "thin.plist", "--budget", "budget.json5"], both), (["clip", "code", url], both),
        (["clip", "ndef", url], both), (["clip", "qr", url], both), (["clip", "url", url], both),
        (["clip", "card", "page.html"], both), (["clip", "card", "experience.json5"], both),
        (["handoff", "predict", "--team", "ABCDE12345", "--activity-type", text], both),
        (["handoff", "decode", text], both),
        (["verify", text], both), (["rollback", text, "--sites", "sites"], both),
        (["push", "lint", "payload.json"], every),
        (["push", "lint", "\(name).json"], every), (["push", "send", text, "--alert", text], both),
        (["push", "campaign", "list", "--server", text], both), (["apn", "push", text, "-m", text], both),
        (["registry", "export", "--registry", text], both), (["token", "list", "--registry", text], both),
        (["token", "create", "--registry", "r.db", "--name", text, "--scope", "devices:read"], both),
        (["simulate", "story.json5"], ["text", "json", "junit", "github"]),
        (["forecast", "fleet.json5"], both),
        (["forecast", "--fit", "access.log"], both), (["rehearse", text], both),
        (["stand-in", text], ["text"]),
        (["stand-in", "apns", "--rules", "rules.json5"], ["text"]),
        (["swcutil", "verify", "-j", "value", "-d", text], both),
        (["swcutil", "match", "-j", "good", "-p", "/\(text)"], both),
        (["swcutil", "show", "show.txt"], both),
        (["swcutil", "explain", "show.txt"], both), (["rules", text], both),
        (["serve", "sites", "--dry-run"], both),
        (["serve", "--config", "config.json5", "--dry-run"], both), (["cover", text], both),
        (["manual", text], ["text"]),
      ]
      for (old, new) in [("good", "value"), ("value", "app"), ("good", "d/\(name)"), (name, "good")] {
        list.append((["diff", old, new], ["text", "json", "markdown", "github"]))
      }
      return list
    }

    func run(_ words: [String], _ format: String) throws -> Tool.Outcome {
      let flags = ["text": [], "json": ["--json"], "html": []][format] ?? ["--format", format]
      return try tool.run(words + flags)
    }
  }

  @Test(arguments: [StrangeText.all, "x\u{202E}\u{9B}\u{1B}]0;t\u{7}\n\(StrangeText.mark)::error::"])
  func noneReachesAReader(_ text: String) throws {
    let stage = try Stage(text)
    for (words, formats) in stage.commands {
      for format in formats {
        let outcome = try stage.run(words, format)
        let what = "\(words.map(\.debugDescription)) as \(format)"
        #expect((0...2).contains(outcome.status), "\(what)")
        for (stream, written) in [("output", outcome.output), ("errors", outcome.errors)] {
          #expect(StrangeText.raw(in: written).isEmpty, "\(what): \(stream)")
          let ours = format == "github" && stream == "output"
          let begun = StrangeText.begun(in: written).filter { !(ours && $0.hasPrefix("::")) }
          #expect(begun.isEmpty, "\(what): \(stream): \(begun.first?.debugDescription ?? "")")
        }
        if outcome.output.isEmpty { continue }
        switch format {
        case "json", "sarif":
          for index in outcome.lines.indices {
            _ = try JSONSerialization.jsonObject(with: Data(outcome.lines[index].utf8))
          }
        case "junit": #expect(XMLParser(data: Data(outcome.output.utf8)).parse(), "\(what)")
        default: continue
        }
      }
    }
  }

  /// Programs read the names as they are.
  @Test func jsonReadsBackTheSame() throws {
    let stage = try Stage(StrangeText.all)
    let document = try stage.run(["check", "key"], "json").json()
    let findings = try #require(document["findings"] as? [[String: Any]])
    #expect(
      findings.contains {
        ($0["pointer"] as? String)?.hasSuffix(StrangeText.all.replacing("~", with: "~0")) == true
      })
    let named = try stage.run(["check", "d/\(stage.name)"], "json").json()
    #expect((named["findings"] as? [[String: Any]])?.first?["file"] as? String == "d/\(stage.name)")
  }

  /// A patch applies, so it is not escaped; where a build's log would obey a line of it, there is none.
  @Test func patchesApplyOrAreRefused() throws {
    let stage = try Stage("a ##[error]b \u{9B}\u{202E}")
    let raw = Self.head + "{\"/\":\"/a*\", \"comment\": \"##[error]b \u{9B}\u{202E}\",}]}]}}\n"
    try stage.tool.write(raw, to: "patched")
    let file = try stage.tool.run(
      "check", "patched", "--fix", "--dry-run", environment: ["GITHUB_ACTIONS": "true"])
    #expect(
      file.output.contains("-" + raw) && file.status == 0, "standard output is a file here: \(file.errors)")
    let process = stage.tool.process(["check", "patched", "--fix", "--dry-run"])
    let (output, errors) = (Pipe(), Pipe())
    process.environment = Tool.environment.merging(["GITHUB_ACTIONS": "true"]) { $1 }
    (process.standardOutput, process.standardError) = (output, errors)
    try process.run()
    let written = output.fileHandleForReading.readDataToEndOfFile()
    let reason = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 2)
    #expect(written.isEmpty && reason.contains("would obey as a command"), "\(reason)")
  }
}
