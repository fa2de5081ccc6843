import LinkCoverage
import LinkspanCore
import Testing

/// A request has a documented size, and a larger one is refused before any search.
@Suite struct RequestLimitTests {
  private static func request(routes: Int, comment: String = "") -> SourceText {
    let list = (0..<routes).map { "\"/p\($0)\"" }.joined(separator: ",")
    return SourceText(
      name: "x", "{apps: [{id: \"ABCDE12345.com.example.app\", routes: [\(list)], comment: \"\(comment)\"}]}")
  }

  private static func message(_ text: SourceText) -> String? {
    do {
      _ = try GenerateRequest(text)
      return nil
    } catch {
      return error.finding.message
    }
  }

  @Test(arguments: [
    (WorkLimits.routes - 1, nil), (WorkLimits.routes, nil),
    (WorkLimits.routes + 1, "The request has 10001 routes and exclusions; the limit is 10000."),
  ]) func refusesMoreRoutesThanItsLimit(count: Int, message: String?) {
    #expect(Self.message(Self.request(routes: count)) == message)
  }

  @Test(arguments: [-1, 0, 1]) func refusesMoreBytesThanItsLimit(beyond: Int) {
    let bare = Self.request(routes: 1).bytes.count
    let text = Self.request(
      routes: 1, comment: String(repeating: "x", count: WorkLimits.requestBytes - bare + beyond))
    let count = WorkLimits.requestBytes + beyond
    #expect(text.bytes.count == count)
    let expected = beyond > 0 ? "The request has \(count) bytes; the limit is 1048576." : nil
    #expect(Self.message(text) == expected)
  }
}
