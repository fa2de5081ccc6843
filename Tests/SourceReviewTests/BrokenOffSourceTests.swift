import LinkspanCore
import SourceReview
import Testing

/// A source that breaks off, as it does while somebody writes it, is reviewed up to its end.
@Suite struct BrokenOffSourceTests {

  /// The examples of all rules up to the end of each word that stands there for the first time of its rule.
  private static func pieces(of record: CheckRule) -> [String] {
    var seen: Set<String> = []
    return (record.bad + record.good).flatMap { example in
      let text = MarkedSource(example).text
      var pieces: [String] = []
      var start = text.startIndex
      while start < text.endIndex {
        let first = text[start]
        var end = text.index(after: start)
        if first.isLetter {
          end = text[start...].firstIndex { !$0.isLetter && !$0.isNumber } ?? text.endIndex
        }
        if !first.isWhitespace, seen.insert(String(text[start..<end])).inserted {
          pieces.append(String(text[..<end]))
        }
        start = end
      }
      return pieces
    }
  }

  private static func file(_ text: String) -> ReviewedFile {
    ReviewedFile(SourceText(name: "example", text), text.hasPrefix("@") ? .objectiveC : .swift)
  }

  @Test(arguments: SourceReview.rules.map(\.record.identifier))
  func everyBeginningOfAnExampleIsReviewed(rule: String) throws {
    let record = try #require(SourceReview.rules.first { $0.record.identifier == rule }).record
    for text in Self.pieces(of: record) {
      let file = Self.file(text)
      let end = file.source.position(at: text.utf8.count)
      for finding in SourceReview([file]).findings {
        let last = try #require(finding.location.end)
        #expect((last.line, last.column) <= (end.line, end.column), "\(text)")
      }
    }
  }

  /// Words that rules look behind, at the end of a file in which those rules have something to do.
  @Test(arguments: [
    "default", "case", "case .active", "scenePhase", "phase ==", "switch", "return", "func", "guard", "if",
    "else", "nil", "?", "!", ".", "(", "[", "{", "@", "application", "userActivity", "webpageURL", "print",
    "open", "NotificationCenter", "first", "onOpenURL", "addObserver", "as", "let", "=", "==", "->", ":", ",",
  ])
  func aFileMayEndWithAnyWord(word: String) {
    let start = """
      struct Notes: App {
        @Environment(\\.scenePhase) private var phase
        var body: some Scene {
          WindowGroup { Notes() }
            .onOpenURL { url in router.open(url) }
            .onContinueUserActivity("a") { activity in router.open(activity.webpageURL!) }
            .onChange(of: phase) { phase in
              switch phase {
              case .background: cover()
              case .active: uncover()
              \(word)
      """
    for text in [
      start, start.replacing("struct Notes: App {", with: "extension A {"), "func a() { \(word)", word,
    ] {
      let file = Self.file(text)
      for finding in SourceReview([file]).findings { #expect(!finding.message.isEmpty) }
    }
    let objectiveC =
      "@implementation A\n- (BOOL)application:(UIApplication *)a continueUserActivity:(NSUserActivity *)b {\n  \(word)"
    for finding in SourceReview([Self.file(objectiveC)]).findings { #expect(!finding.message.isEmpty) }
  }
}
