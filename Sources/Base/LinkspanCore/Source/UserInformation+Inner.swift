extension UserInformation {
  /// From the first byte of each user to its `@`, of the links inside a link or a line, in order: the page that a login leads
  /// to (`?next=https://ann:secret@host/`), as it is or percent-encoded, also twice.
  static func rangesOfInnerLinks(in bytes: ArraySlice<UInt8>) -> [Range<Int>] {
    var found: [Range<Int>] = []
    var (place, searchedEnd) = (bytes.startIndex, bytes.startIndex)
    while place < bytes.endIndex {
      guard let start = endOfMark(at: place, in: bytes) else {
        place += 1
        continue
      }
      let isEncoded = !bytes[place..<start].elementsEqual("://".utf8)
      place = start
      let range = isEncoded ? encoded(bytes[start...]) : plain(bytes[start...], &searchedEnd)
      guard let range, !range.isEmpty else { continue }
      found.append(range)
      place = range.upperBound
    }
    return found
  }

  /// `ann:secret@host`, which a browser takes for a link with the scheme `ann`, and a person for a host with a user.
  ///
  /// - Parameter isText: Whether other text may be around it, whose punctuation is no part of a password.
  static func rangeWithoutScheme(in bytes: ArraySlice<UInt8>, isText: Bool = false) -> Range<Int>? {
    guard let first = name(in: bytes) else { return nil }
    let isService = services.contains(ASCII.lowercased(first))
    let rest = isService ? bytes.dropFirst(first.utf8.count + 1) : bytes
    guard let user = name(in: rest), !namesOfMailboxes.contains(ASCII.lowercased(user)) else { return nil }
    let password = rest.dropFirst(user.utf8.count + 1).prefix {
      $0 > 0x20 && !"/?#\\".utf8.contains($0) && !(isText && "\"'`<>()[]{},;|".utf8.contains($0))
    }
    guard let at = password.lastIndex(of: UInt8(ascii: "@")), at > password.startIndex,
      isAddress(bytes[(at + 1)...])
    else { return nil }
    return rest.startIndex..<at
  }

  /// Whether a text begins as the host of a link does: with a dot, brackets, a port or a path, or as this machine.
  private static func isAddress(_ bytes: ArraySlice<UInt8>) -> Bool {
    let host = bytes.prefix { ASCII.isLetter($0) || ASCII.isDigit($0) || "-._".utf8.contains($0) }
    guard let first = host.first, ASCII.isLetter(first) || ASCII.isDigit(first) else {
      return bytes.first == UInt8(ascii: "[")
    }
    let behind = bytes[host.endIndex...]
    let hasPort = behind.first == UInt8(ascii: ":") && behind.dropFirst().first.map(ASCII.isDigit) == true
    return hasPort || behind.first == UInt8(ascii: "/") || host.dropLast().contains(UInt8(ascii: "."))
      || host.elementsEqual("localhost".utf8)
  }

  /// What stands before the first colon, if it may be the name of a user or of a scheme.
  private static func name(in bytes: ArraySlice<UInt8>) -> String? {
    let name = bytes.prefix { ASCII.isLetter($0) || ASCII.isDigit($0) || "-._~%+".utf8.contains($0) }
    guard let first = name.first, ASCII.isLetter(first), bytes[name.endIndex...].first == UInt8(ascii: ":")
    else { return nil }
    return String(decoding: name, as: UTF8.self)
  }

  /// Of an entitlement.
  private static let services = ["applinks", "webcredentials", "appclips", "activitycontinuation", "authsrv"]

  /// What stands before the colon of a mail address, as a scheme or as a word of a person.
  private static let namesOfMailboxes = [
    "mailto", "sip", "sips", "xmpp", "acct", "im", "pres", "facetime", "facetime-audio", "imessage", "sms",
    "mail", "email", "e-mail", "contact", "owner", "author", "to", "from", "cc", "bcc", "by", "cid", "mid",
  ]

  /// Behind "://": the link ends where the next item of a query begins, but for a password that has a `&`.
  ///
  /// - Parameter searchedEnd: Up to where no password was found that has a slash, so that each line is searched once.
  private static func plain(_ bytes: ArraySlice<UInt8>, _ searchedEnd: inout Int) -> Range<Int>? {
    let authority = bytes.prefix { $0 > 0x20 && !"\"<>`&/?#\\".utf8.contains($0) }
    if let at = authority.lastIndex(of: UInt8(ascii: "@")) { return authority.startIndex..<at }
    guard authority.startIndex >= searchedEnd, bytes.first != UInt8(ascii: "["),
      let mark = authority.firstIndex(of: UInt8(ascii: ":")),
      !authority[(mark + 1)...].allSatisfy(ASCII.isDigit)
    else { return nil }
    let line = bytes.prefix { $0 > 0x20 && !"\"<>`".utf8.contains($0) }
    if let range = misread(line, authority: authority.indices) { return range }
    searchedEnd = line.endIndex
    return nil
  }

  /// Behind an encoded "://".
  private static func encoded(_ bytes: ArraySlice<UInt8>) -> Range<Int>? {
    var (place, last) = (bytes.startIndex, Int?.none)
    while place < bytes.endIndex, bytes[place] > 0x20, !"\"<>`".utf8.contains(bytes[place]) {
      guard let (letter, _) = character(at: place, in: bytes), !"/?#\\&".utf8.contains(letter) else { break }
      if letter == UInt8(ascii: "@") { last = place }
      place += 1
    }
    return last.map { bytes.startIndex..<$0 }
  }

  /// Behind "://" at a place, each letter of it as it is or escaped.
  private static func endOfMark(at place: Int, in bytes: ArraySlice<UInt8>) -> Int? {
    var place = place
    for expected in "://".utf8 {
      guard let (letter, end) = character(at: place, in: bytes), letter == expected else { return nil }
      place = end
    }
    return place
  }

  /// The letter at a place, which may be escaped ("%40"), also more than once ("%2540"), and where it ends.
  private static func character(at place: Int, in bytes: ArraySlice<UInt8>) -> (letter: UInt8, end: Int)? {
    guard place < bytes.endIndex else { return nil }
    guard bytes[place] == UInt8(ascii: "%") else { return (bytes[place], place + 1) }
    var digits = place + 1
    while bytes[digits...].starts(with: "25".utf8) { digits += 2 }
    guard digits + 1 < bytes.endIndex, let high = ASCII.hexValue(bytes[digits]),
      let low = ASCII.hexValue(bytes[digits + 1])
    else { return (bytes[place], place + 1) }
    return (high << 4 | low, digits + 2)
  }
}
