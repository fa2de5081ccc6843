import LinkspanCore

/// Takes values of expected types out of a dictionary, and collects a finding for each that is of another.
struct PropertyListKeyReader {
  let document: PropertyListDocument
  /// The identifier of the findings about wrong types.
  let rule: String
  private(set) var findings: [Finding] = []

  init(_ document: PropertyListDocument, rule: String) {
    self.document = document
    self.rule = rule
  }

  mutating func string(_ key: String) -> PlacedValue<String>? {
    guard let node = document.root[key] else { return nil }
    let pointer = JSONPointer().appending(key)
    guard let text = node.string else {
      refuse(node, "'\(key)'", pointer, wanted: "a string")
      return nil
    }
    return PlacedValue(text, at: node.contentRange, pointer: pointer.description)
  }

  mutating func bool(_ key: String) -> PlacedValue<Bool>? {
    guard let node = document.root[key] else { return nil }
    let pointer = JSONPointer().appending(key)
    guard let flag = node.bool else {
      refuse(node, "'\(key)'", pointer, wanted: "a boolean")
      return nil
    }
    return PlacedValue(flag, at: node.range, pointer: pointer.description)
  }

  /// The strings of an array with their nodes; nil when the key is absent or holds no array.
  mutating func strings(_ key: String) -> [(text: String, node: PropertyListNode, pointer: String)]? {
    guard let node = document.root[key] else { return nil }
    let pointer = JSONPointer().appending(key)
    guard let elements = node.array else {
      refuse(node, "'\(key)'", pointer, wanted: "an array of strings")
      return nil
    }
    var strings: [(text: String, node: PropertyListNode, pointer: String)] = []
    for (index, element) in elements.enumerated() {
      let place = pointer.appending(index)
      if let text = element.string {
        strings.append((text, element, place.description))
      } else {
        refuse(element, "An element of '\(key)'", place, wanted: "a string")
      }
    }
    return strings
  }

  /// The same with their places alone.
  mutating func placedStrings(_ key: String) -> [PlacedValue<String>]? {
    strings(key)?.map { PlacedValue($0.text, at: $0.node.contentRange, pointer: $0.pointer) }
  }

  /// - Parameter name: What the value is called in the message: a key, or an element of it.
  mutating func refuse(_ node: PropertyListNode, _ name: String, _ pointer: JSONPointer, wanted: String) {
    guard findings.count < PropertyListLimits().findingCount else { return }
    findings.append(
      Finding(
        rule: rule, severity: .error,
        at: document.location(of: node.range, pointer: pointer.description),
        message: "\(name) is \(node.typeName), not \(wanted).",
        help: "A value of another type has no effect. Write \(wanted)."))
  }
}
