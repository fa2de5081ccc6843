import LinkspanCore

/// Reads one entry from left to right and stops at the first thing that is not allowed.
struct AssociatedDomainParser {
  private typealias Problem = AssociatedDomainProblem

  /// Our choice: a valid entry has at most 297 bytes; what is longer is not worth reading, nor showing in a message.
  static let longestEntryBytes = 2048

  private let text: String
  private let bytes: [UInt8]
  private let takesPlaceholders: Bool

  /// - Parameter takesPlaceholders: Whether a placeholder that has the form of a host is taken for one.
  static func parse(
    _ text: String, takesPlaceholders: Bool = false
  ) throws(AssociatedDomainProblem) -> AssociatedDomain {
    try AssociatedDomainParser(text: text, bytes: Array(text.utf8), takesPlaceholders: takesPlaceholders)
      .parse()
  }

  private func parse() throws(AssociatedDomainProblem) -> AssociatedDomain {
    try checkWhole()
    let (service, afterService) = try parseService()
    let (hostRange, modeRange) = try split(from: afterService, service: service)
    let (host, isWildcard) = try parseHost(hostRange, service: service)
    let mode = try parseMode(modeRange, service: service)
    return AssociatedDomain(service: service, host: host, isWildcard: isWildcard, mode: mode, text: text)
  }

  // MARK: - The whole

  private func checkWhole() throws(AssociatedDomainProblem) {
    guard !bytes.isEmpty else {
      throw Problem(.empty, at: 0..<0, source: "E1", "The entry is empty.", help: "Remove it.")
    }
    guard bytes.count <= Self.longestEntryBytes else {
      throw Problem(
        .tooLong, at: 0..<bytes.count, source: "E1", "The entry has \(bytes.count) bytes.",
        help: "A host has at most \(HostName.totalBytes) bytes. Write one entry for each domain.")
    }
    if text == "*" {
      throw Problem(
        .onlyStar, at: 0..<1, source: "E19", "The entry is only '*', so the app claims no domain.",
        help:
          "Provisioning profiles have '*' for this key. The tool that re-signed the app used the profile's "
          + "entitlements instead of the app's own, so no link opens the app. "
          + "Re-sign it with the app's own entitlements, which list each domain.")
    }
    try checkIsOne()
    if let blank = firstBlank {
      let trimmed = String(text.unicodeScalars.filter { !Self.isBlank($0) })
      throw Problem(
        .blank, at: blank, source: "E1", "\(quoted(text)) contains white space.",
        help: "Entries cannot contain white space. " + writeInstead(trimmed))
    }
  }

  /// Several hosts in one string, between blanks, commas or semicolons; `applinks: example.com` is one.
  private func checkIsOne() throws(AssociatedDomainProblem) {
    func isSeparator(_ scalar: UnicodeScalar) -> Bool {
      Self.isBlank(scalar) || scalar == "," || scalar == ";"
    }
    let scalars = text.unicodeScalars
    guard let first = scalars.firstIndex(where: isSeparator) else { return }
    let parts = scalars.split(whereSeparator: isSeparator).map { String($0) }
    let hosts = parts.filter { $0.contains(".") && !$0.hasPrefix(".") && !$0.hasSuffix(".") }
    guard hosts.count > 1 else { return }
    let start = text.utf8.distance(from: text.utf8.startIndex, to: first)
    throw Problem(
      firstBlank == nil ? .invalidHost : .blank, at: firstBlank ?? start..<start + 1, source: "E1",
      "\(quoted(text)) has several hosts.",
      help: "An entry has one host. " + Self.oneForEach(parts, isWhole: hosts.count == parts.count))
  }

  /// - Parameter isWhole: Whether every part is a host, and none of them a word.
  private static func oneForEach(_ parts: [String], isWhole: Bool) -> String {
    // Ours, so that the message stays short.
    let shown = 3
    func hasService(_ part: String) -> Bool {
      Service.allCases.contains { part.hasPrefix($0.rawValue + ":") }
    }
    let service = parts.first(where: hasService)?.prefix { $0 != ":" } ?? Service.applinks.rawValue[...]
    let entries = parts.map { hasService($0) ? $0 : "\(service):\($0)" }
    guard isWhole, entries.allSatisfy({ (try? parse($0)) != nil }) else {
      return "Write one entry for each host."
    }
    return "Write one entry for each host: "
      + entries.prefix(shown).map { "'\($0)'" }.joined(separator: ", ")
      + (entries.count > shown ? ", …" : ".")
  }

  /// The first run of blanks, control characters, and no-break spaces and their kin, which an editor hides.
  private var firstBlank: Range<Int>? {
    let scalars = text.unicodeScalars
    guard let start = scalars.firstIndex(where: Self.isBlank) else { return nil }
    let end = scalars[start...].firstIndex { !Self.isBlank($0) } ?? scalars.endIndex
    let utf8 = text.utf8
    return utf8.distance(from: utf8.startIndex, to: start)..<utf8.distance(from: utf8.startIndex, to: end)
  }

  private static func isBlank(_ scalar: UnicodeScalar) -> Bool {
    scalar.value <= 0x20 || scalar.value == 0x7F || scalar.properties.isWhitespace
  }

  // MARK: - Service

  private func parseService() throws(AssociatedDomainProblem) -> (Service, Int) {
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { throw missingService(end: bytes.count) }
    let name = shown(0..<colon)
    if let service = Service(rawValue: name) { return (service, colon + 1) }
    if name.isEmpty || name.contains(".") || name == "*" { throw missingService(end: colon) }
    if Placeholder.hasBuildSetting(name) { throw buildSetting() }
    let folded = ASCII.lowercased(name)
    if ["http", "https"].contains(folded) {
      throw Problem(
        .scheme, at: 0..<min(bytes.count, colon + 3), source: "E1", "\(quoted(text)) is a URL.",
        help: "An entry is '<service>:<host>'. " + writeInstead(withService(.applinks)))
    }
    let letters = String(decoding: folded.utf8.filter { ASCII.isLetter($0) }, as: UTF8.self)
    let nearest = Spelling.nearest(to: letters, among: Service.allCases.map { $0.rawValue })
    let advice =
      nearest.map { "Did you mean '\($0)'?" }
      ?? "The services are \(Service.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", "))."
    throw Problem(
      .unknownService, at: 0..<colon, source: "E1", "\(quoted(name)) is not a service.",
      help: "iOS ignores the entry. " + advice)
  }

  private func missingService(end: Int) -> AssociatedDomainProblem {
    if Placeholder.hasBuildSetting(text) { return buildSetting() }
    if Service(rawValue: text) != nil {
      return Problem(
        .emptyHost, at: 0..<bytes.count, source: "E1", "\(quoted(text)) has no host.",
        help: "Write '\(text):' followed by the host.")
    }
    return Problem(
      .missingService, at: 0..<max(end, 1), source: "E1", "\(quoted(text)) has no service.",
      help: "iOS ignores the entry, so no link opens the app. " + writeInstead(withService(.applinks)))
  }

  private func buildSetting() -> AssociatedDomainProblem {
    Problem(
      .buildSetting, .note, at: 0..<bytes.count, source: "E1",
      "\(quoted(text)) contains a build setting, which Xcode expands.",
      help: "The expanded value cannot be checked here; check the built app.")
  }

  // MARK: - Host, path, query

  /// Where the host and the query's text lie; everything else after the service is refused.
  private func split(
    from start: Int, service: Service
  ) throws(AssociatedDomainProblem) -> (host: Range<Int>, query: Range<Int>?) {
    var end = bytes.count
    var query: Range<Int>?
    let rest = shown(start..<end)
    if Placeholder.hasBuildSetting(rest) { throw buildSetting() }
    // Most entries need none.
    var advice: String { writeInstead(withService(service)) }
    if let scheme = schemeEnd(from: start) {
      throw Problem(
        .scheme, at: start..<scheme, source: "E2", "\(quoted(text)) contains a scheme.",
        help: "Only a host may follow the service, so the entry is invalid. " + advice)
    }
    if let mark = bytes[start...].firstIndex(of: UInt8(ascii: "?")) {
      query = mark + 1..<end
      end = mark
    }
    if let mark = bytes[start..<end].firstIndex(of: UInt8(ascii: "#")) {
      throw Problem(
        .fragment, at: mark..<bytes.count, source: "E2", "\(quoted(text)) contains a fragment.",
        help: "The association file says which pages open the app. " + advice)
    }
    if let slash = bytes[start..<end].firstIndex(of: UInt8(ascii: "/")) {
      if slash == end - 1 {
        throw Problem(
          .trailingSlash, at: slash..<end, source: "E2", "\(quoted(text)) ends in a slash.",
          help: "With the slash, the entry is invalid. " + advice)
      }
      throw Problem(
        .path, at: slash..<end, source: "E2", "\(quoted(text)) contains a path.",
        help: "The association file says which pages open the app, not the entitlement. " + advice)
    }
    return (start..<end, query)
  }

  /// The offset just after `https://`, or a bare `//`, when the host begins with one.
  private func schemeEnd(from start: Int) -> Int? {
    if bytes[start...].starts(with: "//".utf8) { return start + 2 }
    guard let colon = bytes[start...].firstIndex(of: UInt8(ascii: ":")),
      bytes[(colon + 1)...].starts(with: "//".utf8), bytes[start..<colon].allSatisfy(ASCII.isLetter)
    else { return nil }
    return colon + 3
  }

  private func parseHost(
    _ range: Range<Int>, service: Service
  ) throws(AssociatedDomainProblem) -> (host: String, isWildcard: Bool) {
    let whole = shown(range)
    if range.isEmpty {
      throw Problem(
        .emptyHost, at: 0..<bytes.count, source: "E1", "\(quoted(text)) has no host.",
        help: "Write the host after '\(service.rawValue):'.")
    }
    if !(takesPlaceholders && isHostName(range)), Placeholder.isHost(whole) {
      throw Problem(
        .placeholder, at: range, source: "E1", "\(quoted(whole)) is a placeholder.",
        help: "Write the actual host, such as '\(service.rawValue):www.example.com'.")
    }
    if AssociatedDomain.unnamed(whole) == .ipAddress { throw address(whole, range) }
    if let at = bytes[range].lastIndex(of: UInt8(ascii: "@")),
      bytes[range].prefix(upTo: at).contains(UInt8(ascii: ":"))
    {
      throw Problem(
        .invalidHost, at: range.lowerBound..<at + 1, source: "E1", "\(quoted(text)) names a user.",
        help: "Only a host may follow the service, so the entry is invalid. "
          + writeInstead(withService(service)))
    }
    if let colon = bytes[range].firstIndex(of: UInt8(ascii: ":")) {
      throw Problem(
        .port, at: colon..<range.upperBound, source: "E3", "\(quoted(text)) names a port.",
        help: "An entry with a port never opens the app. " + writeInstead(withService(service)))
    }
    var start = range.lowerBound
    let isWildcard = bytes[range].starts(with: "*.".utf8)
    if isWildcard { start += 2 }
    if let star = bytes[start..<range.upperBound].firstIndex(of: UInt8(ascii: "*")) {
      throw wildcardPlace(whole, star: star, service: service)
    }
    let hostRange = start..<range.upperBound
    let host = shown(hostRange)
    if isWildcard, service == .appclips {
      throw Problem(
        .wildcardAppClip, at: range.lowerBound..<start, source: "E4",
        "\(quoted(text)) contains a wildcard, which 'appclips' does not support.",
        help: "List every host in its own entry, such as 'appclips:\(host)'.")
    }
    try checkHost(host, hostRange, service: service, isWildcard: isWildcard)
    return (ASCII.lowercased(host), isWildcard)
  }

  /// Whether a host, or what comes after its `*.`, has the form of one.
  private func isHostName(_ range: Range<Int>) -> Bool {
    let star = bytes[range].starts(with: "*.".utf8) ? 2 : 0
    return HostName.fault(in: Array(bytes[range].dropFirst(star))) == nil
  }

  private func checkHost(
    _ host: String, _ range: Range<Int>, service: Service, isWildcard: Bool
  ) throws(AssociatedDomainProblem) {
    let star = isWildcard ? "*." : ""
    guard !range.isEmpty else {
      throw Problem(
        .emptyHost, at: 0..<bytes.count, source: "E1", "\(quoted(text)) has no host.",
        help: "Write the parent domain after '*.'.")
    }
    if host.utf8.contains(where: { $0 >= 0x80 }) {
      let advice =
        (try? IDNA.ascii(host)).map { "Write '\(service.rawValue):\(star)\($0)'." }
        ?? "Write its 'xn--' form."
      throw Problem(
        .notPunycode, at: range, source: "E11", "The host \(quoted(host)) is not written in Punycode.",
        help: "iOS compares hosts in their ASCII form, so the entry never matches. " + advice)
    }
    let unnamed = AssociatedDomain.unnamed(host)
    switch unnamed {
    case nil, .invalid?: break
    case .ipAddress?: throw address(host, range)
    case .trailingDot?:
      throw Problem(
        .trailingDot, at: range.upperBound - 1..<range.upperBound, source: "E1",
        "The host \(quoted(host)) ends in a dot.",
        help: "The host of a link has no trailing dot, so the entry never matches. "
          + "Write '\(service.rawValue):\(star)\(host.dropLast())'.")
    }
    if let fault = HostName.fault(in: Array(host.utf8)) {
      let place = range.lowerBound + fault.range.lowerBound..<range.lowerBound + fault.range.upperBound
      throw Problem(
        .invalidHost, at: place, source: "E1", "The host \(fault.text).",
        help: "No such host can exist, so \(quoted(text)) never matches.")
    }
    if case .invalid(let fault)? = unnamed {
      throw Problem(
        .invalidHost, at: range, source: "E11", "The host \(fault).",
        help: "No browser makes a URL of it, so \(quoted(text)) never matches. "
          + "Write the Punycode of the host's name.")
    }
  }

  private func address(_ shown: String, _ range: Range<Int>) -> AssociatedDomainProblem {
    Problem(
      .ipAddress, .warning, at: range, source: "E1", "\(quoted(shown)) is an IP address, not a domain.",
      help: "Apple documents only fully qualified domains, and Apple's CDN fetches by name. "
        + "What devices do with an address is not known. Use a host name.")
  }

  private func wildcardPlace(_ whole: String, star: Int, service: Service) -> AssociatedDomainProblem {
    let rest = whole.utf8.drop { "*.".utf8.contains($0) }
    let parent = String(decoding: rest, as: UTF8.self)
    let isHost =
      !rest.contains(UInt8(ascii: "*")) && rest.contains(UInt8(ascii: "."))
      && HostName.fault(in: Array(rest)) == nil
    let advice =
      if service == .appclips {
        "'appclips' does not support wildcards: list every host."
      } else if isHost {
        writeInstead("\(service.rawValue):*.\(parent)")
      } else {
        "Write '*.' before a domain, such as '\(service.rawValue):*.example.com'."
      }
    return Problem(
      .wildcardPlace, at: star..<star + 1, source: "E4", "The '*' in \(quoted(whole)) is in the wrong place.",
      help: "'*' can only be the whole first label; App Store Connect rejects any other (ITMS-90046). "
        + advice)
  }

  // MARK: - Mode

  private func parseMode(
    _ range: Range<Int>?, service: Service
  ) throws(AssociatedDomainProblem) -> AssociatedDomain.Mode? {
    guard let range else { return nil }
    let query = shown(range)
    guard query.hasPrefix("mode=") else {
      if let meant = Self.modeMeant(by: query) {
        throw Problem(
          .query, at: range.lowerBound - 1..<range.upperBound, source: "E12",
          "\(quoted(text)) has a query other than '?mode='.",
          help: "No device accepts the entry. Did you mean '?mode=\(meant)'?")
      }
      throw Problem(
        .query, at: range.lowerBound - 1..<range.upperBound, source: "E2",
        "\(quoted(text)) has a query other than '?mode='.",
        help: "The association file says which queries open the app. "
          + writeInstead(withService(service)))
    }
    let value = String(query.dropFirst("mode=".count))
    if let mode = AssociatedDomain.Mode(rawValue: value) { return mode }
    let advice =
      Self.mode(near: value).map { "Did you mean '\($0)'?" }
      ?? "The modes are \(Self.modes.map { "'\($0)'" }.joined(separator: ", "))."
    throw Problem(
      .mode, at: range.lowerBound + "mode=".utf8.count..<range.upperBound, source: "E12",
      "\(quoted(value)) is not a mode.", help: "No device accepts the entry. " + advice)
  }

  private static let modes = AssociatedDomain.Mode.allCases.map { $0.rawValue }

  /// The mode whose spelling is nearest to a value.
  private static func mode(near value: String) -> String? {
    var folded = ASCII.lowercased(value)
    if folded == "managed+developer" || folded == "developer%2bmanaged" { folded = "developer+managed" }
    return Spelling.nearest(to: folded, among: modes)
  }

  /// The mode that a query with another spelling of `mode=` names.
  private static func modeMeant(by query: String) -> String? {
    let parts = query.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2,
      Spelling.nearest(to: ASCII.lowercased(String(parts[0])), among: ["mode"]) != nil
    else { return nil }
    return mode(near: String(parts[1]))
  }

  // MARK: - Words

  private func shown(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  /// The text in quotation marks, cut to a length that fits a message.
  private func quoted(_ text: String) -> String {
    let text = text.withoutUserInformation
    return text.count <= 80 ? "'\(text)'" : "'\(text.prefix(77))…'"
  }

  private func writeInstead(_ entry: String) -> String { "Write '\(entry)'." }

  /// The host that was probably meant, behind a service: without service, scheme, user, port, path and query.
  private func withService(_ service: Service) -> String {
    var rest = bytes[...]
    for known in Service.allCases where rest.starts(with: known.rawValue.utf8 + [UInt8(ascii: ":")]) {
      rest = rest.dropFirst(known.rawValue.utf8.count + 1)
    }
    if let slashes = rest.indices.first(where: { rest[$0...].starts(with: "://".utf8) }) {
      rest = rest[(slashes + 3)...]
    }
    rest = rest.drop { "/:".utf8.contains($0) }
    rest = rest.prefix { !"/?#".utf8.contains($0) }
    if let at = rest.lastIndex(of: UInt8(ascii: "@")) { rest = rest[(at + 1)...] }
    let host = String(decoding: rest.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self)
    return "\(service.rawValue):" + (host.isEmpty ? "www.example.com" : host)
  }
}
