import AppSiteAssociation
import AssetLinks
import Testing

@Suite struct StatementResolverTests {
  /// A chain or a tree of lists, each at `https://example.com/N.json`, counted as they are asked for.
  static func resolve(_ body: @escaping (String) -> String?) throws -> (
    answer: StatementResolver.Answer, asked: Int
  ) {
    final class Counter { var count = 0 }
    let counter = Counter()
    let resolver = StatementResolver { location in
      counter.count += 1
      guard case .web(let url, _) = location else { return nil }
      return body(url).map { Array($0.utf8) }
    }
    let site = try WebSite("https://example.com")
    return (resolver.statements(of: .web(site)), counter.count)
  }

  @Test func asManyListsAsTheLimitAreRead() throws {
    // One list that includes limit - 1 others, and one more than that.
    for extra in [0, 1] {
      let count = StatementResolver.fetchLimit - 1 + extra
      let includes = (0..<count).map { "{\"include\":\"https://example.com/\($0).json\"}" }.joined(
        separator: ",")
      let result = try Self.resolve { $0.hasSuffix("assetlinks.json") ? "[\(includes)]" : "[]" }
      #expect(result.asked == StatementResolver.fetchLimit)
      #expect(result.answer.obstacles == (extra == 0 ? [] : [.budgetExhausted]))
    }
  }

  @Test func aChainEndsAtTheDepthLimit() throws {
    let result = try Self.resolve { url in
      let number = Int(url.split(separator: "/").last?.split(separator: ".").first ?? "") ?? -1
      return "[{\"include\":\"https://example.com/\(number + 1).json\"}]"
    }
    #expect(result.asked == StatementResolver.depthLimit)
    #expect(result.answer.obstacles == [.budgetExhausted])
  }

  @Test func whatIsNotThereIsNoObstacle() throws {
    let result = try Self.resolve { _ in nil }
    #expect(result.answer.obstacles == [])
    #expect(result.answer.statements.isEmpty)
  }

  @Test(
    arguments: [
      ("https://Example.COM.", "https://example.com"), ("https://example.com:443", "https://example.com"),
      ("http://example.com:443", "http://example.com:443"), ("HTTP://example.com:80", "http://example.com"),
    ])
  func sitesAreComparedAsTheyAreMeant(written: String, meant: String) throws {
    #expect(try WebSite(written).description == meant)
    #expect(try WebSite(written) == WebSite(meant))
  }
}
