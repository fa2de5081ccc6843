internal import LinkspanCore

/// What a browser makes of text on a page or in its address bar: the URL standard's parser for http and https, without a
/// base URL. Text with another scheme or none stays as it is: no universal link comes of it.
///
/// - Source: URL standard (url.spec.whatwg.org), "basic URL parser" and "URL serializer", as of 2025.
struct PageParser {
  private struct Fault: Error {
    let reason: String
  }

  private var steps: Set<HeldURL.Step> = []

  private let written: String

  private init(_ written: String) { self.written = written }

  static func read(_ written: String) -> HeldURL {
    if PlainURL.isPlain(written) { return HeldURL(.page, written, text: written) }
    var parser = PageParser(written)
    do throws(Fault) {
      guard let text = try parser.url(Array(written.utf8)), !text.utf8.elementsEqual(written.utf8) else {
        return HeldURL(.page, written, text: written)
      }
      let steps = HeldURL.Step.allCases.filter(parser.steps.contains)
      return HeldURL(.page, written, text: text, steps: steps)
    } catch {
      return HeldURL(.page, written, text: written, fault: "a browser makes no URL of it: \(error.reason)")
    }
  }

  private static let slash = UInt8(ascii: "/")
  private static let colon = UInt8(ascii: ":")

  private static func isSlash(_ byte: UInt8) -> Bool { byte == slash || byte == UInt8(ascii: "\\") }

  /// - Returns: nil for another scheme and for none.
  private mutating func url(_ written: [UInt8]) throws(Fault) -> String? {
    var bytes = written[...]
    while let first = bytes.first, first <= 0x20 { bytes.removeFirst() }
    while let last = bytes.last, last <= 0x20 { bytes.removeLast() }
    note(.blanks, if: bytes.count != written.count)
    let count = bytes.count
    bytes = bytes.filter { $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }[...]
    note(.lineBreaks, if: bytes.count != count)

    guard let mark = bytes.firstIndex(of: Self.colon) else { return nil }
    let scheme = bytes[..<mark].map(ASCII.lowercased)
    guard scheme == Array("http".utf8) || scheme == Array("https".utf8) else { return nil }
    note(.letterCase, if: !scheme.elementsEqual(bytes[..<mark]))
    let start = bytes[(mark + 1)...].firstIndex { !Self.isSlash($0) } ?? bytes.endIndex
    note(.slashes, if: !bytes[(mark + 1)..<start].elementsEqual([Self.slash, Self.slash]))

    let end = bytes[start...].firstIndex { Self.isSlash($0) || $0 == 0x3F || $0 == 0x23 } ?? bytes.endIndex
    let authority = try authority(bytes[start..<end], isHTTPS: scheme.count == 5)
    let pathEnd = bytes[end...].firstIndex { $0 == 0x3F || $0 == 0x23 } ?? bytes.endIndex
    let queryEnd = bytes[pathEnd...].firstIndex(of: 0x23) ?? bytes.endIndex
    var url = scheme + [Self.colon, Self.slash, Self.slash] + authority
    url += path(bytes[end..<pathEnd])
    if pathEnd < queryEnd { url += [0x3F] + encoded(bytes[(pathEnd + 1)..<queryEnd], .query) }
    if queryEnd < bytes.endIndex { url += [0x23] + encoded(bytes[(queryEnd + 1)...], .fragment) }
    return String(decoding: url, as: UTF8.self)
  }

  private mutating func note(_ step: HeldURL.Step, if isDone: Bool) {
    if isDone { steps.insert(step) }
  }

  /// In the form of the standard, and then with what it leaves alone and `NSURL` cannot hold, such as `|`, as escapes: the
  /// browser hands the system an `NSURL`.
  private mutating func encoded(_ bytes: ArraySlice<UInt8>, _ set: PercentEncodeSet) -> [UInt8] {
    let text = set.encode(bytes)
    note(.encoding, if: text.count != bytes.count)
    let held = PercentEncodeSet.held.encode(text[...])
    note(.systemEncoding, if: held.count != text.count)
    return held
  }

  // MARK: - Authority

  private mutating func authority(_ bytes: ArraySlice<UInt8>, isHTTPS: Bool) throws(Fault) -> [UInt8] {
    var rest = bytes
    var credentials: [UInt8] = []
    if let at = bytes.lastIndex(of: UInt8(ascii: "@")) {
      let parts = bytes[..<at].split(separator: Self.colon, maxSplits: 1, omittingEmptySubsequences: false)
      credentials = PercentEncodeSet.credentials.encode(parts[0])
      if parts.count == 2, !parts[1].isEmpty {
        credentials += [Self.colon] + PercentEncodeSet.credentials.encode(parts[1])
      }
      if !credentials.isEmpty { credentials.append(UInt8(ascii: "@")) }
      note(.credentials, if: !credentials.elementsEqual(bytes[...at]))
      rest = bytes[(at + 1)...]
    }
    // The colons in brackets belong to an address.
    let bracket =
      rest.first == UInt8(ascii: "[") ? rest.firstIndex(of: UInt8(ascii: "]")) ?? rest.endIndex : nil
    let mark = rest[(bracket ?? rest.startIndex)...].firstIndex(of: Self.colon)
    let host: String
    do throws(PageHost.Fault) {
      host = try PageHost.read(rest[..<(mark ?? rest.endIndex)])
    } catch {
      throw Fault(reason: error.reason)
    }
    noteHost(rest[..<(mark ?? rest.endIndex)], host)
    var result = credentials + Array(host.utf8)
    guard let mark else { return result }
    let digits = rest[(mark + 1)...]
    let number = digits.isEmpty ? isHTTPS ? 443 : 80 : Int(String(decoding: digits, as: UTF8.self)) ?? -1
    guard digits.allSatisfy(ASCII.isDigit), (0...0xFFFF).contains(number) else {
      // May be a password.
      let isHidden = written.withoutUserInformation != written
      let port = isHidden ? "…" : String(decoding: digits, as: UTF8.self)
      throw Fault(reason: "the port '\(port)' is not a number up to 65535")
    }
    if number == (isHTTPS ? 443 : 80) {
      note(.port, if: true)
    } else {
      let port = Array("\(number)".utf8)
      note(.port, if: !port.elementsEqual(digits))
      result += [Self.colon] + port
    }
    return result
  }

  private mutating func noteHost(_ written: ArraySlice<UInt8>, _ host: String) {
    if written.elementsEqual(host.utf8) { return }
    if written.map(ASCII.lowercased).elementsEqual(host.utf8) {
      note(.letterCase, if: true)
    } else {
      note(PageHost.isAddress(host) ? .address : .host, if: true)
    }
  }

  // MARK: - Path

  private mutating func path(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    guard !bytes.isEmpty else {
      note(.rootPath, if: true)
      return [Self.slash]
    }
    note(.slashes, if: bytes.contains(UInt8(ascii: "\\")))
    let segments = bytes.dropFirst().split(omittingEmptySubsequences: false, whereSeparator: Self.isSlash)
    var kept: [[UInt8]] = []
    for (place, segment) in segments.enumerated() {
      let isLast = place == segments.count - 1
      switch Self.dots(in: segment) {
      case 1: if isLast { kept.append([]) }
      case 2:
        if !kept.isEmpty { kept.removeLast() }
        if isLast { kept.append([]) }
      default:
        kept.append(encoded(segment, .path))
        continue
      }
      note(.dotSegments, if: true)
    }
    return [Self.slash] + kept.joined(separator: [Self.slash])
  }

  /// 1 or 2 for `.` and `..`, each dot written as it is or as `%2e`; 0 for any other segment.
  private static func dots(in segment: ArraySlice<UInt8>) -> Int {
    var rest = segment
    var dots = 0
    while let first = rest.first, dots < 3 {
      if first == UInt8(ascii: ".") {
        rest = rest.dropFirst()
      } else if rest.prefix(3).map(ASCII.lowercased).elementsEqual("%2e".utf8) {
        rest = rest.dropFirst(3)
      } else {
        return 0
      }
      dots += 1
    }
    return dots < 3 ? dots : 0
  }
}
