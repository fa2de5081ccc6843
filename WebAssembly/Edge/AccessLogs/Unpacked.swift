/// Sitemaps and packed logs need libraries that the module does not have: neither is read.
final class SitemapReader {
  enum Found {
    case page(String)
    case sitemap(String)
  }

  var root: String? { nil }

  func feed(_ bytes: [UInt8], isLast: Bool) -> [Found]? { nil }
}

final class GzipInflater {
  var isAtEnd: Bool { false }

  func feed(_ bytes: [UInt8], _ body: ([UInt8]) -> Void) -> Bool { false }
}
