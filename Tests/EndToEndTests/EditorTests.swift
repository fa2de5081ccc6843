import Foundation
import TestSupport
import Testing

/// `linkspan lsp` and `linkspan schema` as an editor and a person start them.
@Suite struct EditorTests {
  private static func framed(_ message: [String: Any]) throws -> String {
    var message = message
    message["jsonrpc"] = "2.0"
    let data = try JSONSerialization.data(withJSONObject: message)
    return "Content-Length: \(data.count)\r\n\r\n" + String(decoding: data, as: UTF8.self)
  }

  private static func messages(_ output: String) throws -> [[String: Any]] {
    var rest = Array(output.utf8)[...]
    var messages: [[String: Any]] = []
    while let end = rest.firstRange(of: Array("\r\n\r\n".utf8)) {
      let header = String(decoding: rest[..<end.lowerBound], as: UTF8.self)
      let length = try #require(Int(header.dropFirst("Content-Length: ".count)))
      let content = rest[end.upperBound..<(end.upperBound + length)]
      messages.append(try JSONSerialization.jsonObject(with: Data(content)) as? [String: Any] ?? [:])
      rest = rest[(end.upperBound + length)...]
    }
    #expect(rest.isEmpty, "\(String(decoding: rest, as: UTF8.self))")
    return messages
  }

  private static func opening(_ file: URL, _ text: String) -> [String: Any] {
    [
      "method": "textDocument/didOpen",
      "params": [
        "textDocument": ["uri": file.absoluteString, "languageId": "json", "version": 1, "text": text]
      ],
    ]
  }

  private static var greeting: [[String: Any]] {
    [
      ["id": "a", "method": "initialize", "params": ["capabilities": [String: Any]()]],
      ["method": "initialized", "params": [String: Any]()],
    ]
  }

  private static let identifier = "ABCDE12345.com.example.app"

  private static let files: [(name: String, text: String)] = [
    ("good/apple-app-site-association", file(#"{"/":"/a/*"}"#)),
    (
      "misspelt/apple-app-site-association",
      file("{\"/\":\"/😀é\",\r\n\"exlude\":true},\n{\"/\":\"*\"},{\"/\":\"/b\"}")
    ),
    ("syntax/apple-app-site-association", file("{\"/\":\"/a\",}") + "x"),
    ("empty/apple-app-site-association", ""),
    ("page/apple-app-site-association", "<!doctype html>\n<title>x</title>"),
    ("dead/aasa.json", file(#"{"/":"/a/*"},{"/":"/b*"},{"/":"/a/b","exclude":true},{"/":"/a/$(lang)"}"#)),
    (
      "old/apple-app-site-association",
      #"{"applinks":{"apps":[],"details":[{"appID":"\#(identifier)","paths":["NOT /a","not /b","*","/c"]}]}}"#
    ),
    ("android/assetlinks.json", "[{\"relation\":[\"x\"],\n\"targets\":{\"namespace\":\"android\"}}]"),
    (
      "app/App.entitlements",
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\"><dict>\n<key>com.apple.developer.associated-domains</key>\n<array><string>applinks:https://example.com/</string>\n<string>aplinks:example.com</string></array></dict></plist>\n"
    ),
    ("broken/App.entitlements", "<plist version=\"1.0\"><dict>\n<key>a</key></plist>"),
  ]

  private static func file(_ components: String) -> String {
    "{\"applinks\":{\"details\":[{\"appIDs\":[\"\(identifier)\"],\n\"components\":[\(components)]}]}}"
  }

  /// One finding as both say it: place as an editor counts, rule, severity, message.
  private static func shown(_ finding: [String: Any], in text: String) -> String {
    func place(_ line: String, _ column: String) -> String {
      guard let number = finding[line] as? Int, let scalars = finding[column] as? Int else { return "0:0" }
      let rows = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
      let before = rows[number - 1].prefix(scalars - 1).filter { $0 != "\r" }
      return "\(number - 1):\(before.reduce(0) { $0 + $1.utf16.count })"
    }
    let severity = ["error": 1, "warning": 2, "note": 3][finding["severity"] as? String ?? ""] ?? 0
    return
      "\(place("line", "column"))-\(place("end_line", "end_column")) \(severity) \(finding["rule"] ?? "") \(finding["message"] ?? "")"
  }

  private static func shown(_ diagnostic: [String: Any]) -> String {
    func place(_ name: String) -> String {
      let place = (diagnostic["range"] as? [String: Any])?[name] as? [String: Any]
      return "\(place?["line"] ?? ""):\(place?["character"] ?? "")"
    }
    return
      "\(place("start"))-\(place("end")) \(diagnostic["severity"] ?? "") \(diagnostic["code"] ?? "") \(diagnostic["message"] ?? "")"
  }

  @Test func saysWhatCheckSays() throws {
    let tool = try Tool()
    var input = try Self.greeting.map(Self.framed).joined()
    for (name, text) in Self.files {
      try tool.write(text, to: name)
      input += try Self.framed(Self.opening(tool.folder.appending(path: name), text))
    }
    input += try Self.framed(["id": 2, "method": "shutdown"])
    let outcome = try tool.run("lsp", "--stdio", "--clientProcessId=1", input: input)
    #expect(outcome.errors == "")
    let messages = try Self.messages(outcome.output)
    for (name, text) in Self.files {
      // The path as it is after links, so that names in messages are the same.
      let path = tool.folder.appending(path: name)
      let published = try #require(
        messages.last {
          ($0["params"] as? [String: Any])?["uri"] as? String == path.absoluteString
        }?["params"] as? [String: Any], "\(name)")
      let told = (published["diagnostics"] as? [[String: Any]] ?? []).map(Self.shown)
      let check = try tool.run("check", "--json", path.path)
      let findings = try check.json()["findings"] as? [[String: Any]] ?? []
      #expect(told == findings.map { Self.shown($0, in: text) }, "\(name)")
      #expect(name.hasPrefix("good") == told.isEmpty, "\(name)")
    }
  }

  @Test func readsTheListOfURLsAndWhatAStoryNames() throws {
    let tool = try Tool()
    try tool.write("/a/1\n/c\n", to: "example.com/.linkspan")
    let name = "example.com/.well-known/apple-app-site-association"
    let association = Self.file(#"{"/":"/a/*"}"#)
    try tool.write(association, to: name)
    let story =
      "{ start: \"2026-09-14T08:00:00Z\", sites: { \"example.com\": \"example.com\" }, links: \"none.txt\" }"
    let file = tool.folder.appending(path: name)
    let storyFile = tool.folder.appending(path: "story.json5")
    let lens: [String: Any] = [
      "id": 7, "method": "textDocument/codeLens",
      "params": ["textDocument": ["uri": file.absoluteString]],
    ]
    let sent = Self.greeting + [Self.opening(file, association), Self.opening(storyFile, story), lens]
    let input = try sent.map(Self.framed).joined()
    let outcome = try tool.run("lsp", input: input)
    #expect(outcome.status == 1)
    let messages = try Self.messages(outcome.output)
    let lenses = messages.first { $0["id"] as? Int == 7 }?["result"] as? [[String: Any]]
    let title = (lenses?.first?["command"] as? [String: Any])?["title"] as? String
    #expect(title == "matches 1 of 2 sample URLs: https://example.com/a/1")
    let published =
      messages.last {
        ($0["params"] as? [String: Any])?["uri"] as? String == storyFile.absoluteString
      }?["params"] as? [String: Any]
    let codes = (published?["diagnostics"] as? [[String: Any]])?.map { $0["code"] as? String }
    #expect(codes == ["story.no-file"])
  }

  /// The path of a URI has a slash before the drive.
  @Test func readsTheListOfURLsOnADriveOfWindows() throws {
    let tool = try Tool()
    try tool.write("/a/1\n", to: "c:/example.com/.linkspan")
    let file = try #require(URL(string: "file:///c%3A/example.com/.well-known/apple-app-site-association"))
    let lens: [String: Any] = [
      "id": 7, "method": "textDocument/codeLens",
      "params": ["textDocument": ["uri": file.absoluteString]],
    ]
    let sent = Self.greeting + [Self.opening(file, Self.file(#"{"/":"/a/*"}"#)), lens]
    let outcome = try tool.run("lsp", input: try sent.map(Self.framed).joined())
    let answer = try Self.messages(outcome.output).first { $0["id"] as? Int == 7 }
    let lenses = answer?["result"] as? [[String: Any]]
    let title = (lenses?.first?["command"] as? [String: Any])?["title"] as? String
    #expect(title == "matches 1 of 1 sample URLs: https://example.com/a/1")
  }

  @Test func goesOnAfterMessagesThatAreNone() throws {
    let tool = try Tool()
    let broken = [
      "Content-Length: 99999999999999999999\r\n\r\n", "Content-Length: 1\r\n\r\n{", "nothing\r\n\r\n",
    ]
    let input =
      broken.joined() + (try Self.greeting.map(Self.framed).joined())
      + (try Self.framed(["id": 1, "method": "no/such"]))
      + (try Self.framed(["id": 2, "method": "shutdown"]))
      + (try Self.framed(["method": "exit"]))
    let outcome = try tool.run("lsp", input: input)
    #expect(outcome.status == 0)
    let codes = try Self.messages(outcome.output).map {
      ($0["error"] as? [String: Any])?["code"] as? Int ?? 0
    }
    #expect(codes == [-32_700, -32_700, -32_700, 0, -32_601, 0])
  }

  @Test func printsSchemas() throws {
    let tool = try Tool()
    for name in ["association", "assetlinks", "story", "fleet", "configuration"] {
      let outcome = try tool.run("schema", name)
      #expect(outcome.status == 0)
      let schema = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
      #expect(schema?["$schema"] as? String == "http://json-schema.org/draft-07/schema#")
      #expect(outcome.lines.count > 10)
    }
    let unknown = try tool.run("schema", "assetlink")
    #expect(unknown.status == 2)
    #expect(unknown.errors.contains("or configuration, got 'assetlink'. Did you mean 'assetlinks'?"))
  }
}
