/// The routes of a router, compiled: everything but the app's own type.
struct RouteTable: Sendable {
  /// One path of a route: routes with optional segments or aliases have several.
  final class Row: Sendable {
    let name: String
    /// The number of its route.
    let route: Int
    /// Whether it is only read.
    let isAlias: Bool
    let pattern: RoutePattern
    let sources: Set<LinkSource.Kind>
    let isBrowser: Bool
    /// Every parameter of the route, those last that this path has not.
    let names: [String]
    let absent: [String]
    /// Where the path has its parameters: the segment, and the bytes around them; or the parameters that share it.
    let places: [(segment: Int, prefix: Int, suffix: Int, shared: [RoutePattern.Parameter])]
    /// Which of the names are of the query's items.
    let items: Range<Int>
    /// Whether query, fragment or the rest of the path has parameters.
    let hasMore: Bool

    init(
      name: String, pattern: RoutePattern, sources: Set<LinkSource.Kind>, isBrowser: Bool, route: Int,
      isAlias: Bool, absent: [String]
    ) {
      self.name = name
      self.route = route
      self.isAlias = isAlias
      self.absent = absent
      self.pattern = pattern
      self.sources = sources
      self.isBrowser = isBrowser
      names = pattern.names + absent
      var places: [(segment: Int, prefix: Int, suffix: Int, shared: [RoutePattern.Parameter])] = []
      var count = 0
      for (index, segment) in pattern.segments.enumerated() {
        guard case .parameters(let parameters) = segment else { continue }
        count += parameters.count
        places.append(
          (
            index, parameters[0].prefix.utf8.count, parameters[parameters.count - 1].suffix.utf8.count,
            parameters.count > 1 ? parameters : []
          ))
      }
      self.places = places
      let inQuery = pattern.query.count { if case .parameter = $0.condition { true } else { false } }
      items = count..<(count + inQuery)
      hasMore = names.count > count
    }
  }

  enum Verdict {
    case route(Int, RouteParameters)
    case notALink
    case foreignScheme
    case foreignHost
    case noRoute
  }

  private struct Host: Sendable {
    /// In lower case, without `*`.
    var name: [UInt8]
    var isWildcard: Bool
    /// Nil for the scheme's own.
    var port: [UInt8]?
  }

  let rows: [Row]
  let sources: [LinkSource]
  private let tries: [RouteTrie?]
  private let hosts: [[Host]]
  /// The rows that are written, by route.
  let written: [[Int]]
  private let schemes: [[UInt8]]

  init(rows: [Row], sources: [LinkSource]) {
    self.rows = rows
    self.sources = sources
    let patterns = rows.map(\.pattern)
    var written = Array(repeating: [Int](), count: (rows.map(\.route).max() ?? -1) + 1)
    for (index, row) in rows.enumerated() where !row.isAlias { written[row.route].append(index) }
    self.written = written
    let served = Set(sources.map(\.kind))
    tries = LinkSource.Kind.allCases.map { kind in
      guard served.contains(kind) || kind == .handoff else { return nil }
      return RouteTrie(patterns) { rows[$0].sources.contains(kind) }
    }
    hosts = LinkSource.Kind.allCases.map { kind in
      sources.flatMap { source -> [Host] in
        switch source {
        case .universalLinks(let hosts) where kind == .universalLink: hosts.map(Self.host)
        case .appClip(let hosts) where kind == .appClip: hosts.map(Self.host)
        default: []
        }
      }
    }
    schemes = sources.compactMap {
      if case .customScheme(let name) = $0 { Array(name.lowercased().utf8) } else { nil }
    }
  }

  private static func host(_ text: String) -> Host {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let name = HostName.folded(String(parts[0]))
    return Host(
      name: Array(name.utf8.drop { $0 == UInt8(ascii: "*") }), isWildcard: name.hasPrefix("*."),
      port: parts.count > 1 ? Array(parts[1].utf8) : nil)
  }

  /// Whether a source of the kind has the host, as it would print it: `example.com`, or `localhost:8080`.
  func serves(_ host: String, as kind: LinkSource.Kind) -> Bool {
    guard !host.isEmpty, !host.contains(where: { "/?#@\\ %*".contains($0) }) else { return false }
    let bytes = Array(host.utf8)
    return bytes.withUnsafeBufferPointer { isServed($0, 0..<$0.count, true, hosts[Self.index(kind)]) }
  }

  /// - Parameters:
  ///   - text: A URL as a device holds it, or as somebody wrote it.
  ///   - kind: From where the link came; nil reads it from the scheme.
  func decide(_ text: String, from kind: LinkSource.Kind?) -> Verdict {
    let verdict = text.utf8.withContiguousStorageIfAvailable { bytes in
      URLText.isWritten(bytes) ? decide(bytes, text, kind) : nil
    }
    if let verdict, let verdict { return verdict }
    let url = URLText.withCapitalEscapes(URLText.held(text))
    if let verdict = url.utf8.withContiguousStorageIfAvailable({ decide($0, url, kind) }) { return verdict }
    var copy = url
    copy.makeContiguousUTF8()
    return copy.utf8.withContiguousStorageIfAvailable { decide($0, copy, kind) } ?? .notALink
  }

  private func decide(
    _ bytes: UnsafeBufferPointer<UInt8>, _ url: String, _ kind: LinkSource.Kind?
  ) -> Verdict {
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > 0 else { return .notALink }
    var start = colon + 1
    var authority = start..<start
    if start + 1 < bytes.count, bytes[start] == UInt8(ascii: "/"), bytes[start + 1] == UInt8(ascii: "/") {
      var end = start + 2
      while end < bytes.count, !Self.endsAuthority(bytes[end]) { end += 1 }
      authority = (start + 2)..<end
      start = end
    }
    let isWeb = Self.isWeb(bytes, colon)
    let source = kind ?? (isWeb ? .universalLink : .customScheme)
    let tree = Self.index(source)
    guard tries[tree] != nil else { return .foreignScheme }
    var first: Range<Int>?
    if isWeb {
      guard source != .customScheme else { return .foreignScheme }
      guard
        source == .handoff
          || isServed(bytes, authority, colon == 5, hosts[tree])
      else { return .foreignHost }
    } else {
      guard source == .customScheme, schemes.contains(where: { Self.isEqual($0, bytes[..<colon]) }) else {
        return .foreignScheme
      }
      if !authority.isEmpty { first = authority }
    }
    return withUnsafeTemporaryAllocation(of: Range<Int>.self, capacity: RoutePattern.segmentLimit + 2) {
      buffer -> Verdict in
      guard let input = Self.input(bytes, pathStart: start, first: first, buffer) else { return .notALink }
      guard let route = tries[tree]?.route(for: input) else { return .noRoute }
      return .route(route, parameters(of: rows[route], input, url, source))
    }
  }

  /// The parameters of a path, query and fragment that the row's own pattern made.
  func parameters(ofExample rest: String, _ row: Row) -> RouteParameters {
    var copy = rest
    copy.makeContiguousUTF8()
    let read = copy.utf8.withContiguousStorageIfAvailable { bytes -> RouteParameters? in
      withUnsafeTemporaryAllocation(of: Range<Int>.self, capacity: RoutePattern.segmentLimit + 2) {
        buffer -> RouteParameters? in
        guard let input = Self.input(bytes, pathStart: 0, first: nil, buffer) else { return nil }
        return parameters(of: row, input, copy, .handoff)
      }
    }
    return (read ?? nil) ?? RouteParameters(names: [], url: "")
  }

  private static func index(_ kind: LinkSource.Kind) -> Int {
    switch kind {
    case .universalLink: 0
    case .appClip: 1
    case .customScheme: 2
    case .handoff: 3
    }
  }

  @inline(__always)
  private static func endsAuthority(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
  }

  /// Whether the scheme is `http` or `https`, in any case.
  private static func isWeb(_ bytes: UnsafeBufferPointer<UInt8>, _ length: Int) -> Bool {
    guard length == 4 || length == 5 && bytes[4] | 0x20 == UInt8(ascii: "s") else { return false }
    return bytes[0] | 0x20 == UInt8(ascii: "h") && bytes[1] | 0x20 == UInt8(ascii: "t")
      && bytes[2] | 0x20 == UInt8(ascii: "t") && bytes[3] | 0x20 == UInt8(ascii: "p")
  }

  private static func isEqual(_ lower: [UInt8], _ bytes: UnsafeBufferPointer<UInt8>.SubSequence) -> Bool {
    guard lower.count == bytes.count else { return false }
    for index in lower.indices {
      let byte = bytes[bytes.startIndex + index]
      guard byte == lower[index] || URLText.lowercased(byte) == lower[index] else { return false }
    }
    return true
  }

  private static let securePort = Array("443".utf8)
  private static let plainPort = Array("80".utf8)

  /// Whether an associated domain covers the authority: user information does not count, and no associated domain names a
  /// port other than the scheme's own.
  private func isServed(
    _ bytes: UnsafeBufferPointer<UInt8>, _ authority: Range<Int>, _ isSecure: Bool, _ hosts: [Host]
  ) -> Bool {
    // Most links name a host and nothing else.
    for host in hosts where !host.isWildcard && host.port == nil {
      if Self.isEqual(host.name, bytes[authority]) { return true }
    }
    var start = authority.lowerBound
    var colon: Int?
    var isFolded = true
    for index in authority {
      switch bytes[index] {
      case UInt8(ascii: "@"): (start, colon, isFolded) = (index + 1, nil, true)
      case UInt8(ascii: ":") where colon == nil: colon = index
      case UInt8(ascii: "%"), 0x80...: isFolded = isFolded && colon != nil
      default: break
      }
    }
    let name = bytes[start..<(colon ?? authority.upperBound)]
    let port = bytes[(colon.map { $0 + 1 } ?? authority.upperBound)..<authority.upperBound]
    let isOwn = port.isEmpty || Self.isEqual(isSecure ? Self.securePort : Self.plainPort, port)
    if isFolded { return Self.isServed(name, port, isOwn, hosts) }
    return Array(HostName.folded(URLText.decoded(name)).utf8).withUnsafeBufferPointer {
      Self.isServed($0[...], port, isOwn, hosts)
    }
  }

  private static func isServed(
    _ name: UnsafeBufferPointer<UInt8>.SubSequence, _ port: UnsafeBufferPointer<UInt8>.SubSequence,
    _ isOwn: Bool, _ hosts: [Host]
  ) -> Bool {
    hosts.contains { host in
      guard host.port.map({ isEqual($0, port) }) ?? isOwn else { return false }
      if !host.isWildcard { return isEqual(host.name, name) }
      return name.count > host.name.count && isEqual(host.name, name.suffix(host.name.count))
    }
  }

  private static func input(
    _ bytes: UnsafeBufferPointer<UInt8>, pathStart: Int, first: Range<Int>?,
    _ buffer: UnsafeMutableBufferPointer<Range<Int>>
  ) -> LinkInput? {
    var pathEnd = pathStart
    while pathEnd < bytes.count, bytes[pathEnd] != UInt8(ascii: "?"), bytes[pathEnd] != UInt8(ascii: "#") {
      pathEnd += 1
    }
    guard pathEnd == pathStart || bytes[pathStart] == UInt8(ascii: "/") else { return nil }
    var query = pathEnd..<pathEnd
    var fragment = bytes.count..<bytes.count
    var place = pathEnd
    if place < bytes.count, bytes[place] == UInt8(ascii: "?") {
      let start = place + 1
      place = start
      while place < bytes.count, bytes[place] != UInt8(ascii: "#") { place += 1 }
      query = start..<place
    }
    if place < bytes.count { fragment = (place + 1)..<bytes.count }
    var end = pathEnd
    while end > pathStart, bytes[end - 1] == UInt8(ascii: "/") { end -= 1 }
    var count = 0
    if let first {
      buffer.initializeElement(at: 0, to: first)
      count = 1
    }
    var segmentStart = pathStart + 1
    var index = pathStart + 1
    while index <= end, pathStart < end, count < buffer.count {
      if index == end || bytes[index] == UInt8(ascii: "/") {
        buffer.initializeElement(at: count, to: segmentStart..<index)
        count += 1
        segmentStart = index + 1
      }
      index += 1
    }
    return LinkInput(
      bytes: bytes, segments: UnsafeBufferPointer(UnsafeMutableBufferPointer(rebasing: buffer[..<count])),
      pathEnd: end, query: query,
      fragment: fragment)
  }

  private func parameters(
    of row: Row, _ input: LinkInput, _ url: String, _ source: LinkSource.Kind
  ) -> RouteParameters {
    var parameters = RouteParameters(
      names: row.names, items: row.items, url: url, query: input.query, source: source)
    guard !row.names.isEmpty else { return parameters }
    parameters.ranges.reserveCapacity(row.names.count)
    for number in row.places.indices {
      let range = input.segments[row.places[number].segment]
      guard row.places[number].shared.isEmpty else {
        parameters.ranges += RoutePattern.split(row.places[number].shared, input.bytes, range) ?? []
        continue
      }
      parameters.ranges.append(
        (range.lowerBound + row.places[number].prefix)..<(range.upperBound - row.places[number].suffix))
    }
    if row.hasMore { addMore(of: row, input, &parameters) }
    return parameters
  }

  /// Query, fragment and rest, and what the path has not.
  private func addMore(of row: Row, _ input: LinkInput, _ parameters: inout RouteParameters) {
    for item in row.pattern.query {
      guard case .parameter(let parameter) = item.condition else { continue }
      var value = 0..<0
      var all: [Range<Int>] = []
      input.forEachValue(of: item.name) { range in
        if parameter.matches(input.bytes, range) {
          if value.isEmpty { value = range }
          all.append(range)
        }
        return parameter.isRepeated
      }
      if parameter.isRepeated { parameters.lists = parameters.lists ?? [:] }
      if parameter.isRepeated { parameters.lists?[parameters.ranges.count] = all }
      parameters.ranges.append(value)
    }
    if case .parameter(let parameter) = row.pattern.fragment {
      parameters.ranges.append(parameter.matches(input.bytes, input.fragment) ? input.fragment : 0..<0)
    }
    if case .named = row.pattern.rest {
      let count = row.pattern.segments.count
      parameters.ranges.append(
        count < input.segments.count ? input.segments[count].lowerBound..<input.pathEnd : 0..<0)
    }
    parameters.ranges += Array(repeating: 0..<0, count: row.absent.count)
  }
}
