import LinkspanCore
import Testing

@testable import LinkspanConsole

/// Steps bring a page to what the server has, whatever changed.
@Suite struct LiveDifferenceTests {
  /// A browser's page, as far as console.js touches it.
  private final class Node {
    /// The start tag; empty for text.
    var tag = ""
    var text = ""
    var content: [Node] = []

    var html: String {
      tag.isEmpty
        ? text + content.map(\.html).joined()
        : tag + content.map(\.html).joined() + "</\(tag.dropFirst().prefix { $0.isLetter })>"
    }

    init(tag: String = "", text: String = "", html: String = "") {
      (self.tag, self.text) = (tag, text)
      var open = [self]
      let first = html.prefix { $0 != "<" }
      if !first.isEmpty { content.append(Node(text: String(first))) }
      for piece in html.dropFirst(first.count).split(separator: "<") {
        let parts = piece.split(separator: ">", maxSplits: 1, omittingEmptySubsequences: false)
        if parts[0].hasPrefix("/") {
          open.removeLast()
        } else {
          let node = Node(tag: "<\(parts[0])>")
          open[open.count - 1].content.append(node)
          open.append(node)
        }
        if parts.count > 1, !parts[1].isEmpty {
          open[open.count - 1].content.append(Node(text: String(parts[1])))
        }
      }
    }

    private var elements: [Int] { content.indices.filter { !content[$0].tag.isEmpty } }

    private func element(_ path: ArraySlice<Int>) -> Node {
      path.first.map { content[elements[$0]].element(path.dropFirst()) } ?? self
    }

    /// What console.js does.
    func apply(_ step: JSON) throws {
      let node = try #require(JSONParser.parse(step.bytes).root)
      let path = try #require(node["at"]?.array).compactMap(\.int)[...]
      if let inner = node["inner"]?.string {
        element(path).content = Node(html: inner).content
        return
      }
      let (parent, place) = (element(path.dropLast()), path[path.endIndex - 1])
      for _ in 0..<(node["cut"]?.int ?? 0) { parent.content.remove(at: parent.elements[place]) }
      guard let html = node["html"]?.string else { return }
      let index = parent.elements.count > place ? parent.elements[place] : parent.content.count
      parent.content.insert(contentsOf: Node(html: html).content, at: index)
    }
  }

  private static func elements(_ depth: Int, _ chance: inout SeededGenerator) -> String {
    var keys = (0..<6).shuffled(using: &chance)
    return (0..<Int.random(in: 0...4, using: &chance)).map { _ in
      let number = Int.random(in: 0...2, using: &chance)
      switch Int.random(in: 0...(depth > 2 ? 1 : 4), using: &chance) {
      case 0: return "<b>\(number)</b>"
      case 1: return "<svg><path d=\"\(number)\"></path></svg>"
      case 2: return "<p class=\"\(number)\">\(elements(depth + 1, &chance))</p>"
      case 3: return "<li>\(number)\(elements(depth + 1, &chance))</li>"
      default: return "<tr data-key=\"\(keys.removeLast())\">\(elements(depth + 1, &chance))</tr>"
      }
    }.joined()
  }

  @Test func stepsLeadToTheNewVersion() throws {
    var chance = SeededGenerator(seed: 7)
    for _ in 0..<2_000 {
      let (old, new) = (Self.elements(0, &chance), Self.elements(0, &chance))
      for (steps, start) in [
        (LiveDifference.steps(from: old, to: new), old), (LiveDifference.whole(new), old),
      ] {
        let page = Node(html: start)
        for step in steps { try page.apply(step) }
        #expect(page.html == new, "from \(old)")
      }
    }
  }

  private static func list(_ rows: [(key: String, value: String)]) -> String {
    let rows = rows.map { "<tr data-key=\"\($0.key)\"><th>\($0.key)</th><td><i>\($0.value)</i></td></tr>" }
    return "<p>As of now</p>\n<table><tbody>\(rows.joined())</tbody></table>"
  }

  @Test(
    arguments: [
      // A number is sent alone.
      ([("a", "1"), ("b", "5")], [("a", "1"), ("b", "6")], [#"{"at":[1,0,1,1,0],"inner":"6"}"#]),
      // A row that comes, one that goes, and one that moves.
      (
        [("a", "1"), ("b", "2")], [("c", "3"), ("a", "1"), ("b", "2")],
        [#"{"at":[1,0,0],"html":"<tr data-key=\"c\"><th>c</th><td><i>3</i></td></tr>"}"#]
      ),
      ([("a", "1"), ("b", "2"), ("c", "3")], [("a", "1"), ("c", "3")], [#"{"at":[1,0,1],"cut":1}"#]),
      (
        [("a", "1"), ("b", "2"), ("c", "3")], [("c", "4"), ("a", "1"), ("b", "2")],
        [
          #"{"at":[1,0,0],"html":"<tr data-key=\"c\"><th>c</th><td><i>4</i></td></tr>"}"#,
          #"{"at":[1,0,3],"cut":1}"#,
        ]
      ),
      ([("a", "1")], [("a", "1")], []),
    ] as [([(String, String)], [(String, String)], [String])])
  func onlyWhatChangedIsSent(old: [(String, String)], new: [(String, String)], steps: [String]) {
    #expect(LiveDifference.steps(from: Self.list(old), to: Self.list(new)).map(\.text) == steps)
  }

  /// A picture's elements and times are never changed piece by piece, and text beside elements is sent with them.
  @Test(arguments: [
    ("<svg><g>1</g></svg>", "<svg><g>2</g></svg>", #"{"at":[0],"cut":1,"html":"<svg><g>2</g></svg>"}"#),
    ("<time>1</time>", "<time>2</time>", #"{"at":[0],"cut":1,"html":"<time>2</time>"}"#),
    ("<p>1<b>x</b></p>", "<p>2<b>x</b></p>", #"{"at":[0],"inner":"2<b>x</b>"}"#),
    ("<p>1<b>x</b></p>", "<p>1<b>y</b></p>", #"{"at":[0,0],"inner":"y"}"#),
    ("<p>1</p>", "not <balanced", #"{"at":[],"inner":"not <balanced"}"#),
  ])
  func aStepIsNoSmallerThanABrowserCanTake(old: String, new: String, step: String) {
    #expect(LiveDifference.steps(from: old, to: new).map(\.text) == [step])
  }
}
