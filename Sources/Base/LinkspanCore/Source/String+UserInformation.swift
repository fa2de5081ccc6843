extension String {
  /// A link without the user and password in front of its host, or of the host of a link inside it, such as the page that a
  /// login leads to; the rest stays, since it is what an answer is about.
  /// They are found where a browser finds them: behind one slash, three, backslashes or none where the scheme is a web
  /// server's, around tabs and line feeds, and in a link without a scheme, also without slashes (`ann:secret@host`). What is
  /// no URL because its password has a slash or its `@` is escaped is hidden too. Every answer, finding, page and log that
  /// shows a link of a person comes here.
  @inline(never) package var withoutUserInformation: String {
    // Lists have millions of links, and few have one.
    guard mayHoldUserInformation else { return self }
    let bytes = Array(utf8)
    return hiding(UserInformation.ranges(ofLink: bytes[...]), in: bytes)
  }

  /// A text with each link in it as ``withoutUserInformation`` shows it.
  @inline(never) package var withoutUserInformationOfLinks: String {
    guard mayHoldUserInformation else { return self }
    let bytes = Array(utf8)
    return hiding(UserInformation.ranges(in: bytes[...], isWhole: true), in: bytes)
  }

  /// - Parameter ranges: In order; they may overlap.
  func hiding(_ ranges: [Range<Int>], in bytes: [UInt8]) -> String {
    var shown: [UInt8] = []
    var place = 0
    for range in ranges where range.upperBound > place {
      shown += bytes[place..<max(place, range.lowerBound)]
      if range.lowerBound >= place { shown += "…".utf8 }
      place = range.upperBound
    }
    return place == 0 ? self : String(decoding: shown + bytes[place...], as: UTF8.self)
  }

  fileprivate var mayHoldUserInformation: Bool {
    var text = self
    return text.withUTF8 { UserInformation.isPossible(in: $0) }
  }
}

/// Where the user and password of a URL stand.
enum UserInformation {
  private static let at = UInt8(ascii: "@")
  private static let colon = UInt8(ascii: ":")
  /// The full-width `@`, which a browser takes for no separator, and a person may.
  private static let wideAt = Array("＠".utf8)

  /// Whether a text has what may stand behind user information.
  static func isPossible(in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    // How much of "%40" has been seen, and of the "25" of an escape that is escaped.
    var escape = 0
    for byte in bytes {
      // The first byte of the wide one begins other letters too.
      if byte == at || byte == 0xEF { return true }
      switch (escape, byte) {
      case (_, UInt8(ascii: "%")): escape = 1
      case (1, UInt8(ascii: "4")): escape = 2
      case (1, UInt8(ascii: "2")): escape = 3
      case (3, UInt8(ascii: "5")): escape = 1
      case (2, UInt8(ascii: "0")): return true
      default: escape = 0
      }
    }
    return false
  }

  /// Those of a link and of the links inside it, in order; they may overlap.
  static func ranges(ofLink link: ArraySlice<UInt8>) -> [Range<Int>] {
    let inner = rangesOfInnerLinks(in: link)
    guard let own = range(in: link) ?? rangeWithoutScheme(in: link) else { return inner }
    return [own] + inner.filter { $0.lowerBound >= own.lowerBound }
  }

  /// From the first byte of the user to the `@`, which is not part of it.
  static func range(in bytes: ArraySlice<UInt8>) -> Range<Int>? {
    guard let start = authority(in: bytes) else { return nil }
    let end = bytes[start...].firstIndex { "/?#\\".utf8.contains($0) } ?? bytes.endIndex
    if let last = bytes[start..<end].lastIndex(of: at) { return start..<last }
    if start < end, let found = misread(bytes[start...], authority: start..<end) { return found }
    return ofPath(bytes[end...])
  }

  /// A path with two slashes in front, as a log has it of a link without a scheme: `https://example.com//ann:secret@host/`.
  private static func ofPath(_ path: ArraySlice<UInt8>) -> Range<Int>? {
    guard path.starts(with: "//".utf8) else { return nil }
    let rest = path.dropFirst(2)
    let end = rest.firstIndex { "/?#\\".utf8.contains($0) } ?? rest.endIndex
    guard let last = rest[..<end].lastIndex(of: at), rest[..<last].contains(colon) else { return nil }
    return rest.startIndex..<last
  }

  /// A password that a parser takes for a port: it has a slash, or an `@` behind it that counts as none.
  static func misread(_ bytes: ArraySlice<UInt8>, authority: Range<Int>) -> Range<Int>? {
    guard bytes.first != UInt8(ascii: "["), let mark = bytes[authority].firstIndex(of: colon),
      !bytes[(mark + 1)..<authority.upperBound].allSatisfy(ASCII.isDigit)
    else { return nil }
    for place in bytes.indices[mark...].reversed() {
      let rest = bytes[place...]
      if rest[place] == at || rest.starts(with: "%40".utf8) || rest.starts(with: wideAt) {
        return authority.lowerBound..<place
      }
    }
    return nil
  }

  /// Whether a link ends behind a user and in a password.
  static func opensPassword(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard let start = authority(in: bytes), let mark = bytes[start...].firstIndex(of: colon) else {
      return false
    }
    let rest = bytes[(mark + 1)...]
    return rest.isEmpty || !rest.allSatisfy { ASCII.isDigit($0) || "/?#\\".utf8.contains($0) }
  }

  /// Where a URL's authority begins; nil where it has none.
  private static func authority(in bytes: ArraySlice<UInt8>) -> Int? {
    let start = bytes.firstIndex { $0 > 0x20 } ?? bytes.endIndex
    var scheme: [UInt8] = []
    var place = start
    while place < bytes.endIndex, isOfScheme(bytes[place]) || isIgnored(bytes[place]) {
      if !isIgnored(bytes[place]) { scheme.append(ASCII.lowercased(bytes[place])) }
      place += 1
    }
    let hasScheme = !scheme.isEmpty && place < bytes.endIndex && bytes[place] == colon
    let behind = hasScheme ? place + 1 : start
    let name = bytes[behind...].firstIndex { !isSlash($0) && !isIgnored($0) } ?? bytes.endIndex
    let slashes = bytes[behind..<name].reduce(0) { $0 + (isSlash($1) ? 1 : 0) }
    let isWeb = ["http", "https", "ftp", "ws", "wss"].contains(String(decoding: scheme, as: UTF8.self))
    if hasScheme, isWeb { return name }
    // Only web servers' URLs may have more slashes than two, and fewer.
    if slashes >= 2, hasScheme || scheme.isEmpty { return hasScheme ? behind + 2 : name }
    // A link behind other words.
    return bytes.indices.first { bytes[$0...].starts(with: "://".utf8) }.map { $0 + 3 }
  }

  private static func isOfScheme(_ byte: UInt8) -> Bool {
    ASCII.isLetter(byte) || ASCII.isDigit(byte) || "+-.".utf8.contains(byte)
  }

  private static func isSlash(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\")
  }

  /// What a browser removes before it reads anything.
  private static func isIgnored(_ byte: UInt8) -> Bool { byte == 0x09 || byte == 0x0A || byte == 0x0D }
}
