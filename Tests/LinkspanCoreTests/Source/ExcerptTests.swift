import LinkspanCore
import Testing

/// The line that is shown with a finding: part of a file of somebody, with links as answers show them.
@Suite struct ExcerptTests {
  private static func excerpt(_ text: String, at mark: String) throws -> (text: String, skipped: Int) {
    let source = SourceText(name: "a", text)
    let place = try #require(text.firstRange(of: mark)).lowerBound
    return source.excerpt(around: text.utf8.distance(from: text.utf8.startIndex, to: place))
  }

  /// Each character of the user and password is replaced by one, so that columns stay.
  @Test(arguments: [
    (#"{ tap: "https://ann:qzä@example.com/a", x: 1 }"#, ["ann:qzä"]),
    (#"{ tap: "https:/ann:qz@example.com/a", x: 1 }"#, ["ann:qz"]),
    (#"{ "tap": "https:\/\/ann:qz@a.example", x: 1 }"#, ["ann:qz"]),
    ("shop,https:ann:qz@example.com/a,x: 1", ["ann:qz"]), ("https://ann:q z@example.com/a x: 1", ["ann:q z"]),
    ("https://a:qz@a.example,https://b:qz@b.example x: 1", ["a:qz", "b:qz"]),
    ("https://example.com//ann:qz@b x: 1", ["ann:qz"]), (#"{ tap: "ann:qz@example.com", x: 1 }"#, ["ann:qz"]),
    ("[ ann:qz@a.example, x: 1 ]", ["ann:qz"]),
    ("https://b/?u=https%3A%2F%2Fann%3Aqz%40a x: 1", ["ann%3Aqz"]),
    ("'https://ann:q'z@example.com' x: 1", ["ann:q'z"]),
  ])
  func hidesUserAndPassword(_ line: String, _ secrets: [String]) throws {
    let excerpt = try Self.excerpt("first\n\(line)\nlast", at: "x: 1")
    let shown = secrets.reduce(line) { text, secret in
      text.replacing(secret, with: String(repeating: "…", count: secret.unicodeScalars.count))
    }
    #expect(excerpt.text == shown)
    #expect(excerpt.skipped == 0)
  }

  @Test(arguments: [
    #"{ "/": "/@*/post", "exlude": true }"#, "// ask ann@example.com", #"[ "mailto:ann@example.com" ]"#,
    "https://example.com, or ann@example.com",
    "f(x: a, y:@escaping b)", "(x:Int,@Binding y)", "{'a':'b@c'}", "{a:'b@c'}", "{mail:ann@example.com}",
    "https://example.com:8443 ann@b", #"{ "//": "@" }"#,
  ])
  func keepsWhatIsNoUser(_ line: String) throws {
    #expect(try Self.excerpt(line, at: line).text == line)
  }

  /// The columns of a finding count each hidden character, and what is shown has one for all of them.
  @Test(arguments: ["an", "ann", "ann:qz", "ann:qzqzqzqzqz"])
  func theLengthOfAPasswordDoesNotShow(_ secret: String) throws {
    let text = #"{ "a": "https://\#(secret)@host", "bad": "……" }"#
    let source = SourceText(name: "a", text)
    func shown(_ mark: String) throws -> String {
      let place = try #require(text.firstRange(of: mark))
      let start = text.utf8.distance(from: text.utf8.startIndex, to: place.lowerBound)
      let location = Finding.Location(source, start..<start + mark.utf8.count)
      #expect(location.shownExcerpt == #"{ "a": "https://…@host", "bad": "……" }"#)
      let lines = Finding(rule: "r", severity: .error, at: location, message: "m").text().split(
        separator: "\n")
      return lines[1...].joined(separator: "\n")
    }
    #expect(
      try shown(#""bad""#) == """
          1 | { "a": "https://…@host", "bad": "……" }
            |                          ^^^^^
        """)
    #expect(
      try shown(secret) == """
          1 | { "a": "https://…@host", "bad": "……" }
            |                 ^
        """)
  }

  /// Wherever the excerpt of a long line is cut.
  @Test func aCutShowsNoPartOfAPassword() {
    let before = String(repeating: "x", count: 90)
    for line in [
      #"{ a: "\#(before)", b: "https://ann:qzqzqzqzqzqzqzqz@example.com/a", c: "\#(before)" }"#,
      #"{ a: "\#(before)", b: "https://ann:\#(String(repeating: "qz", count: 600))@example.com", c: "\#(before)" }"#,
    ] {
      let source = SourceText(name: "a", line)
      for offset in 0...line.utf8.count {
        let excerpt = source.excerpt(around: offset)
        #expect(!excerpt.text.contains("qz"), "\(offset): \(excerpt.text)")
        if excerpt.text.contains("qz") { return }
      }
    }
  }
}
