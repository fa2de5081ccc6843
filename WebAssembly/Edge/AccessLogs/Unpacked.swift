package import LinkspanCore

/// A sitemap needs a library that the module does not have: none is read.
final class SitemapReader {
  enum Found {
    case page(String)
    case sitemap(String)
    case tooLong
  }

  var root: String? { nil }

  func feed(_ bytes: [UInt8], isLast: Bool) -> [Found]? { nil }
}

extension LinkspanError {
  package static func brokenXML(_ name: String) -> LinkspanError {
    LinkspanError(
      "\(name) is XML, and this form of linkspan reads no sitemaps.",
      help: "Write one URL a line, or use the program: it reads sitemaps.")
  }
}
