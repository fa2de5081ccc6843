/// What a URL says for the parameters of its route.
public struct RouteParameters: Sendable {
  /// A parameter that a route's closure asked for and cannot have.
  public struct Failure: Error, Sendable, Equatable, CustomStringConvertible {
    /// The parameter's name.
    public var name: String
    /// What is wrong, and what to do.
    public var description: String
  }

  /// The names of the route's parameters, in the order of its template.
  public let names: [String]
  /// From where the link came.
  public let source: LinkSource.Kind
  private let url: String
  /// Which of the names are of the query's items.
  private let items: Range<Int>
  private let query: Range<Int>
  /// Places in the URL's bytes; empty for a missing optional parameter, whose value is never the empty text.
  var ranges: [Range<Int>] = []
  /// The places of repeated items, by the number of the name; nil where the route has none, which costs nothing to copy.
  var lists: [Int: [Range<Int>]]?
  /// Makes values up, where a router proves itself.
  var probe: RouteProbe?

  init(
    names: [String], items: Range<Int> = 0..<0, url: String, query: Range<Int> = 0..<0,
    source: LinkSource.Kind = .handoff
  ) {
    self.names = names
    self.items = items
    self.url = url
    self.query = query
    self.source = source
  }

  /// Stands between the values of a repeated item where they are one text.
  static let separator: Character = "\u{1F}"

  /// The decoded text of a parameter; nil when it is missing or the route has no such parameter.
  public subscript(_ name: String) -> String? {
    if let probe { return names.contains(name) ? probe.text(name, String.self) : nil }
    guard let index = names.firstIndex(of: name) else { return nil }
    let isItem = items.contains(index)
    if let list = lists?[index] {
      return list.isEmpty ? nil : list.map { text($0, isItem) }.joined(separator: String(Self.separator))
    }
    return ranges[index].isEmpty ? nil : text(ranges[index], isItem)
  }

  private func text(_ range: Range<Int>, _ isItem: Bool) -> String {
    url.utf8.withContiguousStorageIfAvailable { URLText.decoded($0[range], plusIsBlank: isItem) }
      ?? Array(url.utf8).withUnsafeBufferPointer { URLText.decoded($0[range], plusIsBlank: isItem) }
  }

  /// A parameter as the type that the context asks for: `try .recipe(id: $0("id"))`.
  ///
  /// - Throws: ``Failure`` when the route has no such parameter, or its text is no such value; the router then reports
  ///   that the URL is not the route's.
  @inlinable
  public func callAsFunction<Value: RouteValue>(
    _ name: String, as type: Value.Type = Value.self
  ) throws(Failure) -> Value {
    let text = try text(of: name, for: type)
    guard let value = Value(routeText: text) else { throw unreadable(name, text, type) }
    if isProbed { note(name, value.routeText) }
    return value
  }

  // The parts of the function above that are the same for every type. An app compiles only what is left, for its own types,
  // so that no look-up of a type happens for each link.

  @usableFromInline
  func text(of name: String, for type: any RouteValue.Type) throws(Failure) -> String {
    if let text = probe.flatMap({ names.contains(name) ? $0.text(name, type) : nil }) ?? self[name] {
      return text
    }
    let known = names.isEmpty ? "none" : names.joined(separator: ", ")
    throw Failure(
      name: name,
      description: names.contains(name)
        ? "the parameter '\(name)' has no value" : "the route has no parameter '\(name)'; it has \(known)")
  }

  @usableFromInline
  func unreadable(_ name: String, _ text: String, _ type: any RouteValue.Type) -> Failure {
    Failure(name: name, description: "'\(text)' is no \(type) for the parameter '\(name)'")
  }

  @usableFromInline var isProbed: Bool { probe != nil }

  @usableFromInline
  func note(_ name: String, _ text: String?) { probe?.note(name, text) }

  /// An optional parameter; nil when the URL has none, or one that is no such value.
  ///
  /// - Throws: ``Failure`` when the route has no such parameter.
  public func optional<Value: RouteValue>(
    _ name: String, as type: Value.Type = Value.self
  ) throws(Failure) -> Value? {
    guard names.contains(name) else { return try callAsFunction(name) }
    let text = probe.map { $0.text(name, type) } ?? self[name]
    let value = text.flatMap(Value.init(routeText:))
    probe?.note(name, value?.routeText)
    return value
  }

  /// The values of an item that the query may repeat, as in `?tag={tag*}`; those that are no such value are left out.
  ///
  /// - Throws: ``Failure`` when the route has no such parameter.
  public func all<Value: RouteValue>(
    _ name: String, as type: Value.Type = Value.self
  ) throws(Failure) -> [Value] {
    try optional(name, as: [Value].self) ?? []
  }

  /// Every parameter that has a value.
  public var values: [String: String] {
    var values: [String: String] = [:]
    for name in names { values[name] = self[name] }
    return values
  }

  /// An item of the query that the template need not name, such as `utm_source`: for counting, not for the place.
  public func item(_ name: String) -> String? {
    Array(url.utf8).withUnsafeBufferPointer { bytes in
      let input = LinkInput(
        bytes: bytes, segments: UnsafeBufferPointer(start: nil, count: 0), pathEnd: 0, query: query,
        fragment: 0..<0)
      var found: Range<Int>?
      input.forEachValue(of: URLText.encodedQueryValue(name)) { range in
        found = range
        return false
      }
      return found.map { URLText.decoded(bytes[$0], plusIsBlank: true) }
    }
  }
}
