import Foundation
import LinkspanCore
import LinkspanEditor
import LinkspanStories
import SiteInput
import TestSupport
import Testing

/// The schemas accept what the readers accept, and refuse the keys that these refuse.
@Suite struct EditorSchemaTests {
  /// Read once: a test asks one of them thousands of times.
  private static let roots = Dictionary(
    uniqueKeysWithValues: EditorSchema.allCases.map { ($0, JSONParser.parse($0.json.bytes).root) })

  private static func root(_ schema: EditorSchema) throws -> JSONNode { try #require(roots[schema] ?? nil) }

  private static func problems(_ schema: EditorSchema, _ bytes: [UInt8]) throws -> [String] {
    let dialect: JSONParser.Dialect = schema == .association || schema == .assetlinks ? .json : .json5
    let root = try #require(JSONParser.parse(bytes, dialect: dialect).root)
    let text = try Self.root(schema)
    return SchemaReading(text).problems(root, text, "")
  }

  private static func problems(_ schema: EditorSchema, _ text: String) throws -> [String] {
    try problems(schema, Array(text.utf8))
  }

  @Test(arguments: EditorSchema.allCases)
  func namesItsDialect(schema: EditorSchema) throws {
    let root = try Self.root(schema)
    #expect(root["$schema"]?.string == "http://json-schema.org/draft-07/schema#")
    #expect(DuplicateKeys.problem(in: root) == nil)
  }

  @Test(arguments: [
    #"{"applinks":{"details":[{"appIDs":["ABCDE12345.a"],"components":[{"/":"/a","exclude":true,"comment":"x","?":{"a":"b"}}]}]}}"#,
    #"{"applinks":{"apps":[],"details":{"ABCDE12345.a":{"paths":["*"]}}},"webcredentials":{"apps":[]}}"#,
    #"{"applinks":{"defaults":{"caseSensitive":false},"substitutionVariables":{"a":["b"]},"_comment":"x"},"myOwn":1}"#,
  ])
  func acceptsAnAssociationFile(text: String) throws {
    #expect(try Self.problems(.association, text) == [])
  }

  /// The keys are refused where `check` reports them as an error or a warning.
  @Test(arguments: [
    #"{"applinks":{"details":[{"appIDs":["ABCDE12345.a"],"components":[{"/":"/a","exlude":true}]}]}}"#,
    #"{"applinks":{"details":[{"appIDs":["ABCDE12345.a"],"components":[{"path":"/a"}]}]}}"#,
    #"{"applinks":{"details":[{"appIds":["ABCDE12345.a"],"components":[{"/":"/a"}]}]}}"#,
    #"{"applinks":{"detail":[]}}"#, #"{"appLinks":{"details":[]}}"#, #"{"webcredential":{"apps":[]}}"#,
    #"{"applinks":{"details":[{"appIDs":["ABCDE12345.a"],"components":[{"/":"/a","surprise":true}]}]}}"#,
    #"{"webcredentials":["ABCDE12345.a"]}"#, "{}", #"{"myOwn":1}"#,
    #"{"applinks":{"details":[{"appIDs":"ABCDE12345.a","components":[{"/":"/a"}]}]}}"#,
    #"{"applinks":{"details":[{"appIDs":["ABCDE12345.a"],"components":[{"/":"/a","exclude":"true"}]}]}}"#,
  ])
  func refusesWhatCheckRefuses(text: String) throws {
    #expect(try !Self.problems(.association, text).isEmpty)
    let found = TextCheck.findings(in: SourceText(name: "apple-app-site-association", text))
    #expect(found.contains { $0.severity != .note })
  }

  private static func rule(_ key: String) -> String {
    #"{"applinks":{"details":[{"appIDs":["ABCDE12345.a"],"components":[{"/":"/a","\#(key)":"x"}]}]}}"#
  }

  private static func entry(_ key: String) -> String {
    #"{"applinks":{"details":[{"appIDs":["ABCDE12345.a"],"paths":["/a"],"\#(key)":"x"}]}}"#
  }

  private static func links(_ key: String) -> String { #"{"applinks":{"details":[],"\#(key)":"x"}}"# }

  private static func checkNotes(_ text: String) -> Bool {
    TextCheck.findings(in: SourceText(name: "apple-app-site-association", text)).allSatisfy {
      $0.rule != "aasa.unknown-key" || $0.severity == .note
    }
  }

  /// A remark is a note, unless a key is meant; and so is a misspelt remark.
  @Test(arguments: [
    (links("_apps"), false), (links("_app"), true), (links("__apps"), false), (links("$detals"), false),
    (links("_x"), true), (rule("commet"), true), (rule("Comment"), true), (rule("comments"), true),
    (rule("my note"), true), (rule("_exclude"), false), (rule("_exlude"), false), (rule("$$exclude"), false),
    (rule("pathname"), false), (rule("_path"), false), (rule("_note"), true), (rule("Name"), true),
    (entry("commet"), false), (entry("comment"), true), (entry("_appID"), false), (entry("_appid"), false),
    (entry("_bundle-id"), false), (entry("_paths"), false), (entry("_description"), true),
  ])
  func judgesARemarkAsCheckDoes(text: String, isRemark: Bool) throws {
    #expect(try Self.problems(.association, text).isEmpty == isRemark)
    #expect(Self.checkNotes(text) == isRemark)
  }

  /// Keys with a mark and a slip or two: what the schema refuses of them `check` reports, and of one slip all of that.
  @Test func refusesTheKeysThatCheckRefuses() throws {
    var generator = SeededGenerator(seed: 5)
    let characters = Array("_$-aeEmtx")
    let seeds = ["apps", "details", "appIDs", "paths", "exclude", "comment", "caseSensitive", "note", "path"]
    let known = [
      "apps", "details", "defaults", "appID", "appIDs", "paths", "exclude", "comment", "caseSensitive",
    ]
    var counts = [true: 0, false: 0]
    for index in 0..<1_500 {
      var key = Array(seeds[index % seeds.count])
      if index % 2 == 0 { key.insert("_", at: 0) }
      let place = Int(generator.draw(0...Int64(key.count - 1)))
      let character = characters[Int(generator.draw(0...Int64(characters.count - 1)))]
      switch index % 4 {
      case 0, 1: key[place] = character
      case 2: key.insert(character, at: place)
      default: key.remove(at: place)
      }
      // A known key would have a value that it does not take.
      guard !known.contains(String(key)) else { continue }
      for text in [Self.links(String(key)), Self.rule(String(key)), Self.entry(String(key))] {
        let isTaken = try Self.problems(.association, text).isEmpty
        counts[isTaken, default: 0] += 1
        #expect(isTaken == Self.checkNotes(text), "\(String(key)) in \(text)")
      }
    }
    #expect(counts[true]! > 300 && counts[false]! > 300)
  }

  @Test(arguments: [
    (#"[{"include":"https://example.com/a.json"}]"#, true),
    (
      #"[{"relation":["delegate_permission/common.handle_all_urls"],"target":{"namespace":"web","site":"https://a.example"},"note":1}]"#,
      true
    ),
    (#"[]"#, true), (#"{}"#, false), (#"[{"relation":["a/b"]}]"#, false),
    (
      #"[{"relations":["a/b"],"relation":["a/b"],"target":{"namespace":"web","site":"https://a.example"}}]"#,
      false
    ),
    (#"[{"relation":["a/b"],"target":{"namespace":"android_app","package_name":"a.b"}}]"#, false),
    (#"[{"relation":["a/b"],"target":{"namespace":"web","site":"https://a.example"},"paths":[]}]"#, false),
  ])
  func judgesAStatementList(text: String, isGood: Bool) throws {
    #expect(try Self.problems(.assetlinks, text).isEmpty == isGood)
    let found = TextCheck.findings(in: SourceText(name: "assetlinks.json", text))
    #expect(found.contains { $0.severity == .error } == !isGood)
  }

  /// As `simulate` refuses them: the experiences of a clip may be written into the story.
  @Test(arguments: [
    ("demo: \"https://a.example\"", true), ("demo: { url: \"https://a.example\" }", true),
    ("demos: \"https://a.example\"", false),
    ("advanced: [{ url: \"https://a.example\", title: \"x\", category: \"PARKING\" }]", true),
    ("advanced: [{ url: \"https://a.example\", titel: \"x\" }]", false),
    ("testflight: [{ url: \"https://a.example\", category: \"PARKING\" }]", false),
    ("default: { languages: { DE: { title: \"x\", note: \"x\" } } }", false),
    ("app: { store_id: 1 }, clip: { released: true }", true), ("clip: { released: \"x\" }", false),
  ]) func judgesExperiencesOfAStory(text: String, isGood: Bool) throws {
    let story = """
      { start: "2026-09-14T08:00:00Z", apps: { shop: { identifier: "ABCDE12345.a" } },
        clips: { order: { app: "shop", identifier: "ABCDE12345.a.Clip", experiences: { \(text) } } } }
      """
    #expect(try Self.problems(.story, story).isEmpty == isGood)
  }

  private static func association(_ part: String) -> String {
    #"{"applinks":{"details":[{"appIDs":["ABCDE12345.a"],"components":[{\#(part)}]}]}}"#
  }

  private static func app(_ identifier: String) -> String {
    #"{"webcredentials":{"apps":["\#(identifier)"]}}"#
  }

  private static let fingerprint = Array(repeating: "AB", count: 32).joined(separator: ":")

  private static func statement(_ target: String, relation: String = "a/b") -> String {
    #"[{"relation":["\#(relation)"],"target":{\#(target)}}]"#
  }

  private static func android(_ package: String = "a.b", _ fingerprint: String = fingerprint) -> String {
    statement(
      #""namespace":"android_app","package_name":"\#(package)","sha256_cert_fingerprints":["\#(fingerprint)"]"#
    )
  }

  private static func web(_ site: String) -> String { statement(#""namespace":"web","site":"\#(site)""#) }

  /// Values that `check` refuses, and good ones beside them.
  static let values: [(schema: EditorSchema, text: String)] =
    [
      "ABCDE12345.com.example.app", "ABCDE12345.a", "abcde12345.a", "ABCDE1234.a", "ABCDE12345",
      "ABCDE12345.", "",
      "com.example.app", "ABCDE12345.a_b", "ABCDE12345.*", " ABCDE12345.a",
      "$(AppIdentifierPrefix)com.example.app",
      "${TEAM}.a", "$(TEAM) .a", "ABCDE12345.a..b",
    ].map { (.association, app($0)) }
    + [
      #""/":"/a""#, #""/":"a""#, #""/":"NOT /a""#, #""/":"!/a""#, #""/":"https://a.example/b""#,
      #""/":"HTTP://a""#,
      #""/":"/$(lang)""#, #""/":"/$(lang""#, #""?":"a=b""#, #""?":"?a=b""#, #""?":"??*""#, #""?":"?a""#,
      #""?":{"a":"b"}"#,
      #""?":{"a":1}"#, #""?":{"a":"NOT b"}"#, ##""#":"a""##, ##""#":"#a""##, ##""#":"$(a""##,
    ].map { (.association, association($0)) }
    + [
      #"{"applinks":{"details":[{"components":[{"/":"/a"}]}]}}"#,
      #"{"applinks":{"details":[{"appIDs":[],"components":[{"/":"/a"}]}]}}"#,
      #"{"applinks":{"details":[{"appID":"a","paths":["/a"]}]}}"#,
      #"{"applinks":{"apps":["a"],"details":[{"appID":"ABCDE12345.a","paths":["/a"]}]}}"#,
      #"{"applinks":{"details":{"a":{"paths":["/a"]}}}}"#,
      #"{"applinks":{"details":[{"appID":"ABCDE12345.a","paths":["/a","HTTPS://a.example/b"]}]}}"#,
      #"{"applinks":{"details":[{"appID":"ABCDE12345.a","paths":["/a","NOT http://a.example/b"]}]}}"#,
      #"{"applinks":{"details":[{"appID":"ABCDE12345.a","paths":["/a","/$(lang"]}]}}"#,
      #"{"applinks":{"details":[{"appID":"ABCDE12345.a","paths":["/a","/$(lang)"]}]}}"#,
      #"{"applinks":{"details":[{"appID":"ABCDE12345.a","paths":["/a"],"webcredentials":{}}]}}"#,
      #"{"applinks":{"details":[],"substitutionVariables":{"a":["b"]}}}"#,
      #"{"applinks":{"details":[],"substitutionVariables":{"a":["$(b)"]}}}"#,
    ].map { (.association, $0) }
    + [
      android(), android("com.example-app"), android(""), android("a.b", fingerprint.lowercased()),
      android("a.b", String(fingerprint.dropLast(3))), android("a.b", ""),
      android("a.b", fingerprint.replacing(":", with: "")), web("https://a.example"),
      web("HTTPS://a.example:8443"),
      web("http://a.example"), web("https://a.example/"), web("https://a.example/b"), web("a.example"),
      web("https://a@b.example"), web("https://a.example?b"), web("ftp://a.example"),
      web(" https://a.example"),
      web("https://"), statement(#""namespace":"web","site":"https://a.example""#, relation: "a"),
      statement(#""namespace":"web","site":"https://a.example""#, relation: "A/b"),
      statement(#""namespace":"web","site":"https://a.example""#, relation: "a/b/c"),
      statement(
        #""namespace":"web","site":"https://a.example","package_name":"-","sha256_cert_fingerprints":["x"]"#),
      statement(#""namespace":"web","site":"https://a.example","package_name":[1]"#),
      statement(#""namespace":"web","site":"https://a.example","sha256_cert_fingerprints":1"#),
      statement(#""namespace":"web","site":["https://a.example"]"#),
      statement(#""namespace":"android_app","package_name":"a.b","sha256_cert_fingerprints":"x""#),
      android().replacing("\"package", with: "\"site\":[1],\"package"),
      #"[{"include":"https://a.example/b"}]"#, #"[{"include":"http://a.example/b"}]"#, #"[{"include":"/b"}]"#,
      #"[{"include":"https:///b"}]"#,
    ].map { (.assetlinks, $0) }

  private static func isRefused(byCheck text: String, _ schema: EditorSchema) -> Bool {
    let name = schema == .assetlinks ? "assetlinks.json" : "apple-app-site-association"
    return TextCheck.findings(in: SourceText(name: name, text)).contains { $0.severity == .error }
  }

  @Test(arguments: values.indices) func judgesAValueAsCheckDoes(_ index: Int) throws {
    let (schema, text) = Self.values[index]
    #expect(try Self.problems(schema, text).isEmpty == !Self.isRefused(byCheck: text, schema), "\(text)")
  }

  /// One character more, less or changed: what the schema refuses of that, `check` refuses.
  @Test func refusesNothingThatCheckAccepts() throws {
    var generator = SeededGenerator(seed: 9)
    let characters = Array(" \u{9}/?#@:.$({})*!NOTabZ019-_=%é")
    var refusals = 0
    for index in 0..<3_000 {
      let (schema, seed) = Self.values[index % Self.values.count]
      var text = Array(seed)
      let place = Int(generator.draw(0...Int64(text.count - 1)))
      let character = characters[Int(generator.draw(0...Int64(characters.count - 1)))]
      switch index % 3 {
      case 0: text[place] = character
      case 1: text.insert(character, at: place)
      default: text.remove(at: place)
      }
      let bytes = Array(String(text).utf8)
      let document = JSONParser.parse(bytes)
      guard document.errors.isEmpty, document.root != nil else { continue }
      guard try !Self.problems(schema, bytes).isEmpty else { continue }
      refusals += 1
      let name = schema == .assetlinks ? "assetlinks.json" : "apple-app-site-association"
      let found = TextCheck.findings(in: SourceText(name: name, bytes: bytes))
      #expect(found.contains { $0.severity != .note }, "\(String(text))")
    }
    #expect(refusals > 300)
  }

  @Test(
    .enabled(if: Fixtures.corpus != nil, "\(Fixtures.corpusAbsence)"),
    arguments: [("aasa", EditorSchema.association), ("assetlinks", .assetlinks)])
  func acceptsEveryRealFileThatCheckAccepts(folder: String, schema: EditorSchema) throws {
    let corpus = try #require(Fixtures.corpus)
    var count = 0
    for row in try corpus.manifest(folder) {
      let path = "\(folder)/\(row[0])"
      guard let bytes = try? corpus.bytes(path) else { continue }
      let name = folder == "assetlinks" ? "assetlinks.json" : "apple-app-site-association"
      let found = TextCheck.findings(in: SourceText(name: name, bytes: bytes))
      // A signed file is no JSON.
      guard !found.contains(where: { $0.severity == .error }), bytes.first != 0x30 else { continue }
      count += 1
      #expect(try Self.problems(schema, bytes) == [], "\(path)")
    }
    #expect(count > 10)
  }

  @Test func acceptsEveryStoryAndFleetOfTheExamples() throws {
    let root = Fixtures.root.appending(path: "Examples")
    var stories = [root.appending(path: "story.json5")]
    let folder = root.appending(path: "stories")
    stories += try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "json5" }
    #expect(stories.count > 10)
    for story in stories {
      #expect(try Self.problems(.story, Array(Data(contentsOf: story))) == [], "\(story.lastPathComponent)")
    }
    let fleet = root.appending(path: "fleets/midnight-2014.json5")
    #expect(try Self.problems(.fleet, Array(Data(contentsOf: fleet))) == [])
  }

  private static let start = "start: \"2026-09-14T08:00:00Z\""

  @Test(arguments: [
    (EditorSchema.story, "{ \(start), scrpt: [] }"), (.story, "{ script: [] }"),
    (.story, "{ \(start), devices: { a: { os: \"ios:17\", cuont: 2 } } }"),
    (.story, "{ \(start), script: [{ instal: \"a\" }] }"),
    (.story, "{ \(start), script: [{ tap: \"all\", form: \"safari\" }] }"),
    (.story, "{ \(start), script: [{ tap: \"all\", from: \"saffari\" }] }"),
    (.story, "{ \(start), script: [{ devices: \"a\" }] }"),
    (.story, "{ \(start), network: { a: { drop: \"crawler\" } } }"),
    (.story, "{ \(start), apps: { a: { identifier: \"x\", push: { mode: [] } } } }"),
    (.fleet, "{ device: 1 }"), (.fleet, "{ update: { fased: true } }"), (.fleet, "{ devices: -1 }"),
    (.fleet, "{ start: \"2026-03-02\" }"), (.fleet, "{ update: { released: \"soon\" } }"),
    (.fleet, "{ zones: [{ utc_offset: \"9\", share: 1 }] }"),
    (.fleet, "{ update: { window: { from: \"24:00\" } } }"), (.fleet, "{ $schema: [] }"),
    (.configuration, "{ $schema: 1 }"),
    (.fleet, "{ days: 61 }"), (.fleet, "{ update: { phased: 1 } }"),
    (.configuration, "{ sever: {} }"), (.configuration, "{ server: { lisen: \"a\" } }"),
    (.configuration, "{ server: { log_level: \"loud\" } }"),
    (.configuration, "{ server: { plain: \"no\" } }"),
    (.configuration, "{ server: { certificates: [{ key: \"a\" }] } }"),
    (.configuration, "{ server: { signed: { a: { p13: \"a\" } } } }"),
    (
      .configuration,
      "{ server: { auth_keys: [{ topics: [\"a.b\"], auth_key: \"a\", team_id: \"K6L7M8N9P0\" }] } }"
    ),
  ])
  func refusesUnknownKeysAndValues(schema: EditorSchema, text: String) throws {
    #expect(try !Self.problems(schema, text).isEmpty)
  }

  @Test(arguments: [
    (EditorSchema.story, "{ \(start), sites: { a: \"b\", c: [{ body: \"d\" }] }, links: \"urls.txt\" }"),
    (
      .story,
      "{ \(start), script: [{ tap: \"all\", expect: [\"browser\", { opens: \"a\", rule: \"0/1\" }] }] }"
    ),
    (.story, "{ \(start), script: [{ push: { aps: { anything: [1] } }, app: \"a\", expires: \"1h\" }] }"),
    (.story, "{ \(start), seed: \"10\" }"), (.story, "{ \(start), seed: 18446744073709551615 }"),
    (.fleet, "{ update: null }"), (.fleet, "{}"),
    (.fleet, "{ $schema: \"a\", zones: [{ utc_offset: \"-14:59\", share: 1 }] }"),
    (.configuration, "{ $schema: \"a\" }"),
    (.configuration, "{ sites: \"a\", releases: [\"ios:15..\"], server: { signed: { a: { p12: \"b\" } } } }"),
  ])
  func acceptsTheOtherForms(schema: EditorSchema, text: String) throws {
    #expect(try Self.problems(schema, text) == [])
  }

  /// The examples have every key that the readers know, so that no key and no element of a list is without a type.
  @Test func learnsATypeForEachKey() throws {
    for schema in [EditorSchema.story, .fleet, .configuration] {
      let root = try Self.root(schema)
      #expect(SchemaReading.untyped(root, "") == [], "\(schema)")
    }
  }

  private static let parties =
    "\(start), apps: { a: { identifier: \"ABCDE12345.a.b\", push: {} } }, devices: { b: { os: \"ios:17\" }, "
    + "c: { os: \"ios:17\" } }"

  private static func script(_ steps: String) -> String { "{ \(parties), script: [\(steps)] }" }

  private static func push(_ keys: String) -> String {
    "{ \(start), apps: { a: { identifier: \"ABCDE12345.a.b\", push: { modes: [\"fetch\"], \(keys) } } } }"
  }

  private static func sent(_ expires: String) -> String {
    script("{ push: { aps: {} }, expires: \(expires) }")
  }

  /// A key or a value that is wrong, and one that is missing, beside the right one: the schema and `simulate` say the same.
  @Test(arguments: [
    (script("{ push: { aps: {} }, expect: [\"stored\", { fate: \"stored\" }] }"), true),
    (script("{ push: { aps: {} }, expect: [\"stored\", { fat: \"stored\" }] }"), false),
    (script("{ push: { aps: {} }, expect: [\"store\"] }"), false), (script("{ push: 3 }"), false),
    (script("{ push: { aps: {} } }, { expect_push: [{ fate: \"stored\" }] }"), true),
    (script("{ push: { aps: {} } }, { expect_push: [{ fat: \"stored\" }] }"), false),
    (script("{ screen: \"home\", app: \"a\", expect: { card: \"hidden\" } }"), true),
    (script("{ screen: \"home\", app: \"a\", expect: { card: \"hiden\" } }"), false),
    (script("{ screen: \"home\", app: \"a\", expect: \"hiden\" }"), false),
    (script("{ screen: \"home\", expect: \"hidden\" }"), false),
    (script("{ arrive: \"scheme\", app: \"a\", expect: { problem: \"none\" } }"), true),
    (script("{ arrive: \"scheme\", app: \"a\", expect: { problem: \"non\" } }"), false),
    (script("{ handoff: { type: \"t\", user_info: { a: 1 } }, app: \"a\", from: \"b\", to: \"c\" }"), true),
    (script("{ handoff: { type: \"t\", user_info: 1 }, app: \"a\", from: \"b\", to: \"c\" }"), false),
    (script("{ handoff: { type: \"t\" }, app: \"a\", from: \"b\" }"), false),
    (script("{ handoff: {}, app: \"a\", from: \"b\", to: \"c\" }"), false),
    (script("{ choose: \"browser\", host: \"a.example\" }"), true),
    (script("{ choose: \"browser\" }"), false),
    (script("{ tap: \"https://a.example/\", expect: { opens: \"browser\" } }"), true),
    (script("{ tap: \"https://a.example/\", expect: { step: \"fetch\" } }"), false),
    (script("{ save: \"x\", by: \"a\", in: \"container\" }"), true),
    (script("{ save: \"x\", by: \"a\" }"), false),
    ("{ \(start), sites: { \"a.example\": { file: {} } } }", true),
    ("{ \(start), sites: { \"a.example\": { file: \"a.json\" } } }", false),
    ("{ \(start), sites: { \"a.example\": [{ file: [] }] } }", false),
    (
      "{ \(start), sites: { \"a.example\": {} }, network: { \"a.example\": { latency_ms: [0, 600000] } } }",
      true
    ),
    ("{ \(start), sites: { \"a.example\": {} }, network: { \"a.example\": { latency_ms: -1 } } }", false),
    (
      "{ \(start), sites: { \"a.example\": {} }, network: { \"a.example\": { latency_ms: [0, 600001] } } }",
      false
    ),
    ("{ \(start), faults: { loss: [1, 20] } }", true), ("{ \(start), faults: { loss: [-1, 20] } }", false),
    ("{ \(start), devices: { a: {} } }", false),
    ("{ $schema: \"story.schema.json\", \(start) }", true), ("{ $schema: 1, \(start) }", false),
    ("{ start: \"2026-09-14T08:00:00.5Z\" }", true), ("{ start: \"2026-09-14T08:00Z\" }", false),
    ("{ start: \"2026-09-14T08:00:00+02:00\" }", false), ("{ start: \"2026-13-14T08:00:00Z\" }", false),
    ("{ start: \"tomorrow\" }", false), ("{ start: \"2026-09-14T24:00:00Z\" }", false),
    (script("{ wait: \"1d 12h\" }"), true), (script("{ wait: \" 10000s  0m \" }"), true),
    (script("{ wait: \"10001s\" }"), false), (script("{ wait: \"3\" }"), false),
    (script("{ wait: \"\" }"), false), (script("{ wait: \"1.5h\" }"), false),
    (push("fetch: \"minimum\", handler: { takes: \"forever\" }"), true),
    (push("fetch: \"1h 30m\", service_extension: { takes: \"4s\", text: \"a\" }"), true),
    (push("fetch: \"forever\""), false), (push("fetch: \"never\""), false),
    (push("handler: { takes: \"minimum\" }"), false), (push("handler: { takes: \"2 seconds\" }"), false),
    (push("service_extension: { takes: \"long\", text: \"a\" }"), false),
    (sent("0"), true), (sent("\"1h\""), true), (sent("1"), false), (sent("\"0\""), false),
    ("{ \(start), devices: { a: { os: [\"ios:17.4\", \"13\", \"iPadOS:16.1.2\"] } } }", true),
    ("{ \(start), devices: { a: { os: \"macOS:14\" }, b: { os: \"watchos:10\" } } }", true),
    ("{ \(start), devices: { a: { os: \"ios:17,4\" } } }", false),
    ("{ \(start), devices: { a: { os: [\"iOS 17\"] } } }", false),
    ("{ \(start), devices: { a: { os: \"android:14\" } } }", false),
    ("{ \(start), devices: { a: { os: \"ios:15..17\" } } }", false),
    (script("{ tap: \"https://a.example/\", expect: { opens: \"browser\", rule: \"0/-\" } }"), true),
    (script("{ tap: \"https://a.example/\", expect: { opens: \"browser\", rule: \"0.1\" } }"), false),
  ])
  func judgesAStoryAsSimulateDoes(text: String, isGood: Bool) throws {
    #expect(try Self.problems(.story, text).isEmpty == isGood)
    let read = StoryParser.parse(SourceText(name: "story.json5", text), reader: .none)
    if case .findings(let findings) = read {
      #expect(!isGood, "\(findings.map(\.message))")
    } else {
      #expect(isGood)
    }
  }
}

/// As much of JSON Schema, draft 7, as the schemas use, read in an obvious way.
private struct SchemaReading {
  let whole: JSONNode

  init(_ whole: JSONNode) { self.whole = whole }

  func problems(_ value: JSONNode, _ schema: JSONNode, _ path: String) -> [String] {
    if let flag = schema.bool { return flag ? [] : ["\(path): not allowed"] }
    var found: [String] = []
    for member in schema.object ?? [] {
      found += problems(value, member.name, member.value, schema, path)
    }
    return found
  }

  private func holds(_ value: JSONNode, _ schema: JSONNode) -> Bool { problems(value, schema, "").isEmpty }

  private func problems(
    _ value: JSONNode, _ keyword: String, _ given: JSONNode, _ schema: JSONNode, _ path: String
  ) -> [String] {
    func unless(_ holds: Bool) -> [String] { holds ? [] : ["\(path): \(keyword)"] }
    let members = value.object ?? []
    let number: Double? = if case .number(let text) = value.value { Double(text) } else { nil }
    switch keyword {
    case "type": return unless(isType(value, given.string ?? ""))
    case "enum": return unless(given.array?.contains { $0.json.text == value.json.text } ?? false)
    case "const": return unless(given.json.text == value.json.text)
    case "minimum": return unless(number.map { $0 >= Double(given.json.text) ?? 0 } ?? true)
    case "maximum": return unless(number.map { $0 <= Double(given.json.text) ?? 0 } ?? true)
    case "minItems": return unless((value.array?.count ?? .max) >= given.int ?? 0)
    case "required":
      return unless(value.object == nil || given.array?.allSatisfy { value[$0.string ?? ""] != nil } ?? true)
    case "pattern":
      guard let text = value.string else { return [] }
      return unless(text.range(of: given.string ?? "", options: .regularExpression) != nil)
    case "not": return unless(!holds(value, given))
    case "anyOf": return unless(given.array?.contains { holds(value, $0) } ?? false)
    case "allOf": return (given.array ?? []).flatMap { problems(value, $0, path) }
    case "$ref":
      let name = given.string?.split(separator: "/").last.map(String.init) ?? ""
      return whole["definitions"]?[name].map { problems(value, $0, path) } ?? ["no definition '\(name)'"]
    case "items":
      return (value.array ?? []).enumerated().flatMap { problems($1, given, "\(path)/\($0)") }
    case "properties":
      return members.flatMap { member in
        given[member.name].map { problems(member.value, $0, "\(path)/\(member.name)") } ?? []
      }
    case "propertyNames":
      return members.flatMap {
        problems(JSONNode(.string($0.name), at: $0.nameRange), given, "\(path)/\($0.name)")
      }
    case "additionalProperties":
      return members.filter { member in
        schema["properties"]?[member.name] == nil
          && !(schema["patternProperties"]?.object ?? []).contains {
            member.name.range(of: $0.name, options: .regularExpression) != nil
          }
      }.flatMap { problems($0.value, given, "\(path)/\($0.name)") }
    case "$schema", "title", "description", "definitions", "patternProperties": return []
    default: return ["the test does not read '\(keyword)'"]
    }
  }

  private func isType(_ value: JSONNode, _ name: String) -> Bool {
    switch (name, value.value) {
    case ("object", .object), ("array", .array), ("string", .string), ("boolean", .bool), ("null", .null),
      ("number", .number):
      true
    case ("integer", .number(let text)): Double(text).map { $0 == $0.rounded() } ?? false
    default: false
    }
  }

  /// The paths of properties that may be anything.
  static func untyped(_ schema: JSONNode, _ path: String) -> [String] {
    switch schema.value {
    case .array(let elements): return elements.flatMap { untyped($0, path) }
    case .object(let members):
      return members.flatMap { member -> [String] in
        if member.name == "items", member.value.bool == true { return ["\(path)/*"] }
        guard member.name == "properties" else { return untyped(member.value, path) }
        return (member.value.object ?? []).flatMap { property -> [String] in
          let isOpen =
            property.value.bool == true
            || property.value.object?.allSatisfy { $0.name == "description" } ?? false
          return isOpen ? ["\(path)/\(property.name)"] : untyped(property.value, "\(path)/\(property.name)")
        }
      }
    case .bool, .null, .number, .string: return []
    }
  }
}
