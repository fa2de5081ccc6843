internal import AccessLogs

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
  package enum Problem: Error {
    case brokenGzip
    case brokenXML
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
  private var lines = LineSplitter()
  private let onItem: (Item) -> Void

  package init(_ onItem: @escaping (Item) -> Void) { self.onItem = onItem }

  package func feed(_ bytes: [UInt8]) throws(Problem) {
    if !isPackingKnown {
      head += bytes
      guard head.count >= 2 else { return }
      isPackingKnown = true
      if head[0] == 0x1F, head[1] == 0x8B { inflater = GzipInflater() }
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
    switch kind {
    case .unknown: break
    case .lines: lines.finish(take)
    case .sitemap(let reader): try take(reader.feed([], isLast: true))
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

  private func read(_ bytes: [UInt8]) throws(Problem) {
    if case .unknown = kind {
      let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
      guard let first = text.first(where: { $0 > 0x20 }) else { return }
      kind = first == UInt8(ascii: "<") ? .sitemap(SitemapReader()) : .lines
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
      case .page(let url): onItem(.url(url))
      case .sitemap(let url): onItem(.sitemap(url))
      }
    }
  }

  private func take(_ line: LineSplitter.Line) {
    guard case .bytes(let bytes) = line else { return onItem(.unreadableLine) }
    switch LogLine.read(bytes) {
    case .url(let url): onItem(.url(url))
    case .unreadable: onItem(.unreadableLine)
    case .blank: break
    }
  }
}
