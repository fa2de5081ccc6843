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
  private let url: String
  /// Places in the URL's bytes; empty for a missing optional parameter, whose value is never the empty text.
  private let ranges: [Range<Int>]

  init(names: [String], url: String, ranges: [Range<Int>]) {
    self.names = names
    self.url = url
    self.ranges = ranges
  }

  /// The decoded text of a parameter; nil when it is missing or the route has no such parameter.
  public subscript(_ name: String) -> String? {
    guard let index = names.firstIndex(of: name), !ranges[index].isEmpty else { return nil }
    return text(ranges[index])
  }

  private func text(_ range: Range<Int>) -> String {
    url.utf8.withContiguousStorageIfAvailable { URLText.decoded($0[range]) }
      ?? Array(url.utf8).withUnsafeBufferPointer { URLText.decoded($0[range]) }
  }

  /// A parameter as the type that the context asks for: `try .recipe(id: $0("id"))`.
  ///
  /// - Throws: ``Failure`` when the route has no such parameter, or its text is no such value; the router then reports
  ///   that the URL is not the route's.
  public func callAsFunction<Value: RouteValue>(
    _ name: String, as type: Value.Type = Value.self
  ) throws(Failure) -> Value {
    guard let text = self[name] else {
      throw Failure(
        name: name,
        description: names.contains(name)
          ? "the parameter '\(name)' has no value"
          : "the route has no parameter '\(name)'; it has \(names.isEmpty ? "none" : names.joined(separator: ", "))"
      )
    }
    guard let value = Value(routeText: text) else {
      throw Failure(name: name, description: "'\(text)' is no \(Value.self) for the parameter '\(name)'")
    }
    return value
  }

  /// An optional parameter; nil when the URL has none, or one that is no such value.
  ///
  /// - Throws: ``Failure`` when the route has no such parameter.
  public func optional<Value: RouteValue>(
    _ name: String, as type: Value.Type = Value.self
  ) throws(Failure) -> Value? {
    guard names.contains(name) else { return try callAsFunction(name) }
    return self[name].flatMap(Value.init(routeText:))
  }

  /// Every parameter that has a value.
  public var values: [String: String] {
    var values: [String: String] = [:]
    for name in names { values[name] = self[name] }
    return values
  }
}
