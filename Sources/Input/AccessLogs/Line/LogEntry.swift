internal import LinkspanCore

/// One request of an access log: when it was, and who asked for what.
package struct LogEntry: Equatable {
  /// Seconds since 1970, in UTC.
  package var time: Int64
  /// What the log says of its clock, in seconds east of Greenwich; nil where it says nothing, and UTC is assumed.
  package var offset: Int?
  /// A path, a whole URL, or `*` of `OPTIONS *`, without the escapes of the log.
  package var target: String
  package var userAgent: String?

  /// - Parameter line: Of the combined format or a JSON object; nil is returned for anything else, also for a line without
  ///   a time or a request.
  package init?(_ line: ArraySlice<UInt8>) {
    let line = line.drop { $0 == 0x20 || $0 == 0x09 }
    if line.first == UInt8(ascii: "{") { self.init(json: line) } else { self.init(combined: line) }
  }

  private init?(combined line: ArraySlice<UInt8>) {
    guard let open = line.firstIndex(of: UInt8(ascii: "[")),
      let close = line[open...].firstIndex(of: UInt8(ascii: "]")),
      let moment = LogTime(line[(open + 1)..<close])
    else { return nil }
    // The fields between quotation marks: request, referrer, user agent.
    var fields: [ArraySlice<UInt8>] = []
    var rest = line[(close + 1)...]
    while fields.count < 3, let field = LogLine.quoted(in: rest) {
      fields.append(field)
      rest = rest[(field.endIndex + 1)...]
    }
    guard let request = fields.first,
      let target = Self.target(of: LogLine.request(logged: request, host: nil))
    else { return nil }
    time = moment.time
    offset = moment.offset
    self.target = target
    userAgent = fields.count == 3 ? String(decoding: fields[2], as: UTF8.self) : nil
  }

  private static func target(of reading: LogLine.Reading) -> String? {
    switch reading {
    case .url(let target): target
    case .server: "*"
    case .blank, .unreadable: nil
    }
  }

  /// The names under which servers write the time, the more exact ones first.
  private static let timeNames = [
    "time", "timestamp", "@timestamp", "ts", "time_iso8601", "time_local", "msec", "datetime", "date",
    "start_time",
  ]
  private static let agentNames = [
    "user_agent", "http_user_agent", "userAgent", "User-Agent", "agent", "request_user_agent",
  ]

  private init?(json line: ArraySlice<UInt8>) {
    let document = JSONParser.parse(Array(line))
    guard document.errors.isEmpty, let root = document.root, root.object != nil,
      let moment = Self.timeNames.lazy.compactMap({ root[$0].flatMap { LogTime($0) } }).first,
      let target = Self.target(of: LogLine.json(root))
    else { return nil }
    time = moment.time
    offset = moment.offset
    self.target = target
    let request = root["request"] ?? root["httpRequest"] ?? root
    let nodes = [root, request, request["headers"] ?? root]
    userAgent =
      nodes.lazy.flatMap { node in Self.agentNames.lazy.compactMap { node[$0] } }
      .compactMap { $0.string ?? $0.array?.first?.string }.first
  }

  /// Whether the association file was asked for.
  package var isForAssociationFile: Bool {
    let path = target.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    return String(path)?.hasSuffix("/apple-app-site-association") ?? false
  }
}

/// A moment as logs write it.
struct LogTime: Equatable {
  var time: Int64
  var offset: Int?

  private struct Zone {
    var offset: Int?
  }

  private static let months = WallTime.monthNames.map { Array($0.utf8) }

  /// Ours: years outside of these are a mistake of the log.
  private static let years: ClosedRange<Int64> = 1990...2199

  /// A text in one of the forms below, or a number of seconds, or their thousandth parts down to nanoseconds, since 1970.
  init?(_ node: JSONNode) {
    if let text = node.string {
      self.init(Array(text.utf8)[...])
      return
    }
    guard case .number(let text) = node.value, var value = Double(text), value > 0, value <= 1e20 else {
      return nil
    }
    // In seconds, today's numbers have ten digits.
    while value > 1e11 { value /= 1000 }
    guard value > 631_152_000 else { return nil }
    self.init(time: Int64(value), offset: nil)
  }

  private init(time: Int64, offset: Int?) {
    self.time = time
    self.offset = offset
  }

  /// `22/Nov/2026:10:45:18 +0000`, `2026-11-22T10:45:18.5+01:00`, `2026-11-22 10:45:18`, or a number.
  init?(_ text: ArraySlice<UInt8>) {
    let text = Array(text)
    let isDated = text.count > 10 && text[4] == UInt8(ascii: "-")
    guard isDated || text.count > 11 && text[2] == UInt8(ascii: "/") else {
      guard let string = String(validating: text, as: UTF8.self), Double(string) != nil else { return nil }
      self.init(JSONNode(.number(string), at: 0..<text.count))
      return
    }
    func number(_ range: Range<Int>) -> Int64? {
      guard range.upperBound <= text.count, text[range].allSatisfy(ASCII.isDigit) else { return nil }
      return text[range].reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }
    let start = isDated ? 11 : 12
    guard text.count >= start + 8, let hour = number(start..<start + 2),
      let minute = number(start + 3..<start + 5),
      let second = number(start + 6..<start + 8), text[start + 2] == UInt8(ascii: ":"),
      text[start + 5] == UInt8(ascii: ":"), hour < 24, minute < 60, second <= 60
    else { return nil }
    let month =
      isDated ? number(5..<7) : Self.months.firstIndex { $0[...] == text[3..<6] }.map { Int64($0) + 1 }
    guard let year = isDated ? number(0..<4) : number(7..<11), let month, Self.years.contains(year),
      let day = isDated ? number(8..<10) : number(0..<2), (1...12).contains(month)
    else { return nil }
    let days = WallTime.days(year: year, month: month, day: day)
    // A day beyond the end of its month would be counted on.
    guard WallTime.date(days) == (year, month, day), let zone = Self.zone(text[(start + 8)...]) else {
      return nil
    }
    self.init(
      time: days * 86_400 + (hour * 60 + minute) * 60 + second - Int64(zone.offset ?? 0), offset: zone.offset)
  }

  /// What stands behind the seconds: perhaps a fraction, perhaps a blank, perhaps a zone.
  private static func zone(_ text: ArraySlice<UInt8>) -> Zone? {
    var text = text
    if let first = text.first, first == UInt8(ascii: ".") || first == UInt8(ascii: ",") {
      text = text.dropFirst().drop(while: ASCII.isDigit)
    }
    text = text.drop { $0 == 0x20 }
    guard let sign = text.first else { return Zone(offset: nil) }
    if sign == UInt8(ascii: "Z") || sign == UInt8(ascii: "z") {
      return text.count == 1 ? Zone(offset: 0) : nil
    }
    let digits = text.dropFirst().filter { $0 != UInt8(ascii: ":") }
    guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), digits.count == 4 || digits.count == 2,
      digits.allSatisfy(ASCII.isDigit)
    else { return nil }
    let numbers = digits.map { Int($0 - UInt8(ascii: "0")) }
    let minutes = (numbers[0] * 10 + numbers[1]) * 60 + (digits.count == 4 ? numbers[2] * 10 + numbers[3] : 0)
    guard minutes <= 15 * 60 else { return nil }
    return Zone(offset: (sign == UInt8(ascii: "-") ? -minutes : minutes) * 60)
  }
}
