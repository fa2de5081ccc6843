internal import LinkspanCore

/// Tells a response from all others for as long as it is held, by the memory of its fields and its body: whoever changes a
/// copy of it gets other memory. So a response need not say that it is used again, and finding it compares three words.
struct ResponseIdentity: Hashable {
  private let status: Int
  private let fields: UnsafeRawPointer?
  private let body: UnsafeRawPointer?

  init(_ response: HTTPResponse) {
    status = response.status
    fields = response.fields.list.withUnsafeBufferPointer { UnsafeRawPointer($0.baseAddress) }
    body = response.body.withUnsafeBufferPointer { $0.isEmpty ? nil : UnsafeRawPointer($0.baseAddress) }
  }
}

/// Header sections of cacheable responses, as the bytes of one protocol: written and checked once, then copied for every
/// request. Confined to the thread of its loop, whose connections share it.
final class PreparedHeads {
  /// Sections kept; a guess, three for each of some hundred hosts. Above it all are forgotten and made again.
  static let limitCount = 1_024

  struct Section {
    var bytes: [UInt8]
    /// Where each name and value ends in ``bytes``, for protocols that want to know.
    var ends: [(name: Int, value: Int)] = []
  }

  private struct Key: Hashable {
    var identity: ResponseIdentity
    var answersHead: Bool
  }

  private struct Entry {
    /// Held, so that no other response gets the same identity while the section is kept.
    var response: HTTPResponse
    var section: Section
  }

  private var entries: [Key: Entry] = [:]

  /// The section of a cacheable response, or nil when it cannot be written.
  ///
  /// - Parameter make: Writes it the first time; nil when the response cannot be written.
  func section(of response: HTTPResponse, answersHead: Bool, make: () -> Section?) -> Section? {
    let key = Key(identity: ResponseIdentity(response), answersHead: answersHead)
    if let entry = entries[key] { return entry.section }
    guard let section = make() else { return nil }
    if entries.count >= Self.limitCount { entries.removeAll() }
    entries[key] = Entry(response: response, section: section)
    return section
  }
}
