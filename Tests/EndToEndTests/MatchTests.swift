import Foundation
import LinkspanCore
import TestSupport
import Testing

@Suite struct MatchTests {
  static let file = """
    {"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.com.example.app","appIDs":["ABCDE12345.com.example.app"],
    "paths":["/old"],"components":[{"/":"/private","exclude":true},{"/":"/a/*"}]}]}}
    """

  static let answers: [(words: [String], status: Int32, output: String)] = [
    (
      ["https://example.com/a/1"], 0,
      "match     https://example.com/a/1  ABCDE12345.com.example.app\n  entry 0, rule 1 covers it: {\"/\":\"/a/*\"}\n"
        + "  by release:\n    iOS 9.0–12.5        no match: closest is entry 0, rule 0: the path is '/a/1', which '/old' "
        + "does not cover\n    iOS 13.0 and later  match: entry 0, rule 1 covers it: {\"/\":\"/a/*\"}; "
        + "iOS 13.0 began to read \"components\" and \"appIDs\"\n"
    ),
    (
      ["https://example.com/private"], 1,
      "excluded  https://example.com/private  ABCDE12345.com.example.app\n"
        + "  entry 0, rule 0 excludes it: {\"/\":\"/private\",\"exclude\":true}\n"
        + "  by release:\n    iOS 9.0–12.5        no match: closest is entry 0, rule 0: the path is '/private', which "
        + "'/old' does not cover\n    iOS 13.0 and later  excluded: entry 0, rule 0 excludes it: "
        + "{\"/\":\"/private\",\"exclude\":true}; iOS 13.0 began to read \"components\" and \"appIDs\"\n"
    ),
    (
      ["https://example.com/A/1"], 1,
      "no match  https://example.com/A/1  ABCDE12345.com.example.app\n  closest is entry 0, rule 1: the path is '/A/1', "
        + "which '/a/*' does not cover; it differs in upper and lower case only; "
        + "\"caseSensitive\": false would accept it\n"
    ),
    (
      ["https://example.com/old", "--os", "ios:12.4"], 0,
      "match     https://example.com/old  ABCDE12345.com.example.app  iOS 12.4\n"
        + "  entry 0, rule 0 covers it: {\"/\":\"/old\"}\n"
    ),
    // `paths` has no "caseSensitive", and the release knows none (6.4).
    (
      ["https://example.com/OLD", "--os", "ios:12.4"], 1,
      "no match  https://example.com/OLD  ABCDE12345.com.example.app  iOS 12.4\n"
        + "  closest is entry 0, rule 0: the path is '/OLD', which '/old' does not cover\n"
    ),
    (
      ["https://example.com/a/1", "--host", "www.example.com"], 1,
      "no match  https://example.com/a/1  ABCDE12345.com.example.app\n"
        + "  its host 'example.com' is not 'www.example.com', the host of the file  [observed]\n"
    ),
    (
      ["https://example.com/a/1", "--app", "ZZZZZ12345.com.example.app"], 1,
      "no match  https://example.com/a/1  ZZZZZ12345.com.example.app\n  the file does not name "
        + "ZZZZZ12345.com.example.app; it names ABCDE12345.com.example.app, which has another prefix\n"
    ),
  ]

  @Test(arguments: answers)
  func answersWithItsReason(words: [String], status: Int32, output: String) throws {
    let tool = try Tool()
    try tool.write(Self.file, to: "file")
    let outcome = try tool.run(["match"] + words + ["--file", "file"])
    #expect(outcome.status == status)
    #expect(outcome.output == output)
  }

  @Test(arguments: [
    (["https://example.com/a/1"], "'--file' is missing."),
    (["file", "https://example.com/a/1"], "'--file' is missing; did you mean '--file file'?"),
    (["https://example.com/a/1", "none"], "'--file' is missing."),
  ])
  func aFileAmongTheURLsIsNamedWhereTheFlagIsMissing(words: [String], error: String) throws {
    let tool = try Tool()
    try tool.write(Self.file, to: "file")
    let outcome = try tool.run(["match"] + words)
    #expect(outcome.status == 2)
    #expect(outcome.errors.hasPrefix("linkspan match: error: \(error)\n"), "\(outcome.errors)")
  }

  /// E1: no entry names such a host; `match` said match, and `explain` browser.
  @Test(arguments: [
    "https://192.168.0.1/a/1", "https://[::1]/a/1", "https://example.com./a/1", "https://0x7f.1/a/1",
  ])
  func matchAndExplainAgreeOnHostsThatNoEntryNames(url: String) throws {
    let tool = try Tool()
    try tool.write(Self.file, to: "file")
    let match = try tool.run("match", url, "--file", "file")
    #expect(match.status == 1 && match.output.hasPrefix("no match  "), "\(match.output)")
    #expect(match.output.contains("[inferred]") && !match.output.contains("by release"), "\(match.output)")
    let explained = try tool.run(
      "explain", url, "--site", "file", "--app", "ABCDE12345.com.example.app", "--json")
    #expect(explained.output.contains(#""certainty":"inferred""#), "\(explained.output)")
    #expect(explained.output.contains("can't be read"), "\(explained.output)")
    let named = try tool.run("match", url, "--file", "file", "--host", "example.com")
    #expect(named.status == 1 && named.output == match.output)
  }

  /// R4: as for `check` and `explain`, which refuse the file.
  @Test(arguments: [
    ["match", "https://example.com/a/1", "--file", "file"], ["diff", "file", "file"],
    ["coverage", "--file", "file", "--urls", "urls"],
    ["swcutil", "verify", "-d", "example.com", "-j", "file", "-u", "https://example.com/a/1"],
  ])
  func aFileThatDevicesDropForItsSizeIsSaidToBeOne(words: [String]) throws {
    let tool = try Tool()
    try tool.write("https://example.com/a/1\n", to: "urls")
    try tool.write(Self.file, to: "file")
    let usual = try tool.run(words)
    #expect(usual.errors.isEmpty)
    try tool.write(Self.file + String(repeating: " ", count: 131_072), to: "file")
    let large = try tool.run(words)
    #expect(large.status == usual.status && large.output == usual.output)
    let count = Self.file.utf8.count + 131_072
    let warning = "warning: 'file' has \(count) bytes. Devices drop a file of more than 131072 (R4);"
    #expect(large.errors.hasPrefix(warning), "\(large.errors)")
  }

  /// A batch has no name for a file, but its line has a number; of a file that comes again it is said once.
  @Test func aBatchSaysSoOfItsFiles() throws {
    let object = String(Self.file.replacing("\n", with: "").dropLast())
    let large = object + String(repeating: " ", count: 131_072) + "}"
    let text = large.replacing("\"", with: "\\\"")
    let question = #""app":"ABCDE12345.com.example.app","url":"https://example.com/a/1"}"#
    for file in [large, "\"\(text)\""] {
      let again = Array(repeating: "{\"file\":\(file),\(question)", count: 2)
      let lines = ["{\"file\":\(object)},\(question)"] + again
      let outcome = try Tool().run("match", "--batch", "-", input: lines.joined(separator: "\n"))
      #expect(outcome.status == 0 && Set(outcome.lines).count == 1, "\(outcome.output)")
      #expect(
        outcome.errors
          == "warning: the file of line 2 has \(large.utf8.count) bytes. Devices drop a file of more than 131072 (R4); "
          + "the answer is as if they took it.\n")
    }
  }

  /// A line's host and app are read as '--host' and '--app' are: what names none has no answer.
  @Test(arguments: [
    (#""host":"""#, #"\"host\": expected a host such as 'www.example.com', got ''"#),
    (
      #""host":"https://example.com""#,
      #"\"host\": expected a host such as 'www.example.com', got 'https://example.com'; write 'example.com'"#
    ),
    (
      #""host":"*.example.com:443""#,
      #"\"host\": expected a host such as 'www.example.com', got '*.example.com:443'; write '*.example.com'"#
    ),
    (
      #""host":"192.0.2.1""#,
      #"\"host\": '192.0.2.1' is an IP address, and an associated domain is a name"#
    ),
    (#""app":"""#, #"\"app\" is empty; leave it out to ask for every app"#),
  ])
  func aBatchRefusesWhatNamesNothing(member: String, message: String) throws {
    let file = String(Self.file.replacing("\n", with: ""))
    let outcome = try Tool().run(
      "match", "--batch", "-", input: #"{"id":1,"file":\#(file),\#(member),"url":"https://example.com/a/1"}"#)
    #expect(outcome.lines == [#"{"type":"error","id":1,"line":1,"message":"\#(message)"}"#])
    #expect(outcome.status == 2)
  }

  @Test func aBatchTakesAWildcardAndAHostInAnyLetters() throws {
    let file = String(Self.file.replacing("\n", with: ""))
    for (host, url) in [
      ("*.Example.com", "https://www.example.com/a/1"), ("bücher.example", "https://BÜCHER.example/a/1"),
    ] {
      let outcome = try Tool().run(
        "match", "--batch", "-", input: #"{"file":\#(file),"host":"\#(host)","url":"\#(url)"}"#)
      #expect(outcome.status == 0 && outcome.output.contains(#""decision":"match""#), "\(outcome.output)")
    }
  }

  @Test func releasesThatDisagreeAreAnArray() throws {
    let tool = try Tool()
    try tool.write(Self.file, to: "file")
    let differs = try tool.run("match", "https://example.com/old", "--file", "file", "--json")
    let releases = [
      #""by_release":[{"from":"ios:9.0","to":"ios:12.5","decision":"match","#,
      #""reason":"entry 0, rule 0 covers it: {\"/\":\"/old\"}"},{"from":"ios:13.0","to":null,"#,
      #""decision":"noMatch","reason":"closest is entry 0, rule 1: the path is '/old', which '/a/*' does "#,
      #"not cover; iOS 13.0 began to read \"components\" and \"appIDs\""}]}"#, "\n",
    ]
    #expect(differs.output.hasSuffix(releases.joined()))
    let agrees = try tool.run("match", "https://example.com/other", "--file", "file", "--json")
    #expect(!agrees.output.contains("by_release"))
    let asked = try tool.run("match", "https://example.com/old", "--file", "file", "--json", "--os", "13")
    #expect(!asked.output.contains("by_release"))
  }

  /// It identifies no app, as `explain` and `check` say too; the file knows what was meant.
  @Test func aBundleIdentifierIsRefusedWithTheWholeOne() throws {
    let tool = try Tool()
    try tool.write(Self.file, to: "file")
    let outcome = try tool.run(
      "match", "https://example.com/a/1", "--file", "file", "--app", "com.example.app", "--os", "17")
    #expect(outcome.status == 2 && outcome.output.isEmpty)
    #expect(
      outcome.errors.hasPrefix(
        "linkspan match: error: there is no file 'com.example.app', and it is not an application identifier.\n"
      ),
      "\(outcome.errors)")
    #expect(outcome.errors.hasSuffix(" The file names ABCDE12345.com.example.app.\n"), "\(outcome.errors)")
    for words in [["explain", "https://example.com/a/1", "--site"], ["check"], ["doctor"]] {
      let other = try tool.run(words + ["file", "--app", "com.example.app"])
      #expect(other.status == 2)
      #expect(other.errors.hasSuffix(" The file names ABCDE12345.com.example.app.\n"), "\(other.errors)")
    }
  }

  /// Every command refuses it in the same words, and those that ask hosts before they ask one.
  @Test(arguments: [
    "com.example.other", "ABCDE12345", "ABCDE12345.", "abcde12345.com.example.app", "ABCDE12345.com_example",
    "*",
    "",
  ])
  func anIdentifierOfNoAppIsRefusedBeforeTheNetworkIsAsked(app: String) throws {
    let tool = try Tool()
    try tool.write(Self.file, to: "file")
    let server = try LocalServer(nil) { _ in .text(404, "Not Found") }
    func refusal(_ words: [String]) throws -> Substring {
      let run = try tool.run(words + ["--app", app])
      #expect(run.status == 2 && run.output.isEmpty, "\(words): \(run.output)\(run.errors)")
      return run.errors.drop { $0 != ":" }
    }
    let link = "https://example.com/a/1"
    let live = [
      "--allow-private", "--resolve", "example.com:443:127.0.0.1:\(server.port)", "--cdn",
      "http://127.0.0.1:\(server.port)",
    ]
    let expected = try refusal(["match", link, "--file", "file"])
    #expect(expected.contains("and it is not an application identifier."))
    for words in [
      ["check", "example.com", "--fetch", "both"] + live, ["explain", link, "--live"] + live,
      ["doctor", link] + live, ["doctor", "example.com"] + live, ["check", "file"],
      ["explain", link, "--site", "file"], ["doctor", "file"],
    ] { #expect(try refusal(words) == expected, "\(words)") }
    #expect(server.requests.isEmpty)
  }

  /// A mistyped path or identifier is told, as `explain` tells it; what the file says itself is answered.
  @Test(arguments: ["App.ipa", "*", "ABCDE12345.", "ABCDE12345.*", "", " ", "com.example.ap"])
  func whatIdentifiesNoAppIsRefused(text: String) throws {
    let tool = try Tool()
    try tool.write(Self.file, to: "file")
    let refused = try tool.run("match", "https://example.com/a/1", "--file", "file", "--app", text)
    let explained = try tool.run("explain", "https://example.com/a/1", "--site", "file", "--app", text)
    #expect(refused.status == 2 && refused.output.isEmpty)
    #expect(refused.errors.dropFirst(14) == explained.errors.dropFirst(16), "\(refused.errors)")
    try tool.write(Self.file.replacing("ABCDE12345.com.example.app", with: text), to: "odd")
    #expect(try tool.run("match", "https://example.com/a/1", "--file", "odd", "--app", text).status != 2)
  }

  @Test(arguments: ["ios:99", "20", "macos:16", "visionos:3"])
  func aReleaseThatThereIsNotIsRefused(os: String) throws {
    let tool = try Tool()
    try tool.write(Self.file, to: "file")
    let outcome = try tool.run("match", "https://example.com/a", "--file", "file", "--os", os)
    #expect(outcome.status == 2)
    #expect(outcome.errors.hasPrefix("linkspan match: error: '\(os)' is not an OS version: "))
    #expect(outcome.errors.contains(os == "ios:99" ? "the newest known release is iOS 27" : " 26 followed "))
  }

  /// As if each URL were asked about alone, but for the table of releases.
  @Test func aListIsAnsweredLineByLine() throws {
    let tool = try Tool()
    try tool.write(Self.file, to: "file")
    let list = "https://example.com/a/1\r\n\n  https://example.com/private \nhttps://example.com/A/1"
    let outcome = try tool.run("match", "--urls", "-", "--file", "file", input: list)
    let app = "ABCDE12345.com.example.app"
    #expect(outcome.status == 1)
    #expect(
      outcome.output == """
        match     https://example.com/a/1  \(app)
          entry 0, rule 1 covers it: {"/":"/a/*"}
        excluded  https://example.com/private  \(app)
          entry 0, rule 0 excludes it: {"/":"/private","exclude":true}
        no match  https://example.com/A/1  \(app)
          closest is entry 0, rule 1: the path is '/A/1', which '/a/*' does not cover; it differs in upper and \
        lower case only; "caseSensitive": false would accept it

        """)
    try tool.write("https://example.com/a/1\n", to: "list")
    let good = try tool.run("match", "--urls", "list", "--file", "file", "--json")
    #expect(good.status == 0 && good.lines.count == 1)
  }

  @Test func aCommentInAListIsNoURL() throws {
    let tool = try Tool()
    try tool.write(Self.file, to: "file")
    let list = "# of the shop\nhttps://example.com/a/1\n  #https://example.com/private\n"
    let outcome = try tool.run("match", "--urls", "-", "--file", "file", "--json", input: list)
    #expect(outcome.status == 0 && outcome.lines.count == 1)
    #expect(try tool.run("match", "--urls", "-", "--file", "file", input: "# none\n").status == 2)
  }

  /// The file about the app is given as `--app`; named as the association file it is told for what it is.
  @Test(arguments: [
    (
      "App.entitlements",
      "<plist><dict><key>com.apple.developer.associated-domains</key><array/></dict></plist>",
      "an entitlements file"
    ),
    (
      "Info.plist", "<plist><dict><key>CFBundleIdentifier</key><string>a.b</string></dict></plist>",
      "an Info.plist"
    ),
    ("app.json", #"{"expo":{"ios":{"associatedDomains":["applinks:e.test"]}}}"#, "an Expo configuration"),
  ])
  func anAppsFileIsNoAssociationFile(name: String, text: String, kind: String) throws {
    let tool = try Tool()
    try tool.write(text, to: name)
    let outcome = try tool.run("match", "https://example.com/", "--file", name)
    #expect(outcome.status == 2)
    #expect(
      outcome.errors == """
        linkspan match: error: '\(name)' is \(kind); expected an association file.
          Give it with '--app', and name the association file with '--file'.

        """)
  }

  @Test func aStatementListIsNoAssociationFile() throws {
    let tool = try Tool()
    try tool.write(
      #"[{"relation":["delegate_permission/common.handle_all_urls"],"target":{}}]"#, to: "a.json")
    let outcome = try tool.run("match", "https://example.com/", "--file", "a.json")
    #expect(
      outcome.errors.contains("'a.json' is a statement list for Android; expected an association file."))
  }

  /// Whatever reads it second would get nothing.
  @Test(arguments: [
    ["match", "--file", "-", "--urls", "-"], ["coverage", "--file", "-", "--urls", "-"], ["diff", "-", "-"],
    ["check", "-", "-"], ["check", "-", "--app", "-"], ["push", "lint", "-", "-"],
    ["explain", "https://example.com/", "--site", "-", "--app", "-"],
  ])
  func standardInputIsNamedOnce(words: [String]) throws {
    let outcome = try Tool().run(words, input: Self.file)
    #expect(outcome.status == 2 && outcome.output.isEmpty)
    #expect(
      outcome.errors.contains("standard input, '-', is named more than once, and can be read once only."),
      "\(outcome.errors)")
  }

  @Test(arguments: [["inspect", "-"], ["clip", "size", "-"], ["check", "file", "--app", "-"]])
  func anAppIsNotReadFromStandardInput(words: [String]) throws {
    let tool = try Tool()
    try tool.write(Self.file, to: "file")
    let outcome = try tool.run(words, input: Self.file)
    #expect(outcome.status == 2)
    #expect(
      outcome.errors.hasSuffix("error: an app is not read from standard input.\n  Name a file.\n"),
      "\(outcome.errors)")
  }

  @Test func theNextCommandReadsStandardInputToo() throws {
    let outcome = try Tool().run("match", "https://example.com/", "--file", "-", input: "// {}")
    #expect(outcome.status == 2 && outcome.errors.contains("'linkspan check -' lists every mistake."))
  }

  @Test func aListWithoutAURLIsNoAnswer() throws {
    let tool = try Tool()
    try tool.write(Self.file, to: "file")
    let outcome = try tool.run("match", "--urls", "-", "--file", "file", input: "\n \n")
    #expect(outcome.status == 2)
    #expect(
      outcome.errors == "linkspan match: error: there is no URL in standard input.\n  Write one URL a line.\n"
    )
    #expect(try tool.run("match", "https://example.com/", "--urls", "-", "--file", "file").status == 2)
  }

  @Test func aFileADeviceDropsCannotAnswer() throws {
    let tool = try Tool()
    try tool.write("{\"applinks\":{},}", to: "file")
    let outcome = try tool.run("match", "https://example.com/", "--file", "file")
    #expect(outcome.status == 2)
    #expect(
      outcome.errors == """
        linkspan match: error: a device would reject 'file': There is a ',' after the last value.
          'linkspan check file' lists every mistake.

        """)
  }

  @Test func aBatchAnswersInOrderAndGoesOnPastBadLines() throws {
    let object = Self.file.replacing("\n", with: "")
    let text = object.replacing("\"", with: "\\\"")
    let lines = [
      #"{"id":"one","file":\#(object),"app":"ABCDE12345.com.example.app","url":"https://example.com/a/1"}"#,
      #"{"id":2,"file":"\#(text)","app":"ABCDE12345.com.example.app","url":"https://example.com/private"}"#,
      "not json", "",
      #"{"id":[4],"file":\#(object),"app":"ABCDE12345.com.example.app","url":"https://example.com/old","os":"ios:12"}"#,
      #"{"id":5,"file":\#(object),"url":"https://example.com/a"}"#,
      #"{"id":6,"file":"{[]}","url":"https://example.com/a"}"#, #"{"id":7,"file":\#(object)}"#,
      #"{"id":8,"file":\#(object),"url":"https://example.com/a","os":"beos:5"}"#,
      #"{"id":9,"file":5,"url":"https://example.com/a"}"#, "[1]",
      #"{"id":11,"file":{},"url":"https://example.com/a","app":"x"}"#,
    ]
    // With a byte order mark, as PowerShell writes it.
    let outcome = try Tool().run(
      "match", "--batch", "-", input: "\u{FEFF}" + lines.joined(separator: "\n"))
    #expect(outcome.status == 2)
    let app =
      #"{"app":"ABCDE12345.com.example.app","decision":"match","entry":0,"rule":1,"reason":"entry 0, rule 1 covers it: {\"/\":\"/a/*\"}","certainty":"observed"}"#
    #expect(
      outcome.lines == [
        #"{"type":"match","id":"one","decision":"match","entry":0,"rule":1,"reason":"entry 0, rule 1 covers it: {\"/\":\"/a/*\"}","certainty":"documented"}"#,
        #"{"type":"match","id":2,"decision":"excluded","entry":0,"rule":0,"reason":"entry 0, rule 0 excludes it: {\"/\":\"/private\",\"exclude\":true}","certainty":"documented"}"#,
        #"{"type":"error","id":null,"line":3,"message":"the line is not JSON at byte 0: the text contains no '{'"}"#,
        #"{"type":"match","id":[4],"decision":"match","entry":0,"rule":0,"reason":"entry 0, rule 0 covers it: {\"/\":\"/old\"}","certainty":"documented"}"#,
        #"{"type":"match","id":5,\#(app.dropFirst().dropLast()),"apps":[\#(app)]}"#,
        #"{"type":"error","id":6,"line":7,"message":"the file is not JSON at byte 1: '[' is not a name in quotation marks"}"#,
        #"{"type":"error","id":7,"line":8,"message":"\"url\" is missing"}"#,
        #"{"type":"error","id":8,"line":9,"message":"\"os\": 'beos:5' is not an OS version: the platform must be one of ios, macos, tvos, watchos, visionos. Write platform:version, such as ios:17.4 or macos:14."}"#,
        #"{"type":"error","id":9,"line":10,"message":"\"file\" is a number; expected an object or a string"}"#,
        #"{"type":"error","id":null,"line":11,"message":"the line is not a JSON object"}"#,
        #"{"type":"match","id":11,"decision":"noMatch","entry":null,"rule":null,"reason":"the file has no \"applinks\" object","certainty":"documented"}"#,
      ])
  }

  /// What was written and what a device holds of it are one URL, in every form of the question.
  @Test func rawAndEncodedURLsAreOne() throws {
    let tool = try Tool()
    try tool.write(
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.a"],"components":[{"/":"/caf%C3%A9"},{"/":"/é"}]}]}}"#,
      to: "file")
    let written = "https://bücher.example/café"
    let held = "https://xn--bcher-kva.example/caf%C3%A9"
    let answer =
      #""decision":"match","entry":0,"rule":0,"reason":"entry 0, rule 0 covers it: {\"/\":\"/caf%C3%A9\"}","certainty":"observed""#
    let normalised =
      #""normalised":{"from":"\#(written)","to":"\#(held)","steps":[{"step":"host","what":"host in Punycode","certainty":"documented"},"#
      + #"{"step":"encoding","what":"characters that URLs cannot contain percent-encoded","certainty":"documented"}]}"#
    let raw = try tool.run(
      "match", written, "--file", "file", "--json", "--os", "17", "--host", "BÜCHER.example")
    #expect(
      raw.lines == [
        #"{"type":"match","url":"\#(written)","app":"ABCDE12345.a","os":"ios:17.0",\#(answer),\#(normalised)}"#
      ])
    let encoded = try tool.run("match", held, "--file", "file", "--json", "--os", "17")
    #expect(
      encoded.lines == [#"{"type":"match","url":"\#(held)","app":"ABCDE12345.a","os":"ios:17.0",\#(answer)}"#]
    )
    // A pattern is never encoded.
    let pattern = try tool.run("match", "https://bücher.example/é", "--file", "file", "--os", "17")
    #expect(pattern.status == 1)
    let swcutil = try tool.run("swcutil", "verify", "-j", "file", "-u", written)
    #expect(swcutil.output.hasSuffix("Pattern \"\(held)\" matched.\n"))
    try tool.write(written + "\nhttps://xn--bcher-kva.example/caf\u{E9}\n" + held + "\n", to: "list")
    let coverage = try tool.run("coverage", "--file", "file", "--urls", "list", "--json")
    #expect(try coverage.json()["apps"] as? [String: Int] == ["ABCDE12345.a": 3])
  }

  @Test func textInCodeIsNoURLBeforeIOS17() throws {
    let tool = try Tool()
    try tool.write(Self.file, to: "file")
    let question = ["match", "https://example.com/a/é", "--file", "file", "--written-in", "code", "--os"]
    let old = try tool.run(question + ["16.4"])
    #expect(old.status == 1)
    #expect(old.output.hasSuffix("\n  NSURL makes no URL of it before iOS 17: it contains 'é'\n"))
    #expect(try tool.run(question + ["17"]).status == 0)
    #expect(try tool.run(question + ["16.4", "--written-in", "stone"]).status == 2)
  }

  /// Of a file that names no app the answer is a "no" with its reason, in every form.
  @Test(arguments: [
    (#"{"applinks":{"details":[]}}"#, "the file names no app", "documented"),
    ("{}", "the file has no \"applinks\" object", "documented"),
    (#"{"applinks":[]}"#, "the file has no \"applinks\" object", "inferred"),
  ])
  func aFileWithoutAppsIsAnsweredToo(file: String, reason: String, certainty: String) throws {
    let tool = try Tool()
    try tool.write(file, to: "file")
    let question = ["match", "https://example.com/a", "--file", "file"]
    let no =
      #""decision":"noMatch","entry":null,"rule":null,"reason":\#(JSON.string(reason).text),"certainty":"\#(certainty)""#
    let mark = certainty == "documented" ? "" : "  [\(certainty)]"
    #expect(try tool.run(question).output == "no match  https://example.com/a\n  \(reason)\(mark)\n")
    #expect(
      try tool.run(question + ["--json"]).lines == [
        #"{"type":"match","url":"https://example.com/a","app":null,"os":null,\#(no)}"#
      ])
    #expect(
      try tool.run("match", "--batch", "-", input: #"{"id":1,"file":\#(file),"url":"https://example.com/a"}"#)
        .lines
        == [#"{"type":"match","id":1,"app":null,\#(no),"apps":[]}"#])
  }

  /// J6, question 3: an empty `appIDs` hides `appID`, and sources disagree where that decides.
  @Test(arguments: [("/x", "  [disputed, question 3]"), ("/y", "  [observed]")])
  func anEmptyListHidesTheApp(path: String, mark: String) throws {
    let tool = try Tool()
    try tool.write(DoctorFolderTests.hidden, to: "file")
    let outcome = try tool.run("match", "https://example.com\(path)", "--file", "file")
    let reason = "the file names no app: \"appIDs\" of an entry is empty, so its \"appID\" is ignored"
    #expect(outcome.output == "no match  https://example.com\(path)\n  \(reason)\(mark)\n")
  }

  @Test(arguments: ["--file", "--host", "--app", "--os"])
  func aBatchTakesNoFlagThatItsLinesSay(flag: String) throws {
    let outcome = try Tool().run("match", "--batch", "-", flag, "x", input: "")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("'\(flag)' does not go with '--batch', where each line says its own."))
  }

  /// Whoever writes the questions may wait for each answer before the next one, and may have made the pipe non-blocking, as
  /// Node does.
  @Test(.timeLimit(.minutes(15)), arguments: [false, true]) func aBatchAnswersBeforeItWaits(
    isNonBlocking: Bool
  ) throws {
    let tool = try Tool()
    defer { withExtendedLifetime(tool) {} }
    let process = tool.process(["match", "--batch", "-"])
    let (input, output) = (Pipe(), Pipe())
    if isNonBlocking {
      let descriptor = input.fileHandleForReading.fileDescriptor
      #expect(fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) == 0)
    }
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    defer { if process.isRunning { process.terminate() } }
    for number in 1...3 {
      let line = #"{"id":\#(number),"file":{},"url":"https://example.com/a","app":"x"}"# + "\n"
      try input.fileHandleForWriting.send(line)
      var entry = pollfd(fd: output.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
      try #require(poll(&entry, 1, 10_000) == 1, "no answer to line \(number)")
      let answer = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
      #expect(answer.hasPrefix(#"{"type":"match","id":\#(number),"#))
    }
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }

  /// What stands in front of a host is in no answer and in no error, however the slashes are written.
  @Test(arguments: [
    "https://ann:geheim@example.com/a/1", "https:/ann:geheim@example.com/a/1",
    "https:ann:geheim@example.com/a/1",
    "https:///ann:geheim@example.com/a/1", #"https:\\ann:geheim@example.com/a/1"#,
    "//ann:geheim@example.com/a/1",
    "https://ann:geheim%40example.com/a/1", "https://ann:ge/geheim@example.com/",
    "https://example.com/a/1?next=https://ann:geheim@host/", "ann:geheim@example.com/a/1",
    "https://example.com/a/1?next=https%3A%2F%2Fann%3Ageheim%40host%2F",
  ])
  func aPasswordIsNotPrinted(_ url: String) throws {
    let tool = try Tool()
    try tool.write(Self.file, to: "file.json")
    try tool.write(url + "\n", to: "urls.txt")
    for command in [
      ["match", url, "--file", "file.json"], ["match", "--urls", "urls.txt", "--file", "file.json"],
      ["match", "https://example.com/a/1", "--file", "file.json", "--app", url],
      ["match", "https://example.com/a/1", "--file", "file.json", "--host", url],
      ["explain", url, "--site", "file.json"],
      ["swcutil", "match", "-u", url, "-j", #"{"/":"/x"}"#],
      ["swcutil", "verify", "-d", "example.com", "-j", "file.json", "-u", url],
    ] {
      for form in [[], ["--json"]] {
        let outcome = try tool.run(command + form)
        #expect(!(outcome.output + outcome.errors).contains("geheim"), "\(command): \(outcome)")
      }
    }
    // Without a scheme a line of a list is a path.
    if !url.hasPrefix("/") {
      let outcome = try tool.run("coverage", "--urls", "urls.txt", "--file", "file.json")
      #expect(!outcome.output.contains("geheim"), "\(outcome)")
    }
    for command in [["inspect"], ["push", "lint"], ["simulate"], ["clip", "code"]] {
      let outcome = try tool.run(command + [url])
      #expect(!(outcome.output + outcome.errors).contains("geheim"), "\(command): \(outcome)")
    }
  }

  /// Every command that takes an association file says what another file is.
  @Test(arguments: [
    ("statements.json", "a statement list for Android"), ("App.entitlements", "an entitlements file"),
    ("App.zip", "a zip archive, as an .ipa is"),
  ])
  func anotherKindOfFileIsNamed(_ name: String, _ kind: String) throws {
    let tool = try Tool()
    try tool.write(Self.file, to: "file.json")
    try tool.write("https://example.com/a\n", to: "urls.txt")
    try tool.write(
      #"[{"relation":["delegate_permission/common.handle_all_urls"],"target":{"namespace":"web","site":"https://a.example"}}]"#,
      to: "statements.json")
    try tool.write(DoctorTests.entitlements("applinks:example.com"), to: "App.entitlements")
    try tool.write("PK\u{3}\u{4}\n", to: "App.zip")
    for command in [
      ["match", "https://example.com/a", "--file", name], ["diff", name, "file.json"],
      ["diff", "file.json", name],
      ["coverage", "--urls", "urls.txt", "--file", name],
      ["swcutil", "verify", "-d", "example.com", "-j", name],
    ] {
      let outcome = try tool.run(command)
      #expect(outcome.status == 2 || command[0] == "swcutil", "\(command)")
      #expect(
        outcome.errors.contains("'\(name)' is \(kind); expected an association file."),
        "\(command): \(outcome)")
    }
  }

  /// A download that broke off is no list of thirty mistakes in JSON.
  @Test(arguments: ["", "junk"]) func anAppThatIsNoArchiveIsToldSo(_ content: String) throws {
    let tool = try Tool()
    try tool.write(content, to: "App.ipa")
    for command in [["check"], ["inspect"], ["clip", "size"]] {
      let outcome = try tool.run(command + ["App.ipa"])
      #expect(outcome.status == 2, "\(outcome)")
      #expect(outcome.errors.contains("This is not a zip archive, as an .ipa is one."), "\(outcome)")
    }
  }
}
