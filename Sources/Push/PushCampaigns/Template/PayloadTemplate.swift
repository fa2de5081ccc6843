internal import LinkspanCore

/// A payload with places for what is known of a device, inside of its JSON strings:
///
/// - `{{alias|there}}` is the device's alias, or `there`;
/// - `{{#if alias}}Hi {{alias}}{{else}}Hi{{/if}}` depends on whether there is one, `{{#if tag:gold}}` on a tag.
///
/// A value is escaped as JSON wants it and cut to ``valueLimit`` scalars, so that no device can change the structure of a
/// payload or make it too large.
package struct PayloadTemplate: Hashable, Sendable {
  /// What a place can name.
  package enum Name: String, Hashable, Sendable, CaseIterable {
    case alias
    case language
    case locale
    case timeZone = "time_zone"
    case appVersion = "app_version"
    case badge
  }

  package enum Condition: Hashable, Sendable {
    case has(Name)
    case tag(Tag)
  }

  /// A tag by its bytes, which are what the registry's stores tell tags apart by.
  package typealias Tag = [UInt8]

  /// What is known of a device.
  package struct Values: Hashable, Sendable {
    package var texts: [Name: String]
    package var tags: Set<Tag>

    package init(texts: [Name: String] = [:], tags: [String] = []) {
      self.texts = texts
      self.tags = Set(tags.map { Array($0.utf8) })
    }

    func meets(_ condition: Condition) -> Bool {
      switch condition {
      case .has(let name): texts[name] != nil
      case .tag(let tag): tags.contains(tag)
      }
    }
  }

  /// Why a text is no template.
  package struct Problem: Error, Hashable {
    package var message: String
  }

  indirect enum Node: Hashable, Sendable {
    case text(String)
    case value(Name, fallback: String?)
    case branch(Condition, [Node], [Node])
  }

  /// Of a value, in Unicode scalars. Ours.
  package static let valueLimit = 100
  /// Conditions that differ, since each doubles the payloads that are checked. Ours.
  package static let conditionLimit = 6
  /// Of branches inside of branches. Ours.
  package static let depthLimit = 4

  private let nodes: [Node]

  init(_ nodes: [Node]) { self.nodes = nodes }

  /// The payload for a device.
  package func text(for values: Values) -> String {
    var text = ""
    Self.write(nodes, values, to: &text)
    return text
  }

  private static func write(_ nodes: [Node], _ values: Values, to text: inout String) {
    for node in nodes {
      switch node {
      case .text(let part): text += part
      case .value(let name, let fallback):
        text += values.texts[name].map(escaped) ?? fallback ?? ""
      case .branch(let condition, let yes, let no):
        write(values.meets(condition) ? yes : no, values, to: &text)
      }
    }
  }

  private static func escaped(_ value: String) -> String {
    var cut = String.UnicodeScalarView()
    cut.append(contentsOf: value.unicodeScalars.prefix(valueLimit))
    return String(JSON.string(String(cut)).text.dropFirst().dropLast())
  }

  // MARK: - Every branch

  /// The conditions in it, in their order, each once.
  package var conditions: [Condition] {
    var found: [Condition] = []
    func collect(_ nodes: [Node]) {
      for case .branch(let condition, let yes, let no) in nodes {
        if !found.contains(condition) { found.append(condition) }
        collect(yes)
        collect(no)
      }
    }
    collect(nodes)
    return found
  }

  private var names: Set<Name> {
    var found: Set<Name> = []
    func collect(_ nodes: [Node]) {
      for node in nodes {
        switch node {
        case .text: continue
        case .value(let name, _): found.insert(name)
        case .branch(_, let yes, let no):
          collect(yes)
          collect(no)
        }
      }
    }
    collect(nodes)
    return found
  }

  /// A payload for each way through the branches, with values as long as they can be and without values.
  package var renderings: [String] {
    let conditions = conditions
    // Four bytes in UTF-8, which is the longest scalar.
    let longText = String(repeating: "\u{1F4EF}", count: Self.valueLimit)
    let longest = { (name: Name) in name == .badge ? "\(Int32.max)" : longText }
    var texts: [String] = []
    for choice in 0..<(1 << conditions.count) {
      // Every device has a badge.
      var values = Values(texts: [.badge: "0"])
      for (index, condition) in conditions.enumerated() where choice >> index & 1 == 1 {
        switch condition {
        case .has(let name): values.texts[name] = longest(name)
        case .tag(let tag): values.tags.insert(tag)
        }
      }
      texts.append(text(for: values))
      for name in names where !conditions.contains(.has(name)) { values.texts[name] = longest(name) }
      texts.append(text(for: values))
    }
    var seen: Set<String> = []
    return texts.filter { seen.insert($0).inserted }
  }
}
