import Foundation
import TestSupport
import Testing

/// The timeline page in a real browser, where there is one: it zooms, filters, shows cards and obeys its keys
/// without an error, a breach of its policy or a request. With `#selfcheck` the page tries all that itself.
@Suite struct TimelineBrowserTests {
  static let browser: String? = {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    let found = folders.map { "\($0)/chromium" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    if found == nil { print("the timeline is not tried in a browser: there is no chromium on the PATH") }
    return found
  }()

  /// The document after the page has tried itself, without the block of data and the program.
  static func selfChecked(_ page: URL, in tool: Tool, width: Int = 1400) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: try #require(browser))
    process.arguments = [
      "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
      "--user-data-dir=\(tool.folder.appending(path: "profile").path)", "--virtual-time-budget=20000",
      "--window-size=\(width),900", "--dump-dom", "file://\(page.path)#selfcheck",
    ]
    let output = tool.folder.appending(path: "dom.html")
    try Data().write(to: output)
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    let text = try String(contentsOf: output, encoding: .utf8)
    return text.components(separatedBy: "<script type=\"application/json\"").first ?? ""
  }

  static func verdict(_ document: String) -> String? {
    document.components(separatedBy: "<pre id=\"selfcheck\">").dropFirst().first?
      .components(separatedBy: "</pre>").first
  }

  /// On a desk and on a phone: nothing is wider than the window, no arrow crosses another party's mark, no outcome
  /// hides behind another, and the legend has every mark.
  @Test(.enabled(if: browser != nil, "there is no chromium on the PATH"), arguments: [1400, 390])
  func thePageWorksWithoutErrorsAndRequests(width: Int) throws {
    let tool = try Tool()
    try SimulateTests.failing(in: tool)
    let played = try tool.run(
      "simulate", SimulateTests.folder, SimulateTests.story, "stories/b.json5", "--html", "page.html")
    #expect(played.status == 1)
    let document = try Self.selfChecked(tool.folder.appending(path: "page.html"), in: tool, width: width)
    let verdict = try #require(Self.verdict(document))
    #expect(verdict.hasPrefix("all well\n"), "\(verdict)")
    let examples = try FileManager.default.contentsOfDirectory(atPath: SimulateTests.folder)
      .filter { $0.hasSuffix(".json5") }
    #expect(verdict.split(separator: "\n").count == 1 + examples.count + 2)
  }

  @Test(.enabled(if: browser != nil, "there is no chromium on the PATH"))
  func aHostileStoryStaysText() throws {
    let hostile = "</script><img src=x onerror=alert(1)>"
    let tool = try Tool()
    try tool.write(
      """
      {
        start: "2026-09-14T08:00:00Z",
        apps: { app: { identifier: "ABCDE12345.com.example.app", domains: ["\(hostile)"] } },
        devices: { phone: { os: "ios:17.4" } },
        script: [{ install: "app" }, { tap: "https://e.test/\(hostile)", expect: "app" }],
      }
      """, to: "story.json5")
    #expect(try tool.run("simulate", "story.json5", "--html", "page.html").status == 1)
    let document = try Self.selfChecked(tool.folder.appending(path: "page.html"), in: tool)
    #expect(Self.verdict(document)?.hasPrefix("all well\n") == true)
    #expect(!document.contains("<img"))
    #expect(document.contains("&lt;img src=x onerror=alert(1)&gt;"))
  }

  /// The check can fail: a page whose program does nothing on a key is found out.
  @Test(.enabled(if: browser != nil, "there is no chromium on the PATH"))
  func aBrokenPageIsFoundOut() throws {
    let tool = try Tool()
    #expect(try tool.run("simulate", SimulateTests.story, "--html", "page.html").status == 0)
    let url = tool.folder.appending(path: "page.html")
    let page = try String(contentsOf: url, encoding: .utf8)
    // Without the policy's hash, which would stop a changed program altogether.
    let broken = page.replacing(/<meta http-equiv="Content-Security-Policy"[^>]*>/, with: "")
      .replacing("ArrowRight: () =>", with: "ArrowNever: () =>")
    try Data(broken.utf8).write(to: url)
    let verdict = try #require(Self.verdict(try Self.selfChecked(url, in: tool)))
    #expect(verdict.contains("no key selects an event"))
  }
}
