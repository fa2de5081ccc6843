package import LinkspanCore

/// The headers of a request that carries a push, as texts; nil where nobody said.
package struct PushHeaders: Hashable, Sendable {
  /// A header's value and, where a file has it, its place.
  package struct Field: Hashable, Sendable {
    /// Where a file has a header's value.
    package struct Place: Hashable, Sendable {
      /// Byte offsets in the file.
      package var range: Range<Int>
      package var pointer: JSONPointer
    }

    package var text: String
    package var place: Place?

    package init(_ text: String, at place: Place? = nil) {
      self.text = text
      self.place = place
    }
  }

  /// What it means that a header is absent.
  package enum Extent: Hashable, Sendable {
    /// Nothing: only these are known.
    case some
    /// The request was recorded without it, perhaps because the recorder left it out.
    case recorded
    /// The request does not have it.
    case whole
  }

  package var type: Field?
  package var priority: Field?
  package var topic: Field?
  package var collapseIdentifier: Field?
  package var expiration: Field?
  package var messageIdentifier: Field?
  /// Names of headers of ``names`` that came once more, each with the place of its value.
  package private(set) var repeated: [Field] = []
  package var extent = Extent.some
  /// Where a file has all of them.
  private(set) var range: Range<Int>?

  /// Every header that APNs reads, in lower case; it refuses a request that has one of them twice.
  static let names = [
    "authorization", "apns-id", "apns-push-type", "apns-topic", "apns-priority", "apns-expiration",
    "apns-collapse-id", "apns-request-id", "apns-channel-id",
  ]

  package init() {}

  /// The headers of a recorded request: an object with names such as `apns-push-type`. A header that came more than once
  /// stands there as often, or has an array of values.
  ///
  /// - Parameter pointer: Where the object is in its file.
  init(_ node: JSONNode, at pointer: JSONPointer) {
    var seen: Set<String> = []
    for member in node.object ?? [] {
      let place = pointer.appending(member.name)
      let values = member.value.array.map { $0.enumerated().map { ($1, place.appending($0)) } }
      for (value, place) in values ?? [(member.value, place)] {
        guard let text = Self.text(value) else { continue }
        take(member.name, Field(text, at: .init(range: value.range, pointer: place)), &seen)
      }
    }
    range = node.range
    extent = .recorded
  }

  /// Every header of a request, in order.
  package init(_ fields: [(name: String, value: String)]) {
    var seen: Set<String> = []
    for field in fields { take(field.name, Field(field.value), &seen) }
    extent = .whole
  }

  private static func text(_ node: JSONNode) -> String? {
    switch node.value {
    case .number(let number): number
    case .bool(let value): value ? "true" : "false"
    default: node.string
    }
  }

  private mutating func take(_ name: String, _ field: Field, _ seen: inout Set<String>) {
    let name = ASCII.lowercased(name)
    guard Self.names.contains(name) else { return }
    if !seen.insert(name).inserted { repeated.append(Field(name, at: field.place)) }
    switch name {
    case "apns-id": messageIdentifier = field
    case "apns-push-type": type = field
    case "apns-topic": topic = field
    case "apns-priority": priority = field
    case "apns-expiration": expiration = field
    case "apns-collapse-id": collapseIdentifier = field
    default: break
    }
  }

  /// The same without the places, which are those of one file.
  package var withoutPlaces: PushHeaders {
    func plain(_ field: Field?) -> Field? { field.map { Field($0.text) } }
    var headers = self
    headers.type = plain(type)
    headers.priority = plain(priority)
    headers.topic = plain(topic)
    headers.collapseIdentifier = plain(collapseIdentifier)
    headers.expiration = plain(expiration)
    headers.messageIdentifier = plain(messageIdentifier)
    headers.repeated = repeated.map { Field($0.text) }
    headers.range = nil
    return headers
  }

  /// These, and where they say nothing what others say.
  func filled(from others: PushHeaders) -> PushHeaders {
    var all = others
    all.type = type ?? others.type
    all.priority = priority ?? others.priority
    all.topic = topic ?? others.topic
    all.collapseIdentifier = collapseIdentifier ?? others.collapseIdentifier
    all.expiration = expiration ?? others.expiration
    all.messageIdentifier = messageIdentifier ?? others.messageIdentifier
    all.repeated = others.repeated + repeated
    if extent == .whole { all.extent = .whole }
    return all
  }
}
