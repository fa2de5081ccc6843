internal import LinkspanCore

/// The headers that a payload is judged together with; nil where nobody said.
package struct PushHeaders: Sendable {
  /// A header's value and, where a file has it, its place.
  package struct Field: Sendable {
    package var text: String
    package var range: Range<Int>?

    package init(_ text: String, at range: Range<Int>? = nil) {
      self.text = text
      self.range = range
    }
  }

  package var type: Field?
  package var priority: Field?
  package var topic: Field?
  package var collapseIdentifier: Field?
  package var expiration: Field?

  package init() {}

  /// The headers of a recorded request: an object with names such as `apns-push-type`.
  init(_ node: JSONNode) {
    for member in node.object ?? [] {
      let text: String? =
        if case .number(let number) = member.value.value { number } else { member.value.string }
      guard let text else { continue }
      let field = Field(text, at: member.value.range)
      switch ASCII.lowercased(member.name) {
      case "apns-push-type": type = field
      case "apns-priority": priority = field
      case "apns-topic": topic = field
      case "apns-collapse-id": collapseIdentifier = field
      case "apns-expiration": expiration = field
      default: continue
      }
    }
  }
}
