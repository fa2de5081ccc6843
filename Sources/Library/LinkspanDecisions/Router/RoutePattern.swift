/// What a route's URLs look like: `/recipes/{id:int}?servings={servings?:int}#{section?}`.
///
/// A segment is a literal, or parameters with text around and between them, such as `@{name}` and `{width}x{height}`. A
/// parameter is `{name}` (any text that is not empty), `{name:int}`, `{name:uuid}`, `{name:hex}`, or `{name:~REGEX}` with a
/// regular expression for the whole of it. A last `*` or `{name...}` is the path itself and everything below. In the query
/// and the fragment `{name?}` is optional: a missing or unreadable value reads as nil and never keeps a link out; so is
/// `{name*}`, an item that the query may repeat. Last segments `{name?}` may be missing. Trailing slashes do not count, and
/// further query items are ignored, as in an association file.
struct RoutePattern: Sendable {
  struct Parameter: Sendable {
    var name: String
    /// What stands before and behind it in its segment, as URLs carry it.
    var prefix = ""
    var suffix = ""
    var isOptional = false
    /// An item that the query may repeat.
    var isRepeated = false
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
    /// At least one; what stands between two is the prefix of the second.
    case parameters([Parameter])
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
    for case .parameters(let parameters) in segments { found += parameters }
    for item in query { if case .parameter(let parameter) = item.condition { found.append(parameter) } }
    if case .parameter(let parameter) = fragment { found.append(parameter) }
    return found
  }

  var hasPathParameters: Bool { segments.contains { if case .parameters = $0 { true } else { false } } }

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
      case .parameters(let parameters):
        for parameter in parameters {
          parts += [.literal(parameter.prefix), parameter.expression, .literal(parameter.suffix)]
        }
      }
    }
    if rest != .none {
      parts.append(
        .choice([.empty, .sequence([.literal("/"), .repeated(.set(.all), least: 0, most: nil)])]))
    }
    return .sequence(parts)
  }

  /// The pattern with each number of its optional last segments, the longest first.
  var variants: [RoutePattern] {
    var variants: [RoutePattern] = []
    var pattern = self
    while true {
      var fixed = pattern
      fixed.segments = pattern.segments.map { segment in
        guard case .parameters(var parameters) = segment else { return segment }
        for place in parameters.indices { parameters[place].isOptional = false }
        return .parameters(parameters)
      }
      variants.append(fixed)
      guard case .parameters(let last)? = pattern.segments.last, last[0].isOptional else { return variants }
      pattern.segments.removeLast()
    }
  }

  /// The values of parameters that share a segment; nil when the segment is not theirs.
  ///
  /// The text between two begins with a byte that the first cannot contain, so there is one way at most.
  static func split(
    _ parameters: [Parameter], _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>
  ) -> [Range<Int>]? {
    var ranges: [Range<Int>] = []
    var start = range.lowerBound
    for (number, parameter) in parameters.enumerated() {
      let low = start + parameter.prefix.utf8.count
      guard low <= range.upperBound, isEqual(parameter.prefix, bytes, start..<low) else { return nil }
      var high = range.upperBound - parameter.suffix.utf8.count
      if number + 1 < parameters.count {
        let separator = parameters[number + 1].prefix.utf8.first
        guard let place = bytes[low..<range.upperBound].firstIndex(where: { $0 == separator }) else {
          return nil
        }
        high = place
      } else if low <= high, !isEqual(parameter.suffix, bytes, high..<range.upperBound) {
        return nil
      }
      guard low < high, parameter.matches(bytes, low..<high) else { return nil }
      ranges.append(low..<high)
      start = high
    }
    return ranges
  }
}
