import AppBundle
import LinkspanCore
import Testing

@Suite struct XMLPropertyListTests {
  static func document(_ text: String) throws -> PropertyListDocument {
    try PropertyListDocument(Array(text.utf8), name: "a.plist")
  }

  @Test(arguments: [
    ("<string>a</string>", "s\"a\""), ("<string/>", "s\"\""), ("<string> a </string>", "s\" a \""),
    ("<string>&lt;&amp;&#233;&#x1F600;&gt;</string>", "s\"<&é😀>\""),
    ("<string><![CDATA[<a>]]></string>", "s\"<a>\""), ("<string>a<!-- x -->b</string>", "s\"ab\""),
    ("<integer>42</integer>", "i42"), ("<integer> -7 </integer>", "i-7"), ("<integer>+7</integer>", "i7"),
    ("<integer>0x1F</integer>", "i31"), ("<integer>-0x1f</integer>", "i-31"),
    ("<integer>-9223372036854775808</integer>", "i-9223372036854775808"),
    ("<integer>9223372036854775807</integer>", "i9223372036854775807"),
    ("<integer>18446744073709551615</integer>", "i18446744073709551615"),
    ("<real>1.5</real>", "r1.5"), ("<real>-1e3</real>", "r-1000.0"), ("<real>infinity</real>", "rinf"),
    ("<true/>", "btrue"), ("<false></false>", "bfalse"),
    ("<date>2001-01-01T00:00:00Z</date>", "d0.0"), ("<date>1970-01-01T00:00:00Z</date>", "d-978307200.0"),
    ("<date>2024-02-29T12:34:56Z</date>", "d730902896.0"),
    ("<data>\n\tSGVs\n\tbG8=\n</data>", "x[72, 101, 108, 108, 111]"), ("<data></data>", "x[]"),
    ("<data>SGU=</data>", "x[72, 101]"), ("<data>SA==</data>", "x[72]"),
    // Bits behind the last byte are passed over.
    ("<data>SGV=</data>", "x[72, 101]"), ("<data>SP==</data>", "x[72]"),
    ("<array/>", "[]"), ("<array><true/><array><string>b</string></array></array>", "[btrue,[s\"b\"]]"),
    ("<dict/>", "{}"),
    ("<dict><key>k</key><dict><key>l</key><integer>1</integer></dict></dict>", "{\"k\":{\"l\":i1}}"),
    ("<dict><key/><true/></dict>", "{\"\":btrue}"),
  ])
  func readsEveryKindOfValue(xml: String, shape: String) throws {
    for text in [xml, "<plist version=\"1.0\">\n\(xml)\n</plist>", "<?xml version=\"1.0\"?>\n\(xml)"] {
      let document = try Self.document(text)
      #expect(PropertyListShape.of(document.root) == shape)
      #expect(document.format == .xml)
      let range = document.root.range
      #expect(String(decoding: Array(text.utf8)[range], as: UTF8.self) == xml)
    }
  }

  @Test func everyValueAndKeyKnowsItsBytes() throws {
    let text = "<dict><key>k</key> <array><string>ü</string><true/></array></dict>"
    let root = try Self.document(text).root
    func shown(_ range: Range<Int>) -> String { String(decoding: Array(text.utf8)[range], as: UTF8.self) }
    let member = try #require(root.member("k"))
    #expect(shown(member.keyRange) == "<key>k</key>")
    let elements = try #require(member.value.array)
    #expect(shown(member.value.contentRange) == "<string>ü</string><true/>")
    #expect(shown(elements[0].contentRange) == "ü")
    #expect(shown(elements[1].range) == "<true/>")
    #expect(elements[1].contentRange.isEmpty)
  }

  /// The text with « before and » after the place of the error.
  struct Bad: CustomTestStringConvertible, Sendable {
    let marked: String
    let kind: PropertyListError.Kind
    let message: String
    var testDescription: String { marked }

    init(_ marked: String, _ kind: PropertyListError.Kind, _ message: String) {
      self.marked = marked
      self.kind = kind
      self.message = message
    }
  }

  static let bad: [Bad] = [
    Bad("", .empty, "The file is empty."),
    Bad(" \n ", .empty, "The file is empty."),
    Bad("<plist>\n«<dict>»", .truncated, "The file ends before this '<dict>' is closed."),
    Bad(
      "<plist><dict><key>k</key>«<string>»abc", .truncated,
      "The file ends before this '<string>' is closed."),
    Bad("<?xml version=\"1.0\"?>\n", .truncated, "The file ends before its first value."),
    Bad(
      "<plist><dict>\n  <key>k</key><array>\n«</dict>»</plist>", .mismatchedTag,
      "Found '</dict>', expected '</array>'."),
    Bad("<plist><dict>«<key>k</key>»</dict></plist>", .keyWithoutValue, "The key 'k' has no value."),
    Bad(
      "<dict>«<key>a</key>»<key>b</key><true/></dict>", .keyWithoutValue, "The key 'a' has no value."),
    Bad("<dict>«<true/>»</dict>", .valueWithoutKey, "This <true> has no <key> before it."),
    Bad(
      "<dict><key>k</key><true/>\n«<string>»a</string></dict>", .valueWithoutKey,
      "This <string> has no <key> before it."),
    Bad("<array>«<String>»a</String></array>", .unknownTag, "'<String>' is not a property list tag."),
    Bad("<plist>«<key>»a</key></plist>", .unexpectedTag, "A <key> is not allowed directly in <plist>."),
    Bad("<array>«<key>»a</key></array>", .unexpectedTag, "A <key> is not allowed in an <array>."),
    Bad("<string>a«<true/>»</string>", .unexpectedTag, "A <true> is not allowed in a <string>."),
    Bad("«<key>»a</key>", .unexpectedTag, "A <key> is not allowed outside of a <dict>."),
    Bad("<plist><dict/>«<dict/>»</plist>", .severalValues, "A second value follows the first one."),
    Bad("«<plist version=\"1.0\"></plist>»", .noValue, "The <plist> contains no value."),
    Bad(
      "<array>\n  «applinks:example.com\n»</array>", .unexpectedText,
      "The text 'applinks:example.com' is directly inside <array>."),
    Bad("<true>«yes»</true>", .unexpectedText, "The text 'yes' is directly inside <true>."),
    Bad("<integer>«four»</integer>", .invalidValue, "'four' is not a valid <integer>."),
    Bad(
      "<integer>«18446744073709551616»</integer>", .invalidValue,
      "'18446744073709551616' is not a valid <integer>."),
    Bad("«<integer/>»", .invalidValue, "'' is not a valid <integer>."),
    Bad("<integer>«--1»</integer>", .invalidValue, "'--1' is not a valid <integer>."),
    Bad("<integer>«-+1»</integer>", .invalidValue, "'-+1' is not a valid <integer>."),
    Bad(
      "<date>«2026-13-01T00:00:00Z»</date>", .invalidValue,
      "'2026-13-01T00:00:00Z' is not a valid <date>."),
    Bad("<data>«SGVsb»</data>", .invalidValue, "'SGVsb' is not a valid <data>."),
    Bad(
      "<string>a « »& b</string>", .notWellFormed,
      "This is not well-formed XML: not well-formed (invalid token)."),
    Bad("<string>«&nbsp;»</string>", .entity, "The file uses an unknown entity."),
    Bad("<dict/>\n«<»dict/>", .notWellFormed, "This is not well-formed XML: junk after document element."),
  ]

  @Test(arguments: bad)
  func saysWhereAndWhyItIsNone(row: Bad) throws {
    let text = row.marked.filter { $0 != "«" && $0 != "»" }
    let error = try #require(throws: PropertyListError.self) { try Self.document(text) }
    #expect(error.kind == row.kind)
    #expect(error.message == row.message)
    guard row.marked.contains("«"), row.kind != .notWellFormed else { return }
    let before = row.marked.prefix { $0 != "«" }
    let line = before.count { $0.isNewline } + 1
    let column = before.reversed().prefix { !$0.isNewline }.count + 1
    #expect(error.location.start == SourcePosition(line: line, column: column))
  }

  @Test func printsTheErrorAsACompilerWould() throws {
    let error = try #require(throws: PropertyListError.self) {
      try Self.document("<plist>\n<dict>\n  <key>k</key>\n</dict>\n</plist>\n")
    }
    #expect(
      error.description == """
        a.plist:3:3: error[plist.key-without-value]: The key 'k' has no value.
          3 |   <key>k</key>
            |   ^^^^^^^^^^^^
          Add the value after it, or remove the key.

        """)
  }

  @Test func seesTheMarkOfAMergeConflict() throws {
    let error = try #require(throws: PropertyListError.self) {
      try Self.document("<dict>\n<<<<<<< HEAD\n<key>k</key><true/>\n</dict>")
    }
    #expect(error.kind == .notWellFormed)
    #expect(error.location.start?.line == 2)
    #expect(error.help == "It looks like a merge conflict marker. Resolve the conflict.")
  }

  @Test func findsAKeyThatOccursTwice() throws {
    let document = try Self.document("<dict>\n<key>k</key><true/>\n<key>k</key><false/>\n</dict>")
    #expect(document.root["k"]?.bool == false)
    let finding = try #require(document.findings.first)
    #expect(document.findings.count == 1)
    #expect(finding.rule == "plist.duplicate-key")
    #expect(finding.location.start == SourcePosition(line: 3, column: 1))
    #expect(finding.message == "The key 'k' occurs twice in one dictionary.")
  }

  @Test(arguments: [
    "<!DOCTYPE plist [<!ENTITY a \"b\">]><plist><string>&a;</string></plist>",
    "<!DOCTYPE plist SYSTEM \"x.dtd\" [<!ENTITY a \"b\">]><plist><string>&a;</string></plist>",
    "<!DOCTYPE plist []><plist><string>a</string></plist>",
    "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"p.dtd\"><plist><string>&a;</string></plist>",
    """
    <!DOCTYPE p [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">
    <!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]><plist><string>&c;</string></plist>
    """,
  ])
  func readsNoEntityThatADocumentDeclares(text: String) {
    let error = #expect(throws: PropertyListError.self) { try Self.document(text) }
    #expect(error?.kind == .entity)
  }

  @Test(arguments: [true, false], [true, false])
  func readsUTF16WithPlacesThatCountCharacters(isBigEndian: Bool, hasMark: Bool) throws {
    func encoded(_ text: String) -> [UInt8] {
      let marked: String = hasMark ? "\u{FEFF}" + text : text
      return marked.utf16.flatMap { unit -> [UInt8] in
        let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
        return isBigEndian ? [high, low] : [low, high]
      }
    }
    let head = "<?xml version=\"1.0\" encoding=\"UTF-16\"?>\n"
    let good = try PropertyListDocument(encoded(head + "<array><string>ü😀</string></array>"), name: "a")
    #expect(PropertyListShape.of(good.root) == "[s\"ü😀\"]")
    let error = #expect(throws: PropertyListError.self) {
      try PropertyListDocument(encoded(head + "<dict>\n<key>ü</key>\n</dict>"), name: "a")
    }
    #expect(error?.location.start == SourcePosition(line: 3, column: 1))
  }

  @Test func readsAByteOrderMarkAndLatin1() throws {
    #expect(try Self.document("\u{FEFF}<string>ü</string>").root.string == "ü")
    let latin =
      Array("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><string>".utf8) + [0xFC] + Array("</string>".utf8)
    #expect(try PropertyListDocument(latin, name: "a").root.string == "ü")
  }
}
