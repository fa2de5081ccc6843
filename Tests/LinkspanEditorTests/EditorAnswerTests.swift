import LinkspanCore
import LinkspanEditor
import LinkspanStories
import Testing

/// Fixes, words and ways that an editor offers.
@Suite struct EditorAnswerTests {
  /// An association file around some components.
  private static func file(_ components: String, more: String = "") -> String {
    "{\"applinks\":{\"details\":[{\"appIDs\":[\"ABCDE12345.com.example.app\"],\"components\":[\n\(components)\n]}]\(more)}}"
  }

  private static func opened(_ text: String, uri: String = Editor.uri) -> Editor {
    var editor = Editor()
    editor.open(text, uri: uri)
    return editor
  }

  // MARK: - Quick fixes

  @Test func offersTheFixOfAFinding() throws {
    let marked = Marked(Self.file("{\"/\":\"/a\",\"⟦exlude⟧\":true}"))
    var editor = Self.opened(marked.text)
    let place = Editor.position(marked.line, marked.character)
    let range = JSON.object([("start", place), ("end", place)])
    let actions = try #require(
      editor.request(
        "textDocument/codeAction",
        .object([Editor.document(), ("range", range), ("context", .object([("diagnostics", .array([]))]))]))?[
          "result"]?.array)
    let fix = try #require(actions.first { $0["kind"]?.string == "quickfix" })
    #expect(fix["title"]?.string == "Write \"exclude\"")
    let edits = try #require(fix["edit"]?["changes"]?[Editor.uri]?.array)
    var text = DocumentText(marked.text)
    for edit in edits.reversed() {
      text = text.replacing(try #require(TextSpan(edit["range"])), by: edit["newText"]?.string ?? "")
    }
    #expect(text.bytes == Array(marked.text.replacing("exlude", with: "exclude").utf8))
    let elsewhere = JSON.object([("start", Editor.position(0, 0)), ("end", Editor.position(0, 0))])
    let none = editor.request(
      "textDocument/codeAction",
      .object([
        Editor.document(), ("range", elsewhere),
        ("context", .object([("only", .array([.string("quickfix")]))])),
      ]))
    #expect(none?["result"]?.array?.isEmpty == true)
  }

  /// What would be written there can be seen.
  @Test func namesAFixThatWritesABlank() throws {
    var editor = Self.opened("{\u{A0}\"webcredentials\":{\"apps\":[\"ABCDE12345.a\"]}}")
    let range = JSON.object([("start", Editor.position(0, 0)), ("end", Editor.position(0, 9))])
    let actions = editor.request(
      "textDocument/codeAction", .object([Editor.document(), ("range", range), ("context", .object([]))]))
    let titles = actions?["result"]?.array?.compactMap { $0["title"]?.string }
    #expect(titles?.first == "Correct this (json.unexpected-character)")
  }

  @Test func fixesEverythingAsCheckDoes() throws {
    let text = Self.file("{\"/\":\"/a\",\"exlude\":true,},{\"/\":\"/b\",\"casesensitive\":\"false\"},")
    var editor = Self.opened(text)
    let range = JSON.object([("start", Editor.position(0, 0)), ("end", Editor.position(0, 0))])
    let actions = editor.request(
      "textDocument/codeAction",
      .object([
        Editor.document(), ("range", range),
        ("context", .object([("only", .array([.string("source.fixAll")]))])),
      ]))?["result"]?.array
    let action = try #require(actions?.first)
    #expect(actions?.count == 1)
    #expect(action["kind"]?.string == "source.fixAll.linkspan")
    let resolved = try #require(editor.request("codeAction/resolve", action.json)?["result"])
    let edit = try #require(resolved["edit"]?["changes"]?[Editor.uri]?.array?.first)
    let fixed = DocumentText(text).replacing(
      try #require(TextSpan(edit["range"])), by: edit["newText"]?.string ?? "")
    #expect(
      String(decoding: fixed.bytes, as: UTF8.self)
        == Self.file("{\"/\":\"/a\",\"exclude\":true},{\"/\":\"/b\",\"caseSensitive\":false}"))
  }

  /// What all fixes together leave unreadable is left alone, so it is not offered either; a single fix is.
  @Test(arguments: [
    (#"{"applinks" {"details":[],}}"#, false), (#"{"applinks":{"details":[],}}"#, true),
    (#"{"applinks":{"details":[{"components":[{"/":"/a",}]}"#, true),
  ])
  func offersToFixEverythingWhereItChangesSomething(text: String, isOffered: Bool) {
    var editor = Self.opened(text)
    let range = JSON.object([("start", Editor.position(0, 0)), ("end", Editor.position(1, 0))])
    let actions = editor.request(
      "textDocument/codeAction", .object([Editor.document(), ("range", range), ("context", .object([]))]))
    let kinds = actions?["result"]?.array?.compactMap { $0["kind"]?.string } ?? []
    #expect(kinds.contains("source.fixAll.linkspan") == isOffered && kinds.contains("quickfix"), "\(kinds)")
  }

  // MARK: - Hover

  @Test(arguments: [
    ("{\"/\":\"/a\",\"⟦exlude⟧\":true}", ["aasa.unknown\\-key", "Did you mean", "J2"]),
    ("{\"/\":\"/a\",\"⟦exclude⟧\":true}", ["stay in the browser", "J14"]),
    ("{\"/\":\"/$(⟦lang)⟧/x\"}", ["ISO 639", "S4"]),
    ("{\"/\":\"*\"},⟦{\"/\":\"/a\",\"exclude\":true}⟧", ["never reached", "M4"]),
  ])
  func explainsAPlace(components: String, parts: [String]) throws {
    let marked = Marked(Self.file(components))
    var editor = Self.opened(marked.text)
    let answer = editor.request("textDocument/hover", Editor.at(marked.line, marked.character))
    let text = try #require(answer?["result"]?["contents"]?["value"]?.string)
    for part in parts {
      #expect(text.contains(part) || text.contains(part.replacing("\\-", with: "-")), "\(text)")
    }
    #expect(answer?["result"]?["range"]?.object != nil)
  }

  @Test func explainsNothingWhereNothingIs() {
    var editor = Self.opened(Self.file("{\"/\":\"/a\"}"))
    #expect(editor.request("textDocument/hover", Editor.at(0, 0))?["result"]?.typeName == "null")
    #expect(editor.request("textDocument/hover", Editor.at(99, 99))?["result"] != nil)
  }

  @Test func showsTextOfAFileAsText() throws {
    var editor = Self.opened("{\"applinks\":{\"details\":[],\"[x](command:y)\":1}}")
    let answer = editor.request("textDocument/hover", Editor.at(0, 30))
    let text = try #require(answer?["result"]?["contents"]?["value"]?.string)
    #expect(text.contains("\\[x\\]\\(command:y\\)") && !text.contains("[x](command"), "\(text)")
  }

  // MARK: - Completion

  private static func labels(_ marked: Marked, uri: String = Editor.uri) -> [String] {
    var editor = opened(marked.text, uri: uri)
    let answer = editor.request(
      "textDocument/completion", Editor.at(marked.line, marked.character, uri: uri))
    return answer?["result"]?["items"]?.array?.compactMap { $0["label"]?.string } ?? []
  }

  @Test(arguments: [
    ("{⟦⟧}", ["applinks", "webcredentials", "appclips", "activitycontinuation", "authsrv"]),
    ("{\"applinks\":{⟦⟧", ["apps", "details", "defaults", "substitutionVariables"]),
    ("{\"webcredentials\":{\"⟦⟧\"", ["apps"]),
    ("{\"applinks\":{\"details\":[{\"appIDs\":[],⟦⟧", ["appID", "paths", "components", "defaults"]),
    (
      "{\"applinks\":{\"details\":[{\"components\":[{\"/\":\"/a\",\"exc⟦⟧\"",
      ["?", "#", "exclude", "comment", "caseSensitive", "percentEncoded"]
    ),
    ("{\"applinks\":{\"details\":[{\"components\":[{\"exclude\":⟦⟧}", ["true", "false"]),
    ("{\"applinks\":{\"defaults\":{⟦⟧}", ["caseSensitive", "percentEncoded"]),
    (
      "{\"applinks\":{\"details\":[{\"components\":[{\"/\":\"/$(⟦⟧\"}]}],\"substitutionVariables\":{\"food\":[\"a\"]}}}",
      ["food", "lang", "region", "alpha", "upper", "lower", "alnum", "digit", "xdigit"]
    ),
    ("{\"applinks\":{\"details\":[{\"components\":[{\"/\":\"⟦⟧\"}]}]}}", []),
    (
      "{\"webcredentials\":{\"apps\":[\"ABCDE12345.com.example.app\"]},\"appclips\":{\"apps\":[\"⟦⟧\"]}}",
      ["ABCDE12345.com.example.app"]
    ),
  ])
  func completesAnAssociationFile(text: String, labels: [String]) {
    #expect(Self.labels(Marked(text)) == labels)
  }

  @Test(arguments: [
    ("[{⟦⟧}]", ["relation", "target", "relation_extensions", "include"]),
    ("[{\"target\":{\"namespace\":\"web\",⟦⟧}}]", ["package_name", "sha256_cert_fingerprints", "site"]),
    ("[{\"target\":{\"namespace\":\"⟦⟧\"}}]", ["android_app", "web"]),
    ("\u{FEFF}[{\"target\":{\"namespace\":\"⟦⟧\"}}]", ["android_app", "web"]),
  ])
  func completesAStatementList(text: String, labels: [String]) {
    #expect(Self.labels(Marked(text), uri: "file:///a/assetlinks.json") == labels)
  }

  /// J1, D3: a file without text is completed as a whole, by its name.
  @Test(arguments: [
    ("file:///a/apple-app-site-association", ["applinks"]), ("file:///a/assetlinks.json", ["statement"]),
  ])
  func completesAnEmptyFile(uri: String, labels: [String]) {
    for text in ["⟦⟧", "\n ⟦⟧"] { #expect(Self.labels(Marked(text), uri: uri) == labels) }
  }

  @Test(arguments: [
    ("<string>⟦⟧", ["applinks:", "webcredentials:", "appclips:", "activitycontinuation:", "authsrv:"]),
    ("<string>applinks:example.com?⟦⟧", ["?mode=developer", "?mode=managed", "?mode=developer+managed"]),
    ("<string>applinks:⟦⟧", []),
  ])
  func completesAssociatedDomains(text: String, labels: [String]) {
    let before = "<plist><dict><key>com.apple.developer.associated-domains</key><array>"
    let after = "</string></array></dict></plist>"
    let marked = Marked(before + text + after)
    #expect(Self.labels(marked, uri: "file:///a/App.entitlements") == labels)
    let behindAMark = Marked("\u{FEFF}" + before + text + after)
    #expect(Self.labels(behindAMark, uri: "file:///a/App.entitlements") == labels)
  }

  @Test(arguments: [
    ("file:///a/story.json5", "{ start: \"2026-09-14T08:00:00Z\", faults: { lo⟦⟧ }, script: [] }", "loss"),
    ("file:///a/story.json5", "{ script: [{ ⟦⟧ }] }", "install"),
    (
      "file:///a/story.json5", "{ devices: { a: { os: \"ios:17.4\" } }, script: [{ tap: \"all\", ⟦⟧ }] }",
      "from"
    ),
    (
      "file:///a/story.json5",
      "{ devices: { phone: { os: \"ios:17.4\" } }, script: [{ reboot: \"⟦⟧\" }] }", "phone"
    ),
    ("file:///a/story.json5", "{ script: [{ tap: \"all\", from: \"⟦⟧\" }] }", "messages"),
    ("file:///a/fleet.json5", "{ update: { ⟦⟧ } }", "phased"),
    ("file:///a/fleet.json5", "{ update: { phased: ⟦⟧ } }", "true"),
    ("file:///a/linkspan.json5", "{ server: { lis⟦⟧ } }", "listen"),
    ("file:///a/linkspan.json5", "{ server: { log_level: \"⟦⟧\" } }", "debug"),
    ("file:///a/linkspan.json5", "{ server: { log_level: '⟦⟧' } }", "debug"),
    ("file:///a/linkspan.json5", "{ server: { log_level: \"⟦⟧\n} }", "debug"),
    ("file:///a/linkspan.json5", "{ server: { log_level: \"⟦⟧\", listen: \":80\" } }", "debug"),
    ("file:///a/linkspan.json5", "{ server: { \"⟦⟧\": 1, sites: [] } }", "listen"),
    ("file:///a/story.json5", "{⟦⟧", "start"), ("file:///a/story.json5", "{ script: [{ reb⟦⟧", "reboot"),
    ("file:///a/story.json5", "{ script: [{ reboot: \"all\" }, { reb⟦⟧\n] }", "reboot"),
    ("file:///a/story.json5", "{ script: [{ tap: \"all\", from: \"⟦⟧", "messages"),
    (
      "file:///a/story.json5",
      "{ apps: { shop: { identifier: \"ABCDE12345.a.b\" } }, script: [{ install: ⟦⟧\n", "shop"
    ),
    ("file:///a/fleet.json5", "{ update: { ⟦⟧", "phased"),
    ("file:///a/linkspan.json5", "{ server: { ⟦⟧", "listen"),
  ])
  func completesWhatItsReaderKnows(uri: String, text: String, label: String) {
    let labels = Self.labels(Marked(text), uri: uri)
    #expect(labels.contains(label), "\(labels)")
  }

  /// A story's `file` is an association file; where keys are free, and behind what no reader looks at, nothing is offered.
  @Test(arguments: [
    ("sites: { \"a.example\": { file: { webcredentials: { ⟦⟧ } } } }", ["apps"]),
    (
      "sites: { \"a.example\": [{ file: { applinks: { ⟦⟧ } } }] }",
      ["apps", "details", "defaults", "substitutionVariables"]
    ),
    (
      "script: [{ deploy: { \"a.example\": { file: { applinks: { defaults: { \"⟦⟧ } } } } } }]",
      ["caseSensitive", "percentEncoded"]
    ),
    (
      "sites: { file: { file: { appclips: { apps: [\"A.b\"] }, webcredentials: { apps: [\"⟦⟧\"] } } } }",
      ["A.b"]
    ),
    ("sites: { ⟦⟧ }", []), ("sites: {}, script: [{ push: { aps: { ⟦⟧ } } }]", []),
    ("sites: { \"a.example\": { file: { more: { ⟦⟧ } } } }", []),
  ])
  func completesTheObjectAroundTheCursor(text: String, labels: [String]) {
    let marked = Marked("{ start: \"2026-09-14T08:00:00Z\", \(text) }")
    #expect(Self.labels(marked, uri: "file:///a/story.json5") == labels)
  }

  @Test func writesAKeyWithItsValue() throws {
    let marked = Marked("{\"applinks\":{\"details\":[{\"components\":[{⟦⟧}]}]}}")
    var editor = Self.opened(marked.text)
    let answer = editor.request("textDocument/completion", Editor.at(marked.line, marked.character))
    let item = try #require(answer?["result"]?["items"]?.array?.first { $0["label"]?.string == "exclude" })
    let edit = try #require(item["textEdit"])
    #expect(edit["newText"]?.string == "\"exclude\": true")
    #expect(edit["range"]?.span == "0:\(marked.character)-0:\(marked.character)")
    #expect(item["documentation"]?["value"]?.string?.contains("browser") == true)
  }

  /// Between marks only what stands between them is written, and both marks stay.
  @Test func writesAValueBetweenItsMarks() throws {
    for (text, label) in [
      ("{ server: { log_level: \"⟦⟧in\" } }", "debug"), ("{ server: { \"⟦⟧lis\": \":80\" } }", "listen"),
    ] {
      let marked = Marked(text)
      let uri = "file:///a/linkspan.json5"
      var editor = Self.opened(marked.text, uri: uri)
      let answer = editor.request(
        "textDocument/completion", Editor.at(marked.line, marked.character + 1, uri: uri))
      let item = try #require(answer?["result"]?["items"]?.array?.first { $0["label"]?.string == label })
      let edit = try #require(item["textEdit"])
      #expect(edit["newText"]?.string == label)
      let end = marked.character + (label == "debug" ? 2 : 3)
      #expect(edit["range"]?.span == "0:\(marked.character)-0:\(end)")
    }
  }

  // MARK: - Rules

  @Test func leadsToTheRuleThatDecidesBefore() throws {
    let marked = Marked(Self.file("{\"/\":\"/a/*\"},\n⟦{\"/\":\"/a/b\"}⟧"))
    var editor = Self.opened(marked.text)
    let answer = editor.request("textDocument/definition", Editor.at(marked.line, marked.character))
    let places = try #require(answer?["result"]?.array)
    #expect(places.map { $0["range"]?.span } == ["1:0-1:12"])
    #expect(places.first?["uri"]?.string == Editor.uri)
  }

  @Test func leadsToAVariable() throws {
    let text = Self.file(
      "{\"/\":\"/⟦⟧$(food)\"}", more: ",\"substitutionVariables\":{\"food\":[\"a\",\"b\"]}")
    let marked = Marked(text)
    var editor = Self.opened(marked.text)
    let answer = editor.request("textDocument/definition", Editor.at(marked.line, marked.character + 2))
    let span = try #require(TextSpan(answer?["result"]?.array?.first?["range"]))
    #expect(span.start.line == 2)
    #expect(editor.request("textDocument/definition", Editor.at(0, 0))?["result"]?.array?.isEmpty == true)
  }

  private static func lenses(_ text: String, samples: [String]) -> [String] {
    var editor = Editor(
      options: .object([("sampleUrls", .array(samples.map(JSON.string)))]))
    editor.open(text, uri: "file:///srv/shop.example.com/.well-known/apple-app-site-association")
    let answer = editor.request(
      "textDocument/codeLens",
      .object([Editor.document("file:///srv/shop.example.com/.well-known/apple-app-site-association")]))
    return answer?["result"]?.array?.compactMap { $0["command"]?["title"]?.string } ?? []
  }

  @Test func saysWhichURLsARuleDecides() {
    let text = Self.file("{\"/\":\"/a/*\",\"exclude\":true},{\"/\":\"/a/b\"},{\"/\":\"*\"}")
    #expect(
      Self.lenses(text, samples: ["https://shop.example.com/a/1", "https://shop.example.com/c"]) == [
        "excludes 1 of 2 sample URLs: https://shop.example.com/a/1",
        "decides no URL: earlier rules decide in its place",
        "matches 1 of 2 sample URLs: https://shop.example.com/c",
      ])
    #expect(
      Self.lenses(text, samples: ["https://shop.example.com/a/1"]).last
        == "matches none of 1 sample URLs, but for example https://shop.example.com/x")
  }

  /// Without an earlier rule none decides in its place.
  @Test func saysThatARuleMatchesNothing() {
    let titles = Self.lenses(
      Self.file(##"{"/":"/a b"},{"/":"/a$(none)"},{"/":"/a"},{"/":"/a"}"##), samples: [])
    #expect(
      titles == [
        "decides no URL: no URL that a device opens matches it",
        "decides no URL: no URL that a device opens matches it",
        "matches, for example, https://shop.example.com/a",
        "decides no URL: earlier rules decide in its place",
      ])
  }

  @Test(arguments: [(3, ""), (4, " and 1 more")]) func namesThreeOfTheURLs(_ count: Int, _ more: String) {
    let samples = (1...count).map { "https://shop.example.com/a/\($0)" }
    #expect(
      Self.lenses(Self.file("{\"/\":\"/a/*\"}"), samples: samples) == [
        "matches \(count) of \(count) sample URLs: \(samples.prefix(3).joined(separator: ", "))\(more)"
      ])
  }

  @Test func showsAnExampleWhereNobodyNamesURLs() {
    let titles = Self.lenses(Self.file("{\"/\":\"/buy/*\"},{\"/\":\"/help\",\"exclude\":true}"), samples: [])
    #expect(
      titles == [
        "matches, for example, https://shop.example.com/buy/x",
        "excludes, for example, https://shop.example.com/help",
      ])
  }

  /// A path of the setting is one of the file's host, as in the list beside the file, and no answer shows a password.
  @Test func readsPathsOfTheSetting() {
    let samples = ["/buy/{id}", "https://ada:secret@shop.example.com/buy/2"]
    #expect(
      Self.lenses(Self.file("{\"/\":\"/buy/*\"}"), samples: samples) == [
        "matches 2 of 2 sample URLs: https://shop.example.com/buy/1, https://…@shop.example.com/buy/2"
      ])
  }

  /// A line that no device follows as a link is none of the URLs, and is not passed over in silence.
  @Test func aLineThatIsNoURLIsCountedApart() {
    let text = Self.file("{\"/\":\"/buy/*\"}")
    #expect(
      Self.lenses(text, samples: ["/buy/1", "buy", "ftp://shop.example.com/buy/2"]) == [
        "matches 1 of 1 sample URLs: https://shop.example.com/buy/1 (2 lines of the list are no URL)"
      ])
    #expect(
      Self.lenses(text, samples: ["buy"]) == [
        "matches, for example, https://shop.example.com/buy/x (1 line of the list is no URL)"
      ])
  }

  /// E7, M2: a file speaks for the host that its folder names, and for no other.
  @Test func aURLOfAnotherHostIsNotCounted() {
    let text = Self.file("{\"/\":\"/buy/*\"}")
    #expect(
      Self.lenses(text, samples: ["/buy/1", "https://www.example.com/buy/2", "https://other.example/buy/3"])
        == [
          "matches 1 of 1 sample URLs: https://shop.example.com/buy/1 (2 lines of the list are of other hosts)"
        ])
    #expect(
      Self.lenses(text, samples: ["https://other.example/buy/3"]) == [
        "matches, for example, https://shop.example.com/buy/x (1 line of the list is of other hosts)"
      ])
  }

  /// A setting that was taken away names no URLs; one that a message does not mention stays.
  @Test func forgetsASettingThatIsNull() {
    var editor = Editor(options: .object([("sampleUrls", .array([.string("/help")]))]))
    editor.open(Self.file("{\"/\":\"/help\"}"))
    func title() -> String? {
      editor.request("textDocument/codeLens", .object([Editor.document()]))?["result"]?.array?.first?[
        "command"]?[
          "title"]?.string
    }
    func change(_ settings: JSON) {
      editor.notify("workspace/didChangeConfiguration", .object([("settings", settings)]))
    }
    change(.object([]))
    #expect(title()?.hasPrefix("matches 1 of 1 sample URLs") == true)
    change(.object([("linkspan", .object([("sampleUrls", .null)]))]))
    #expect(title()?.hasPrefix("matches, for example") == true)
  }

  /// A client that can is told to ask for the lines anew where other URLs count.
  @Test(arguments: [true, false]) func hasTheLinesAskedForAnew(canRefresh: Bool) {
    let lenses = JSON.object([("codeLens", .object([("refreshSupport", .bool(canRefresh))]))])
    var editor = Editor(capabilities: .object([("workspace", lenses)]))
    func told(_ method: String, _ parameters: JSON) -> [String] {
      let before = editor.received.count
      editor.notify(method, parameters)
      return editor.received.dropFirst(before).compactMap { $0["id"] != nil ? $0["method"]?.string : nil }
    }
    let refresh = canRefresh ? ["workspace/codeLens/refresh"] : []
    let settings = JSON.object([
      ("settings", .object([("sampleUrls", .array([.string("https://a.example/")]))]))
    ])
    #expect(told("workspace/didChangeConfiguration", settings) == refresh)
    #expect(told("workspace/didChangeConfiguration", settings) == [])
    #expect(told("workspace/didChangeWatchedFiles", .object([("changes", .array([]))])) == refresh)
    editor.send(.object([("jsonrpc", .string("2.0")), ("id", .string("lenses-1")), ("result", .null)]))
    #expect(editor.status == nil)
  }

  @Test func readsAListOfURLs() {
    let text = "# pages\nhttps://a.example/x\n\n/recipes/{id:int}/edit\r\n /users/:name\nno url\n"
    #expect(
      EditorFiles.samples(of: EditorFiles.lines(of: text), host: "b.example") == [
        "https://a.example/x", "https://b.example/recipes/1/edit", "https://b.example/users/1",
      ])
  }

  @Test(arguments: ["# pages\r\n/x\r\n", "/x\n"])
  func aByteOrderMarkIsNoPartOfTheList(text: String) {
    #expect(EditorFiles.lines(of: "\u{FEFF}" + text) == ["/x"])
  }

  @Test func readsTheListBesideTheFile() {
    var editor = Editor()
    editor.files = EditorFiles(story: { _ in .none }, samples: { [$0] })
    editor.open(Self.file("{\"/\":\"*\"}"))
    let answer = editor.request("textDocument/codeLens", .object([Editor.document()]))
    let title = answer?["result"]?.array?.first?["command"]?["title"]?.string
    #expect(title?.hasPrefix("matches 1 of 1 sample URLs: https://example.com/") == true)
  }
}
