internal import LinkspanFiles

/// Takes the bytes of a sitemap, an access log or a list, packed or not, and hands on the URLs in them.
package final class URLStream {
  package enum Item: Equatable {
    /// A URL, or a path that begins with `/`.
    case url(String)
    case unreadableLine
    /// Another sitemap, which an index names.
    case sitemap(String)
  }

  /// What the input cannot be read for.
  package enum Problem: Error, Equatable {
    case brokenGzip
    case brokenXML
    /// Text in two bytes a character.
    case utf16
    /// XML whose outermost element, named here, is none of a sitemap.
    case otherXML(String)
  }

  private enum Kind {
    case unknown
    case lines
    case sitemap(SitemapReader)
  }

  private var head: [UInt8] = []
  private var inflater: GzipInflater?
  private var isPackingKnown = false
  private var kind = Kind.unknown
  /// What was unpacked before the kind is known.
  private var start: [UInt8] = []
  private var lines = LineSplitter()
  private let onItem: (Item) -> Void

  package init(_ onItem: @escaping (Item) -> Void) { self.onItem = onItem }

  package func feed(_ bytes: [UInt8]) throws(Problem) {
    if !isPackingKnown {
      head += bytes
      guard head.count >= 2 else { return }
      isPackingKnown = true
      if GzipInflater.isPacked(head) { inflater = GzipInflater() }
      let start = head
      head = []
      return try unpack(start)
    }
    try unpack(bytes)
  }

  package func finish() throws(Problem) {
    if !isPackingKnown {
      isPackingKnown = true
      try unpack(head)
    }
    if let inflater, !inflater.isAtEnd { throw .brokenGzip }
    try read([], isLast: true)
    switch kind {
    case .unknown: break
    case .lines: lines.finish(take)
    case .sitemap(let reader):
      try take(reader.feed([], isLast: true))
      if let root = reader.root, root != "urlset", root != "sitemapindex" { throw .otherXML(root) }
    }
  }

  private func unpack(_ bytes: [UInt8]) throws(Problem) {
    guard let inflater else { return try read(bytes) }
    var problem: Problem?
    let isGood = inflater.feed(bytes) { piece in
      guard problem == nil else { return }
      do throws(Problem) { try read(piece) } catch { problem = error }
    }
    if let problem { throw problem }
    if !isGood { throw .brokenGzip }
  }

  /// The bytes that begin text in UTF-8 without meaning anything.
  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  private func read(_ bytes: [UInt8], isLast: Bool = false) throws(Problem) {
    var bytes = bytes
    if case .unknown = kind {
      start += bytes
      guard start.count >= Self.byteOrderMark.count || isLast else { return }
      let hasZero = start.prefix(2).contains(0) && !start.starts(with: [0, 0])
      if start.starts(with: [0xFE, 0xFF]) || start.starts(with: [0xFF, 0xFE]) || hasZero {
        throw .utf16
      }
      if start.starts(with: Self.byteOrderMark) { start.removeFirst(Self.byteOrderMark.count) }
      guard let first = start.first(where: { $0 > 0x20 }) else {
        start = []
        return
      }
      kind = first == UInt8(ascii: "<") ? .sitemap(SitemapReader()) : .lines
      bytes = start
      start = []
    }
    switch kind {
    case .unknown: break
    case .lines: lines.feed(bytes, take)
    case .sitemap(let reader): try take(reader.feed(bytes, isLast: false))
    }
  }

  private func take(_ found: [SitemapReader.Found]?) throws(Problem) {
    guard let found else { throw .brokenXML }
    for item in found {
      switch item {
      case .page(let text):
        if case .url(let url) = LogLine.target(Array(text.utf8)[...], holdsBlanks: true) {
          onItem(.url(url))
        } else {
          onItem(.unreadableLine)
        }
      case .sitemap(let url): onItem(.sitemap(url))
      case .tooLong: onItem(.unreadableLine)
      }
    }
  }

  private func take(_ line: LineSplitter.Line) {
    guard case .bytes(let bytes) = line else { return onItem(.unreadableLine) }
    switch LogLine.read(bytes) {
    case .url(let url): onItem(.url(url))
    case .unreadable: onItem(.unreadableLine)
    case .blank, .server: break
    }
  }
}
