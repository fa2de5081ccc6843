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
  ///   - host: One of the source's hosts; the first one by default.
  /// - Throws: ``PrintingError`` when no route, source or host fits, or a value does not satisfy its template.
  public func url(
    for destination: Destination, as kind: LinkSource.Kind = .universalLink, host: String? = nil
  ) throws(PrintingError) -> String {
    let (index, values) = try route(of: destination, kind)
    let rest = try table.text(table.rows[index], values)
    for source in table.sources {
      switch source {
      case .universalLinks(let hosts) where kind == .universalLink,
        .appClip(let hosts) where kind == .appClip:
        guard let host = host ?? hosts.first(where: { !$0.hasPrefix("*") }) else { continue }
        return "https://\(host)\(rest)"
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
    let row = table.rows[index]
    for case .handoff(let type, row.name) in table.sources {
      _ = try table.text(row, values)
      // A place without a web page is handed off without one.
      return Activity(
        activityType: type, userInfo: values.compactMapValues { $0 },
        webpageURL: try? url(for: destination, as: .universalLink))
    }
    throw PrintingError(description: "No Handoff source of the router names the route '\(row.name)'.")
  }

  private func route(
    of destination: Destination, _ kind: LinkSource.Kind
  ) throws(PrintingError) -> (index: Int, values: [String: String?]) {
    for (index, route) in routes.enumerated() where route.sources.contains(kind) {
      guard let values = route.write(destination) else { continue }
      return (index, values.mapValues { $0?.routeText })
    }
    throw PrintingError(description: "No route of the kind '\(kind)' writes \(destination).")
  }
}

extension RouteTable {
  /// Path, query and fragment.
  func text(_ row: Row, _ values: [String: String?]) throws(PrintingError) -> String {
    func problem(_ text: String) -> PrintingError {
      PrintingError(description: "Route '\(row.name)': \(text).")
    }
    func encoded(_ parameter: RoutePattern.Parameter, _ allowed: ByteSet) throws(PrintingError) -> String? {
      guard let value = values[parameter.name] ?? nil else {
        if parameter.isOptional { return nil }
        throw problem("the parameter '\(parameter.name)' has no value")
      }
      let text = URLText.encoded(value, keeping: allowed)
      guard Array(text.utf8).withUnsafeBufferPointer({ parameter.matches($0, 0..<$0.count) }) else {
        throw problem("'\(value)' does not satisfy the parameter '\(parameter.name)'")
      }
      return text
    }
    func value(_ condition: RoutePattern.Condition, _ allowed: ByteSet) throws(PrintingError) -> String? {
      switch condition {
      case .literal(let text): text
      case .parameter(let parameter): try encoded(parameter, allowed)
      }
    }
    var result = ""
    for segment in row.pattern.segments {
      switch segment {
      case .literal(let text): result += "/" + text
      case .parameter(let parameter):
        result +=
          "/" + parameter.prefix + (try encoded(parameter, URLText.inSegment) ?? "") + parameter.suffix
      }
    }
    if case .named(let name) = row.pattern.rest, let rest = values[name] ?? nil, !rest.isEmpty {
      guard !rest.hasPrefix("/"), !rest.hasSuffix("/") else {
        throw problem("'\(rest)' begins or ends with '/', which would not be read again")
      }
      result += "/" + URLText.encoded(rest, keeping: URLText.inSegment.union(ByteSet("/".utf8)))
    }
    if result.isEmpty { result = "/" }
    var separator = "?"
    for item in row.pattern.query {
      guard let value = try value(item.condition, URLText.inQueryValue) else { continue }
      result += separator + item.name + "=" + value
      separator = "&"
    }
    if let fragment = row.pattern.fragment, let value = try value(fragment, URLText.inFragment) {
      result += "#" + value
    }
    return result
  }
}
