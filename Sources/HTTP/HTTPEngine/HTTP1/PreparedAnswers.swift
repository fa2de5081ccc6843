internal import LinkspanCore

/// Whole cacheable answers of HTTP/1.1, head and body in one piece, of which only the date changes: what goes out
/// for a request is the same memory every time. Confined to the thread of its loop, whose connections share it.
final class PreparedAnswers {
  /// Bytes kept, all together; a guess, some thousand hosts. Above it all are forgotten and made again.
  static let limitBytes = 16_777_216

  struct Key: Hashable {
    var identity: ResponseIdentity
    var answersHead: Bool
    var connection: HTTP1ResponseWriter.Connection
  }

  private final class Answer {
    let key: Key
    /// Held, so that no other response gets the same identity while the answer is kept.
    let response: HTTPResponse
    var bytes: [UInt8]
    var date: String
    let dateStart: Int

    init(_ key: Key, _ response: HTTPResponse, _ bytes: [UInt8], date: String, dateStart: Int) {
      self.key = key
      self.response = response
      self.bytes = bytes
      self.date = date
      self.dateStart = dateStart
    }
  }

  private var answers: [Key: Answer] = [:]
  private(set) var keptBytes = 0
  /// The one given last, which most often is the one asked for next.
  private var last: Answer?

  /// The answer's bytes, or nil when there is none yet.
  func bytes(_ key: Key, date: String) -> [UInt8]? {
    if last?.key != key { last = answers[key] }
    guard let last else { return nil }
    if last.date != date {
      let range = last.dateStart..<(last.dateStart + last.date.utf8.count)
      last.bytes.replaceSubrange(range, with: date.utf8)
      last.date = date
    }
    return last.bytes
  }

  /// Keeps an answer that was just written.
  ///
  /// - Parameter dateStart: Where `date` begins in `bytes`.
  func keep(_ bytes: [UInt8], _ key: Key, _ response: HTTPResponse, date: String, dateStart: Int) {
    guard bytes.count <= Self.limitBytes else { return }
    if keptBytes + bytes.count > Self.limitBytes {
      answers.removeAll()
      keptBytes = 0
    }
    keptBytes += bytes.count
    answers[key] = Answer(key, response, bytes, date: date, dateStart: dateStart)
  }
}
