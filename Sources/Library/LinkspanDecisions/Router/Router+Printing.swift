extension Router {
  /// A Handoff activity for a place: what to put into an `NSUserActivity`.
  public struct Activity: Sendable, Equatable {
    /// The activity's type.
    public var activityType: String
    /// The parameters of its route.
    public var userInfo: [String: String]
    /// The page for a device without the app; nil when no universal link leads to the place.
    public var webpageURL: String?
  }

  /// The link of a place.
  ///
  /// - Parameters:
  ///   - kind: What kind of link; a universal link by default.
  ///   - host: One of the source's hosts, or one below its `*.`; the first one by default.
  /// - Throws: ``PrintingError`` when no route, source or host fits, or a value does not satisfy its template.
  public func url(
    for destination: Destination, as kind: LinkSource.Kind = .universalLink, host: String? = nil
  ) throws(PrintingError) -> String {
    let (index, values) = try route(of: destination, kind)
    let rest = try table.text(table.rows[table.row(ofRoute: index, for: values)], values)
    let steps = rest.prefix { $0 != "?" && $0 != "#" }.split(separator: "/")
    if let step = steps.first(where: { $0 == "." || $0 == ".." }) {
      throw PrintingError(
        description:
          "Route '\(routes[index].name)': browsers resolve '\(step)' in a path, and the link leads elsewhere."
      )
    }
    if let host, kind != .customScheme, !table.serves(host, as: kind) {
      throw PrintingError(
        description:
          "'\(host)' is no host of the router's sources of the kind '\(kind)'; add it to one of them.")
    }
    for source in table.sources {
      switch source {
      case .universalLinks(let hosts) where kind == .universalLink,
        .appClip(let hosts) where kind == .appClip:
        guard let host = host ?? hosts.first(where: { !$0.hasPrefix("*") }) else { continue }
        return Self.scheme(of: host) + "://\(host)\(rest)"
      case .customScheme(let scheme) where kind == .customScheme:
        return "\(scheme):/\(rest)"
      default: continue
      }
    }
    throw PrintingError(description: "The router has no source of the kind '\(kind)' with a host to print.")
  }

  /// The Handoff activity of a place.
  ///
  /// - Throws: ``PrintingError`` when no source of the router hands the place's route off.
  public func activity(for destination: Destination) throws(PrintingError) -> Activity {
    let (index, values) = try route(of: destination, .handoff)
    let row = table.rows[table.row(ofRoute: index, for: values)]
    for case .handoff(let type, row.name) in table.sources {
      _ = try table.text(row, values)
      // A place without a web page is handed off without one.
      return Activity(
        activityType: type, userInfo: values.compactMapValues { $0 },
        webpageURL: try? url(for: destination, as: .universalLink))
    }
    throw PrintingError(description: "No Handoff source of the router names the route '\(row.name)'.")
  }

  /// A server for tests on the developer's machine has no certificate.
  private static func scheme(of host: String) -> String {
    ["localhost", "127.0.0.1"].contains(host.prefix { $0 != ":" }) && host.contains(":") ? "http" : "https"
  }

  private func route(
    of destination: Destination, _ kind: LinkSource.Kind
  ) throws(PrintingError) -> (index: Int, values: [String: String?]) {
    for (index, route) in routes.enumerated() where route.sources.contains(kind) {
      guard let values = route.write(destination) else { continue }
      for (name, value) in values.sorted(by: { $0.key < $1.key }) {
        guard let value, let text = Self.unreadText(of: value) else { continue }
        throw PrintingError(
          description:
            "Route '\(route.name)': '\(text)' is no \(type(of: value)) for the parameter '\(name)'.")
      }
      return (index, texts(values))
    }
    throw PrintingError(description: "No route of the kind '\(kind)' writes \(destination).")
  }

  /// What the value's own type would not read again, such as `nan`; nil for a value that it reads.
  private static func unreadText(of value: any RouteValue) -> String? {
    if let list = value as? [any RouteValue] { return list.compactMap { unreadText(of: $0) }.first }
    let text = value.routeText
    // An empty text is the template's to refuse.
    return text.isEmpty || reads(text, asIn: value) ? nil : text
  }

  private static func reads<Value: RouteValue>(_ text: String, asIn value: Value) -> Bool {
    Value(routeText: text) != nil
  }
}

extension Router {
  /// The texts of what a route's closure writes; an empty list is nothing.
  func texts(_ values: [String: (any RouteValue)?]) -> [String: String?] {
    values.mapValues { value in
      guard let text = value?.routeText, !(text.isEmpty && value is any RepeatedRouteValue) else {
        return nil
      }
      return text
    }
  }

  /// The places that lie below a place, as a person would go back through them: those of the shorter paths of its link, the
  /// shortest first, and the place itself last.
  ///
  /// So `/recipes/42/photos/1` has `/`, `/recipes` and `/recipes/42` below it, as far as they are routes.
  ///
  /// - Throws: ``PrintingError`` when the place has no link of the kind.
  public func backStack(
    of destination: Destination, as kind: LinkSource.Kind = .universalLink
  ) throws(PrintingError) -> [Destination] {
    let url = try url(for: destination, as: kind)
    var path = url.prefix { $0 != "?" && $0 != "#" }
    let colon = path.firstIndex(of: ":") ?? path.startIndex
    // Behind 'https://host', or behind 'scheme:/'.
    let start = path[colon...].dropFirst(kind == .customScheme ? 2 : 3)
    let root = kind == .customScheme ? start.startIndex : start.firstIndex(of: "/") ?? path.endIndex
    var stack = [destination]
    while let slash = path[root...].lastIndex(of: "/") {
      let isRoot = slash == root
      path = path[..<slash]
      // '/a/' is the place of '/a', which comes next where two slashes follow each other.
      if !isRoot, path.hasSuffix("/") { continue }
      let text = String(path) + (isRoot ? "/" : "")
      if text != url, let place = self.destination(for: text, from: kind) { stack.append(place) }
      if isRoot { break }
    }
    return stack.reversed()
  }
}

extension RouteTable {
  /// The path of a route that has a place for the values: the longest whose parameters all have one.
  func row(ofRoute route: Int, for values: [String: String?]) -> Int {
    func has(_ name: String) -> Bool { values[name].map { $0 != nil } ?? false }
    return written[route].first { index in
      rows[index].pattern.segments.allSatisfy { segment in
        guard case .parameters(let parameters) = segment else { return true }
        return parameters.allSatisfy { has($0.name) }
      }
    } ?? written[route][0]
  }

  /// Path, query and fragment.
  func text(_ row: Row, _ values: [String: String?]) throws(PrintingError) -> String {
    func problem(_ text: String) -> PrintingError {
      PrintingError(description: "Route '\(row.name)': \(text).")
    }
    if let name = row.absent.first(where: { (values[$0] ?? nil) != nil }) {
      throw problem("the parameter '\(name)' has a value, and one in front of it has none")
    }
    func encoded(
      _ parameter: RoutePattern.Parameter, _ allowed: ByteSet, _ part: String? = nil
    ) throws(PrintingError) -> String? {
      guard let value = part ?? values[parameter.name] ?? nil else {
        if parameter.isOptional { return nil }
        throw problem("the parameter '\(parameter.name)' has no value")
      }
      let text = URLText.encoded(value, keeping: allowed)
      guard Array(text.utf8).withUnsafeBufferPointer({ parameter.matches($0, 0..<$0.count) }) else {
        throw problem("'\(value)' does not satisfy the parameter '\(parameter.name)'")
      }
      return text
    }
    func written(
      _ condition: RoutePattern.Condition, _ allowed: ByteSet
    ) throws(PrintingError) -> [String] {
      guard case .parameter(let parameter) = condition else {
        if case .literal(let text) = condition { return [text] }
        return []
      }
      guard parameter.isRepeated, let all = values[parameter.name] ?? nil else {
        return try encoded(parameter, allowed).map { [$0] } ?? []
      }
      var texts: [String] = []
      for part in all.split(separator: RouteParameters.separator, omittingEmptySubsequences: false) {
        if let text = try encoded(parameter, allowed, String(part)) { texts.append(text) }
      }
      return texts
    }
    var result = ""
    for segment in row.pattern.segments {
      switch segment {
      case .literal(let text): result += "/" + text
      case .parameters(let parameters):
        result += "/"
        for parameter in parameters {
          result += parameter.prefix + (try encoded(parameter, URLText.inSegment) ?? "") + parameter.suffix
        }
      }
    }
    if case .named(let name) = row.pattern.rest, let rest = values[name] ?? nil {
      // As of every parameter: what a link does not have is nil when it is read.
      guard !rest.isEmpty else { throw problem("'' does not satisfy the parameter '\(name)'") }
      guard !rest.hasPrefix("/"), !rest.hasSuffix("/") else {
        throw problem("'\(rest)' begins or ends with '/', which would not be read again")
      }
      result += "/" + URLText.encoded(rest, keeping: URLText.inSegment.union(ByteSet("/".utf8)))
    }
    if result.isEmpty { result = "/" }
    var separator = "?"
    for item in row.pattern.query {
      for value in try written(item.condition, URLText.inQueryValue) {
        result += separator + item.name + "=" + value
        separator = "&"
      }
    }
    if let fragment = row.pattern.fragment, let value = try written(fragment, URLText.inFragment).first {
      result += "#" + value
    }
    return result
  }
}
