/// The routes of a router, compiled: everything but the app's own type.
struct RouteTable: Sendable {
  final class Row: Sendable {
    let name: String
    let pattern: RoutePattern
    let sources: Set<LinkSource.Kind>
    let isBrowser: Bool
    let names: [String]
    /// Where the path has its parameters: the segment, and the bytes around them.
    let places: [(segment: Int, prefix: Int, suffix: Int)]
    /// Whether query, fragment or the rest of the path has parameters.
    let hasMore: Bool

    init(name: String, pattern: RoutePattern, sources: Set<LinkSource.Kind>, isBrowser: Bool) {
      self.name = name
      self.pattern = pattern
      self.sources = sources
      self.isBrowser = isBrowser
      names = pattern.names
      var places: [(segment: Int, prefix: Int, suffix: Int)] = []
      for (index, segment) in pattern.segments.enumerated() {
        guard case .parameter(let parameter) = segment else { continue }
        places.append((index, parameter.prefix.utf8.count, parameter.suffix.utf8.count))
      }
      self.places = places
      hasMore = names.count > places.count
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
  }

  let rows: [Row]
  let sources: [LinkSource]
  private let tries: [RouteTrie?]
  private let hosts: [[Host]]
  private let schemes: [[UInt8]]

  init(rows: [Row], sources: [LinkSource]) {
    self.rows = rows
    self.sources = sources
    let patterns = rows.map(\.pattern)
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
    let lower = text.lowercased()
    return Host(
      name: Array(lower.utf8.drop { $0 == UInt8(ascii: "*") }), isWildcard: lower.hasPrefix("*."))
  }

  /// - Parameters:
  ///   - text: A URL as a device holds it, or as somebody wrote it.
  ///   - kind: From where the link came; nil reads it from the scheme.
  func decide(_ text: String, from kind: LinkSource.Kind?) -> Verdict {
    let url = URLText.held(text)
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
    let isWeb = Self.isWeb(bytes[..<colon])
    let source = kind ?? (isWeb ? .universalLink : .customScheme)
    guard let trie = tries[Self.index(source)] else { return .foreignScheme }
    var first: Range<Int>?
    if isWeb {
      guard source != .customScheme else { return .foreignScheme }
      guard
        source == .handoff
          || isServed(bytes, authority, bytes[..<colon].count == 5, hosts[Self.index(source)])
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
      guard let route = trie.route(for: input) else { return .noRoute }
      return .route(route, parameters(of: rows[route], input, url))
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
        return parameters(of: row, input, copy)
      }
    }
    return (read ?? nil) ?? RouteParameters(names: [], url: "", ranges: [])
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

  private static let secure = Array("https".utf8)
  private static let plain = Array("http".utf8)
  private static let securePort = Array("443".utf8)
  private static let plainPort = Array("80".utf8)

  private static func isWeb(_ scheme: UnsafeBufferPointer<UInt8>.SubSequence) -> Bool {
    isEqual(secure, scheme) || isEqual(plain, scheme)
  }

  private static func isEqual(_ lower: [UInt8], _ bytes: UnsafeBufferPointer<UInt8>.SubSequence) -> Bool {
    guard lower.count == bytes.count else { return false }
    for index in lower.indices where URLText.lowercased(bytes[bytes.startIndex + index]) != lower[index] {
      return false
    }
    return true
  }

  /// Whether an associated domain covers the authority: user information does not count, and no associated domain names a
  /// port other than the scheme's own.
  private func isServed(
    _ bytes: UnsafeBufferPointer<UInt8>, _ authority: Range<Int>, _ isSecure: Bool, _ hosts: [Host]
  ) -> Bool {
    var start = authority.lowerBound
    var end = authority.upperBound
    if let at = bytes[authority].lastIndex(of: UInt8(ascii: "@")) { start = at + 1 }
    if let colon = bytes[start..<end].firstIndex(of: UInt8(ascii: ":")) {
      let port = bytes[(colon + 1)..<end]
      guard port.isEmpty || Self.isEqual(isSecure ? Self.securePort : Self.plainPort, port) else {
        return false
      }
      end = colon
    }
    let name = bytes[start..<end]
    return hosts.contains { host in
      if !host.isWildcard { return Self.isEqual(host.name, name) }
      return name.count > host.name.count && Self.isEqual(host.name, name.suffix(host.name.count))
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

  private func parameters(of row: Row, _ input: LinkInput, _ url: String) -> RouteParameters {
    guard !row.names.isEmpty else { return RouteParameters(names: [], url: "", ranges: []) }
    var ranges: [Range<Int>] = []
    ranges.reserveCapacity(row.names.count)
    for place in row.places {
      let range = input.segments[place.segment]
      ranges.append((range.lowerBound + place.prefix)..<(range.upperBound - place.suffix))
    }
    guard row.hasMore else { return RouteParameters(names: row.names, url: url, ranges: ranges) }
    for item in row.pattern.query {
      guard case .parameter(let parameter) = item.condition else { continue }
      var value = 0..<0
      input.forEachValue(of: item.name) { range in
        if parameter.matches(input.bytes, range) { value = range }
        return false
      }
      ranges.append(value)
    }
    if case .parameter(let parameter) = row.pattern.fragment {
      ranges.append(parameter.matches(input.bytes, input.fragment) ? input.fragment : 0..<0)
    }
    if case .named = row.pattern.rest {
      let count = row.pattern.segments.count
      ranges.append(count < input.segments.count ? input.segments[count].lowerBound..<input.pathEnd : 0..<0)
    }
    return RouteParameters(names: row.names, url: url, ranges: ranges)
  }
}
