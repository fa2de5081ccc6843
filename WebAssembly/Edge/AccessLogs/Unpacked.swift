/// A sitemap needs a library that the module does not have: none is read.
final class SitemapReader {
  enum Found {
    case page(String)
    case sitemap(String)
  }

  var root: String? { nil }

  func feed(_ bytes: [UInt8], isLast: Bool) -> [Found]? { nil }
}
