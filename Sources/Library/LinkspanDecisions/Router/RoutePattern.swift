/// What a route's URLs look like: `/recipes/{id:int}?servings={servings?:int}#{section?}`.
///
/// A segment is a literal, or one parameter with what stands around it, such as `@{name}`. A parameter is `{name}` (any
/// text that is not empty), `{name:int}`, `{name:uuid}`, `{name:hex}`, or `{name:~REGEX}` with a regular expression for
/// the whole of it. A last `*` or `{name...}` is the path itself and everything below. In the query and the fragment
/// `{name?}` is optional: a missing or unreadable value reads as nil and never keeps a link out. Trailing slashes do not
/// count, and further query items are ignored, as in an association file.
struct RoutePattern: Sendable {
  struct Parameter: Sendable {
    var name: String
    /// What stands before and behind it in its segment, as URLs carry it.
    var prefix = ""
    var suffix = ""
    var isOptional = false
    var expression = PathExpression.segment
    /// Nil when any text will do that is not empty.
    var matcher: SegmentMatcher?

    @inline(__always)
    func matches(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Bool {
      guard let matcher else { return !range.isEmpty }
      return matcher.matches(bytes, range)
    }
  }

  enum Segment: Sendable {
    /// As URLs carry it.
    case literal(String)
    case parameter(Parameter)
  }

  enum Rest: Sendable, Equatable {
    case none
    case anything
    case named(String)
  }

  enum Condition: Sendable {
    case literal(String)
    case parameter(Parameter)

    /// A condition that keeps URLs out.
    var isRequired: Bool { if case .parameter(let parameter) = self { !parameter.isOptional } else { true } }

    func holds(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Bool {
      switch self {
      case .literal(let text): RoutePattern.isEqual(text, bytes, range)
      case .parameter(let parameter): parameter.matches(bytes, range)
      }
    }
  }

  struct Item: Sendable {
    /// As URLs carry it.
    var name: String
    var condition: Condition
  }

  var text: String
  var segments: [Segment] = []
  var rest = Rest.none
  var query: [Item] = []
  var fragment: Condition?

  /// Every parameter, in the order of the template.
  var parameters: [Parameter] {
    var found: [Parameter] = []
    for case .parameter(let parameter) in segments { found.append(parameter) }
    for item in query { if case .parameter(let parameter) = item.condition { found.append(parameter) } }
    if case .parameter(let parameter) = fragment { found.append(parameter) }
    return found
  }

  var hasPathParameters: Bool { segments.contains { if case .parameter = $0 { true } else { false } } }

  var names: [String] {
    var names = parameters.map(\.name)
    if case .named(let name) = rest { names.append(name) }
    return names
  }

  @inline(__always)
  static func isEqual(_ text: String, _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Bool {
    text.utf8.count == range.count && text.utf8.elementsEqual(bytes[range])
  }

  /// The paths, without trailing slashes.
  var pathExpression: PathExpression {
    var parts: [PathExpression] = []
    for segment in segments {
      parts.append(.literal("/"))
      switch segment {
      case .literal(let text): parts.append(.literal(text))
      case .parameter(let parameter):
        parts += [.literal(parameter.prefix), parameter.expression, .literal(parameter.suffix)]
      }
    }
    if rest != .none {
      parts.append(
        .choice([.empty, .sequence([.literal("/"), .repeated(.set(.all), least: 0, most: nil)])]))
    }
    return .sequence(parts)
  }

  /// A URL's path, query and fragment that the pattern holds for.
  var example: String {
    func value(_ parameter: Parameter) -> String { parameter.matcher?.example ?? "a" }
    var path = segments.map { segment in
      switch segment {
      case .literal(let text): "/" + text
      case .parameter(let parameter): "/" + parameter.prefix + value(parameter) + parameter.suffix
      }
    }.joined()
    if rest != .none { path += "/a" }
    if path.isEmpty { path = "/" }
    let items = query.map { item in
      switch item.condition {
      case .literal(let text): item.name + "=" + text
      case .parameter(let parameter): item.name + "=" + value(parameter)
      }
    }
    let query = items.isEmpty ? "" : "?" + items.joined(separator: "&")
    return switch fragment {
    case nil: path + query
    case .literal(let text): path + query + "#" + text
    case .parameter(let parameter): path + query + "#" + value(parameter)
    }
  }
}
