internal import LinkspanCore

/// Header sections of responses that were made beforehand, as the bytes of one protocol: written and checked once, then
/// copied for every request. Confined to the thread of its loop, whose connections share it.
final class PreparedHeads {
  /// Sections kept; a guess, three for each of some hundred hosts. Above it all are forgotten and made again.
  static let limitCount = 1_024

  struct Section {
    var bytes: [UInt8]
    /// Where each name and value ends in ``bytes``, for protocols that want to know.
    var ends: [(name: Int, value: Int)] = []
  }

  private struct Key: Hashable {
    var identity: ObjectIdentifier
    var answersHead: Bool
  }

  private struct Entry {
    /// Held, so that no other response gets the same identity while the section is kept.
    var identity: PreparedIdentity
    var section: Section
  }

  private var entries: [Key: Entry] = [:]

  /// The section of a response, or nil when it has no identity and has to be written in full.
  ///
  /// - Parameter make: Writes it the first time; nil when the response cannot be written.
  func section(of response: HTTPResponse, answersHead: Bool, make: () -> Section?) -> Section? {
    guard let identity = response.prepared else { return nil }
    let key = Key(identity: ObjectIdentifier(identity), answersHead: answersHead)
    if let entry = entries[key] { return entry.section }
    guard let section = make() else { return nil }
    if entries.count >= Self.limitCount { entries.removeAll() }
    entries[key] = Entry(identity: identity, section: section)
    return section
  }
}
