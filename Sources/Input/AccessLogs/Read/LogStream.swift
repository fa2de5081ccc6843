internal import LinkspanFiles

/// Takes the bytes of an access log, packed with gzip or not, and hands on its requests.
package final class LogStream {
  package enum Item {
    case entry(LogEntry)
    case unreadableLine
  }

  /// The input is packed, and broken.
  package struct BrokenGzip: Error {}

  private var head: [UInt8] = []
  private var isPackingKnown = false
  private var inflater: GzipInflater?
  private var lines = LineSplitter()
  private let onItem: (Item) -> Void

  package init(_ onItem: @escaping (Item) -> Void) { self.onItem = onItem }

  package func feed(_ bytes: [UInt8]) throws(BrokenGzip) {
    var bytes = bytes
    if !isPackingKnown {
      head += bytes
      guard head.count >= 2 else { return }
      begin()
      bytes = head
      head = []
    }
    guard let inflater else { return lines.feed(bytes, take) }
    if !inflater.feed(bytes, { lines.feed($0, take) }) { throw BrokenGzip() }
  }

  /// The line without a line end at the end of the input.
  package func finish() throws(BrokenGzip) {
    if !isPackingKnown {
      begin()
      lines.feed(head, take)
    }
    lines.finish(take)
    if let inflater, !inflater.isAtEnd { throw BrokenGzip() }
  }

  private func begin() {
    isPackingKnown = true
    if GzipInflater.isPacked(head) { inflater = GzipInflater() }
  }

  private func take(_ line: LineSplitter.Line) {
    guard case .bytes(let bytes) = line else { return onItem(.unreadableLine) }
    if bytes.allSatisfy({ $0 <= 0x20 }) { return }
    onItem(LogEntry(bytes).map(Item.entry) ?? .unreadableLine)
  }
}
