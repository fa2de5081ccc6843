import LinkspanCore
import Testing

@testable import LinkspanConsole

/// Steps bring a page to what the server has, whatever changed.
@Suite struct LiveDifferenceTests {
  private static func part(_ rows: [(Int, Int)]) -> String {
    let text = rows.map { "<tr data-key=\"\($0.0)\"><td>\($0.1)</td></tr>" }.joined()
    return "<table><tbody>\(text)</tbody></table>"
  }

  /// What console.js does.
  private static func applied(_ steps: [JSON], to rows: [(Int, Int)]) throws -> [(Int, Int)] {
    var rows = rows
    for step in steps {
      let node = try #require(JSONParser.parse(step.bytes).root)
      func place(_ name: String) throws -> Int {
        let key = try #require(node[name]?.string.flatMap { Int($0) })
        return try #require(rows.firstIndex { $0.0 == key })
      }
      func row() throws -> (Int, Int) {
        let html = try #require(node["html"]?.string)
        let digits = html.split { !$0.isNumber }.compactMap { Int($0) }
        return (digits[0], digits[1])
      }
      if node["remove"] != nil {
        rows.remove(at: try place("remove"))
      } else if node["replace"] != nil {
        rows[try place("replace")] = try row()
      } else if node["after"] != nil {
        rows.insert(try row(), at: try place("after") + 1)
      } else {
        rows.insert(try row(), at: try place("before"))
      }
    }
    return rows
  }

  @Test func stepsLeadToTheNewVersion() throws {
    var chance = SeededGenerator(seed: 7)
    for _ in 0..<500 {
      let old = (0..<8).shuffled(using: &chance).prefix(6).map { ($0, 0) }
      let new = (0..<8).shuffled(using: &chance).prefix(Int.random(in: 1...8, using: &chance)).map {
        ($0, Int.random(in: 0...1, using: &chance))
      }
      guard let steps = LiveDifference.steps(from: Self.part(old), to: Self.part(new)) else { continue }
      let found = try Self.applied(steps, to: old)
      #expect(Self.part(found) == Self.part(new), "from \(old) to \(new)")
    }
  }

  @Test func anythingButRowsIsSentWhole() {
    #expect(LiveDifference.steps(from: "<p>1</p>", to: "<p>2</p>") == nil)
    #expect(LiveDifference.steps(from: Self.part([(1, 0)]), to: Self.part([])) == nil)
    #expect(LiveDifference.steps(from: Self.part([(1, 0)]), to: Self.part([(2, 0)])) == nil)
    #expect(LiveDifference.steps(from: Self.part([(1, 0)]), to: Self.part([(1, 0)]))?.isEmpty == true)
  }
}
