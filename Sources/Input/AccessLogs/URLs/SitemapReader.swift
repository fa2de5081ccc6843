internal import CExpat

/// Reads the URLs of a sitemap, or of an index of sitemaps, piece by piece.
///
/// - Source: sitemaps.org, "Sitemaps XML format".
final class SitemapReader {
  enum Found {
    case page(String)
    /// Another sitemap that an index names.
    case sitemap(String)
    /// A text that is too long for a URL.
    case tooLong
  }

  private let parser: XML_Parser?
  private var text: [UInt8] = []
  private var path: [String] = []
  /// The outermost element, without its prefix.
  private(set) var root: String?
  private var found: [Found] = []
  /// Ours: sitemaps.org allows 2,048 characters in a URL.
  private static let urlLimitBytes = 65_536

  init() {
    parser = XML_ParserCreate(nil)
    guard let parser else { return }
    XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
    XML_SetElementHandler(
      parser,
      { context, name, _ in SitemapReader.from(context).start(name.map { String(cString: $0) } ?? "") },
      { context, _ in SitemapReader.from(context).end() })
    XML_SetCharacterDataHandler(parser) { context, text, length in
      guard let text, length > 0 else { return }
      text.withMemoryRebound(to: UInt8.self, capacity: Int(length)) { start in
        SitemapReader.from(context).add(UnsafeBufferPointer(start: start, count: Int(length)))
      }
    }
  }

  deinit { if let parser { XML_ParserFree(parser) } }

  /// - Returns: What was found in the piece; nil when the XML is broken there.
  func feed(_ bytes: [UInt8], isLast: Bool) -> [Found]? {
    guard let parser else { return nil }
    let status = bytes.withUnsafeBytes { buffer in
      XML_Parse(
        parser, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(clamping: buffer.count),
        isLast ? 1 : 0)
    }
    defer { found = [] }
    return status == XML_STATUS_OK ? found : found.isEmpty ? nil : found
  }

  private func start(_ name: String) {
    path.append(name.split(separator: ":").last.map(String.init) ?? name)
    root = root ?? path.first
    text = []
  }

  private func add(_ bytes: UnsafeBufferPointer<UInt8>) {
    // Expat hands a text over in pieces: without one in the middle the rest would be another URL.
    guard path.last == "loc", text.count <= Self.urlLimitBytes else { return }
    text += bytes
  }

  private func end() {
    let name = path.popLast()
    guard name == "loc", let parent = path.last, parent == "url" || parent == "sitemap" else { return }
    guard text.count <= Self.urlLimitBytes else { return found.append(.tooLong) }
    let url = String(
      decoding: text.drop { $0 <= 0x20 }.reversed().drop { $0 <= 0x20 }.reversed(), as: UTF8.self)
    found.append(parent == "url" ? .page(url) : .sitemap(url))
  }

  private static func from(_ context: UnsafeMutableRawPointer?) -> SitemapReader {
    guard let context else { preconditionFailure("expat gives back the user data it was given") }
    return Unmanaged<SitemapReader>.fromOpaque(context).takeUnretainedValue()
  }
}
