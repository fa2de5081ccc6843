import Foundation
import TestSupport
import Testing

/// `linkspan mcp` as a client starts it: JSON lines in, JSON lines out.
@Suite(
  .disabled(
    if: ProcessInfo.processInfo.environment["LINKSPAN_SANITIZER"] != nil,
    "a sanitizer does not fit into the memory that 'mcp' gives a tool"))
struct MCPTests {
  private static let greeting = [
    #"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#,
    #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
  ]

  private static let file =
    #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/buy/*"}]}]}}"#

  private static func call(_ name: String, _ arguments: String) -> String {
    #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\#(name)","arguments":\#(arguments)}}"#
  }

  /// The result of one call.
  static func result(_ tool: Tool, _ name: String, _ arguments: String, _ flags: [String] = []) throws
    -> [String: Any]
  {
    let lines = greeting + [call(name, arguments)]
    let outcome = try tool.run(["mcp"] + flags, input: lines.joined(separator: "\n") + "\n")
    #expect(outcome.status == 0, "\(outcome.errors)")
    try #require(outcome.lines.count == 2, "\(outcome.output)\(outcome.errors)")
    return try #require(try outcome.json(line: 1)["result"] as? [String: Any])
  }

  private static func text(_ result: [String: Any]) -> String {
    ((result["content"] as? [[String: Any]])?.first?["text"] as? String) ?? ""
  }

  /// By tool, as 'tools/list' says it.
  private static func outputSchemas(_ tool: Tool) throws -> [String: [String: Any]] {
    let lines = greeting + [#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#]
    let outcome = try tool.run(["mcp"], input: lines.joined(separator: "\n") + "\n")
    let list = (try outcome.json(line: 1)["result"] as? [String: Any])?["tools"] as? [[String: Any]] ?? []
    return Dictionary(
      uniqueKeysWithValues: list.map {
        ($0["name"] as? String ?? "", $0["outputSchema"] as? [String: Any] ?? [:])
      })
  }

  @Test func everyToolAnswersAsItsCommandDoes() throws {
    let tool = try Tool()
    for name in ["site", "app", "stories", "push", "clip"] {
      let source = Fixtures.root.appending(path: "Examples/\(name)")
      guard FileManager.default.fileExists(atPath: source.path) else { continue }
      try FileManager.default.copyItem(at: source, to: tool.folder.appending(path: name))
    }
    try tool.write(Self.file, to: "aasa.json")
    try tool.write(Self.file.replacingOccurrences(of: "/buy/*", with: "/sell/*"), to: "new.json")
    try tool.write("https://example.com/buy/1\n", to: "urls.txt")
    try tool.write(
      "<?xml version=\"1.0\"?><!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\"><plist version=\"1.0\"><dict><key>variants</key><dict><key>Clip.ipa</key><dict><key>sizeUncompressedApp</key><integer>1000</integer><key>sizeCompressedApp</key><integer>500</integer><key>sizeCompressedODR</key><integer>0</integer><key>sizeUncompressedODR</key><integer>0</integer><key>sizeCompressedAppAndODR</key><integer>500</integer><key>sizeUncompressedAppAndODR</key><integer>1000</integer><key>variantDescriptors</key><array><dict><key>device</key><string>iPhone12,1</string><key>os-version</key><string>16.0</string></dict></array></dict></dict></dict></plist>",
      to: "app-thinning.plist")
    let story = "stories/qa-behind-a-filter.json5"
    let cases: [(name: String, arguments: String, command: [String])] = [
      ("check", #"{"site":["aasa.json"]}"#, ["check", "--", "aasa.json"]),
      (
        "match", #"{"urls":["https://example.com/buy/1"],"file":"aasa.json"}"#,
        ["match", "--file", "aasa.json", "--", "https://example.com/buy/1"]
      ),
      (
        "explain", #"{"url":"https://example.com/buy/1","site":["aasa.json"]}"#,
        ["explain", "--site", "aasa.json", "--", "https://example.com/buy/1"]
      ),
      ("diff", #"{"old":"aasa.json","new":"new.json"}"#, ["diff", "--", "aasa.json", "new.json"]),
      (
        "coverage", #"{"file":"aasa.json","urls":["urls.txt"]}"#,
        ["coverage", "--file", "aasa.json", "--urls", "urls.txt"]
      ),
      (
        "clip_size", #"{"path":"app-thinning.plist","minimum_os":"16"}"#,
        ["clip", "size", "--minimum-os", "16", "--", "app-thinning.plist"]
      ),
      ("push_lint", #"{"files":["push/silent.apns"]}"#, ["push", "lint", "--", "push/silent.apns"]),
      ("simulate", #"{"stories":["\#(story)"],"seeds":[7]}"#, ["simulate", "--seed", "7", "--", story]),
    ]
    let schemas = try Self.outputSchemas(tool)
    for (name, arguments, command) in cases {
      let result = try Self.result(tool, name, arguments)
      #expect(result["isError"] as? Bool == false, "\(name): \(Self.text(result))")
      let words = command.firstIndex(of: "--").map { command[..<$0] + ["--json"] + command[$0...] }
      let plain = try tool.run(Array(words ?? command + ["--json"]))
      let structure = try #require(result["structuredContent"] as? [String: Any])
      let answers = structure["answers"] as? [[String: Any]] ?? [structure]
      let expected = try plain.lines.indices.map { try plain.json(line: $0) }
      #expect(NSArray(array: answers) == NSArray(array: expected), "\(name)")
      #expect(!answers.isEmpty)
      let schema = try #require(schemas[name], "\(name)")
      let one = (schema["properties"] as? [String: Any])?["answers"].map {
        (($0 as? [String: Any])?["items"] as? [String: Any]) ?? [:]
      }
      let members = try #require((one ?? schema)["required"] as? [String])
      for answer in answers { #expect(members.allSatisfy { answer[$0] != nil }, "\(name): \(members)") }
    }
  }

  @Test(arguments: [
    ("../secret", "has '..' in it"), ("/etc/passwd", "does not lie below a folder that may be read"),
    ("link", "leads over a symbolic link"), ("inside/link/secret", "leads over a symbolic link"),
    ("inside/../../secret", "has '..' in it"), ("none", "there is no file 'none'"),
    ("pipe", "neither a file nor a folder"),
    ("-", "there is no file '-'"), ("example.com", "there is no file 'example.com'"),
  ])
  func refusesHostilePaths(path: String, message: String) throws {
    let tool = try Tool()
    try tool.write("{}", to: "secret")
    try tool.write("{}", to: "root/inside/file")
    let root = tool.folder.appending(path: "root")
    try FileManager.default.createSymbolicLink(
      atPath: root.appending(path: "link").path, withDestinationPath: "../secret")
    try FileManager.default.createSymbolicLink(
      atPath: root.appending(path: "inside/link").path, withDestinationPath: "../..")
    mkfifo(root.appending(path: "pipe").path, 0o600)
    let result = try Self.result(tool, "check", #"{"site":["\#(path)"]}"#, ["--root", "root"])
    #expect(result["isError"] as? Bool == true)
    #expect(Self.text(result).contains(message), "\(Self.text(result))")
  }

  @Test func filesThatFilesNameAreHeldToTheFoldersToo() throws {
    let tool = try Tool()
    try tool.write(Self.file, to: "outside/.well-known/apple-app-site-association")
    try FileManager.default.createDirectory(
      at: tool.folder.appending(path: "root/sites"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: tool.folder.appending(path: "root/sites/example.com").path, withDestinationPath: "../../outside"
    )
    let linked = try Self.result(tool, "check", #"{"site":["sites"]}"#, ["--root", "root"])
    #expect((linked["structuredContent"] as? [String: Any])?["type"] as? String == "check")
    #expect(
      Self.text(linked).contains("does not lie below a folder that may be read"), "\(Self.text(linked))")
    try tool.write(
      "{sites: {'example.com': '../outside/.well-known/apple-app-site-association'}, apps: [], devices: [], script: []}",
      to: "root/story.json5")
    let story = try Self.result(tool, "simulate", #"{"stories":["story.json5"]}"#, ["--root", "root"])
    #expect(story["isError"] as? Bool == true)
  }

  @Test func oneCallFromTheCommandLineKeepsItsTypes() throws {
    let tool = try Tool()
    try FileManager.default.copyItem(
      at: Fixtures.root.appending(path: "Examples/stories"), to: tool.folder.appending(path: "stories"))
    let outcome = try tool.run(
      ["mcp", "--call", "simulate"],
      input: #"{"stories":["stories/qa-behind-a-filter.json5"],"types":["summary"]}"#)
    try #require(outcome.lines.count == 1, "\(outcome.output)\(outcome.errors)")
    #expect(try outcome.json()["type"] as? String == "summary")
  }

  /// Standard input that cannot be read, as a folder cannot, has ended. The shell ends what would go on for ever.
  @Test(arguments: [("mcp", 0 as Int32), ("lsp", 1)])
  func inputThatCannotBeReadHasEnded(command: String, status: Int32) throws {
    let outcome = try Tool().run(
      program: URL(filePath: "/bin/sh"),
      ["-c", "ulimit -t 3; exec \"$0\" \"$1\" < /", Tool.binary.path, command])
    #expect(outcome.status == status, "\(outcome.errors)")
    #expect(outcome.output.isEmpty)
  }

  @Test func refusesALineBeyondTheLimitAndGoesOn() throws {
    let tool = try Tool()
    let long = #"{"jsonrpc":"2.0","id":1,"method":""# + String(repeating: "a", count: 9 << 20) + #""}"#
    let lines = Self.greeting + [long, #"{"jsonrpc":"2.0","id":2,"method":"ping"}"#]
    let outcome = try tool.run(["mcp"], input: lines.joined(separator: "\n"))
    #expect(
      outcome.lines.dropFirst() == [
        #"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"The line has more than 8388608 bytes, the limit for a message."}}"#,
        #"{"jsonrpc":"2.0","id":2,"result":{}}"#,
      ])
  }

  @Test func refusesAnAnswerBeyondTheLimit() throws {
    let tool = try Tool()
    let apps = (0..<300).map { "\"ABCDE12345.com.example.app\($0)\"" }.joined(separator: ",")
    try tool.write(
      #"{"applinks":{"details":[{"appIDs":[\#(apps)],"components":[{"/":"/buy/*"}]}]}}"#, to: "file")
    let urls = (0..<500).map { "\"https://example.com/buy/\($0)\"" }.joined(separator: ",")
    let result = try Self.result(tool, "match", #"{"urls":[\#(urls)],"file":"file","os":["ios:17.4"]}"#)
    #expect(result["isError"] as? Bool == true)
    #expect(Self.text(result) == "The answer has more than 8 MB. Ask for less in one call.")
  }

  @Test func stopsACallAfterItsTime() throws {
    let tool = try Tool()
    // Rules that take a second and more to compare, again and again.
    let rules = (0..<3_000).map { #"{"/":"/*\#($0)*/?*a*\#($0 % 7)","?":{"a\#($0)":"*b*"}}"# }.joined(
      separator: ",")
    let file =
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[\#(rules)]}]}}"#
    for index in 0..<4 { try tool.write(file + String(repeating: " ", count: index), to: "f\(index)") }
    let site = (0..<4).map { "\"f\($0)\"" }.joined(separator: ",")
    let result = try Self.result(tool, "check", #"{"site":[\#(site)]}"#, ["--timeout", "1"])
    let text = Self.text(result)
    // A machine that is fast enough answers in time; nothing else may happen.
    #expect(
      text.contains("took longer than 1 s") || text.contains("\"type\":\"check\""), "\(text.prefix(200))")
  }

  @Test func thePythonClientListsAndCallsEveryTool() throws {
    let python = ProcessInfo.processInfo.environment["LINKSPAN_MCP_PYTHON"] ?? "/usr/bin/python3"
    let probe = Process()
    probe.executableURL = URL(filePath: python)
    probe.arguments = ["-c", "import mcp"]
    probe.standardError = FileHandle.nullDevice
    try probe.run()
    probe.waitUntilExit()
    guard probe.terminationStatus == 0 else {
      print("skipped: \(python) has no module 'mcp'; set LINKSPAN_MCP_PYTHON to a Python that has it")
      return
    }
    let process = Process()
    process.executableURL = URL(filePath: python)
    process.arguments = [
      Fixtures.root.appending(path: "Scripts/mcp-client").path, Tool.binary.path,
      Fixtures.root.path,
    ]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(output)")
    #expect(output.contains("8 tools listed and called"))
  }
}
