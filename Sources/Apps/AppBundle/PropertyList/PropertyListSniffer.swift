internal import AppSiteAssociation
internal import AssociatedDomains
import LinkspanCore

/// Tells by its first bytes what a file is.
enum PropertyListSniffer {
  /// - Throws: `empty` or `otherFormat`, with what the file looks like.
  static func format(of bytes: [UInt8]) throws(PropertyListFault) -> PropertyListDocument.Format {
    if bytes.starts(with: "bplist".utf8) {
      if bytes.starts(with: "bplist00".utf8) { return .binary }
      throw PropertyListFault(
        .otherFormat, 0..<min(8, bytes.count), "this is a binary property list of a version other than 00",
        "Convert it with 'plutil -convert xml1' or Python's plistlib.")
    }
    if encodingOfUTF16(bytes) != nil { return .xml }
    var start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    while start < bytes.count, ASCII.isSpace(bytes[start]) { start += 1 }
    guard start < bytes.count else {
      throw PropertyListFault(
        .empty, start..<start, "the file is empty", "A property list begins with '<?xml' or 'bplist00'.")
    }
    let rest = bytes[start...]
    if let other = otherFormat(rest) {
      throw PropertyListFault(.otherFormat, start..<start + 1, "this is \(other.name)", other.help)
    }
    return .xml
  }

  /// UTF-16 as UTF-8, so that places count in one way; nil when the text is not UTF-16.
  static func utf8(_ bytes: [UInt8]) -> [UInt8]? {
    guard let (isBigEndian, start) = encodingOfUTF16(bytes) else { return nil }
    var units: [UInt16] = []
    units.reserveCapacity(bytes.count / 2)
    var index = start
    while index + 1 < bytes.count {
      let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      units.append(isBigEndian ? first << 8 | second : second << 8 | first)
      index += 2
    }
    return Array(String(decoding: units, as: UTF16.self).utf8)
  }

  private static func encodingOfUTF16(_ bytes: [UInt8]) -> (isBigEndian: Bool, start: Int)? {
    if bytes.starts(with: [0xFE, 0xFF]) { return (true, 2) }
    if bytes.starts(with: [0xFF, 0xFE]) { return (false, 2) }
    if bytes.starts(with: [0x00, 0x3C, 0x00]) { return (true, 0) }
    if bytes.starts(with: [0x3C, 0x00]) { return (false, 0) }
    return nil
  }

  private static func otherFormat(_ bytes: ArraySlice<UInt8>) -> (name: String, help: String)? {
    let convert = "Convert it with 'plutil -convert xml1' on a Mac."
    switch bytes.first! {
    case UInt8(ascii: "<"):
      let start = ASCII.lowercased(String(decoding: bytes.prefix(15), as: UTF8.self))
      if start.hasPrefix("<!doctype html") || start.hasPrefix("<html") {
        return ("a web page, not a property list", "Use the file itself, not the web page that shows it.")
      }
      return nil
    case UInt8(ascii: "{"):
      let next = bytes.dropFirst().first { !ASCII.isSpace($0) }
      let isOldStyle = bytes.prefix(4096).contains(UInt8(ascii: "=")) || next == UInt8(ascii: "}")
      if !isOldStyle, next == UInt8(ascii: "\"") {
        return (
          "JSON, not a property list",
          "An entitlements file and an Info.plist are property lists. "
            + "\(convert)"
        )
      }
      return ("a property list in the old text form", convert)
    case UInt8(ascii: "["):
      return (
        "JSON, not a property list",
        "An entitlements file and an Info.plist are property lists. "
          + "\(convert)"
      )
    case UInt8(ascii: "("), UInt8(ascii: "/"):
      return ("a property list in the old text form", convert)
    default: break
    }
    if bytes.starts(with: "PK\u{3}\u{4}".utf8) {
      return ("a zip archive, not a property list", "Extract the file.")
    }
    if bytes.starts(with: [0x30, 0x80]) || bytes.starts(with: [0x30, 0x82]) {
      let content = SignedFile.content(of: Array(bytes))
      guard let content, PropertyListDocument.isPropertyList(content) else {
        return (
          "a signed message in which no property list is found: it may be cut off",
          "Download the provisioning profile again."
        )
      }
      return (
        "a signed message, such as a provisioning profile",
        "'openssl smime -verify -noverify -inform DER -in FILE' prints the property list inside."
      )
    }
    if bytes.starts(with: [0xFA, 0xDE, 0x71, 0x71]) {
      return (
        "an entitlements blob of a code signature", "Remove its first eight bytes to get the property list."
      )
    }
    let magics: [[UInt8]] = [[0xCA, 0xFE, 0xBA, 0xBE], [0xCF, 0xFA, 0xED, 0xFE], [0xCE, 0xFA, 0xED, 0xFE]]
    if magics.contains(where: { bytes.starts(with: $0) }) {
      return (
        "a program (Mach-O), not a property list",
        "Use 'linkspan inspect' on the app that contains "
          + "it."
      )
    }
    return (
      "not a property list: it begins with neither '<' nor 'bplist00'",
      "Check that this is the right file; Xcode writes entitlements and Info.plist as XML."
    )
  }
}

extension PropertyListDocument {
  /// Whether bytes look like a property list in one of the forms that are read, broken or not.
  package static func isPropertyList(_ bytes: [UInt8]) -> Bool {
    if bytes.starts(with: "bplist".utf8) { return true }
    let head = Array(bytes.prefix(1024))
    let utf8 = PropertyListSniffer.utf8(head) ?? head
    let text = ASCII.lowercased(String(decoding: utf8, as: UTF8.self)).drop {
      $0.isWhitespace || $0 == "\u{FEFF}"
    }
    guard text.hasPrefix("<") else { return isOldStyle(head) }
    if text.contains("<plist") || text.contains("<!doctype plist") { return true }
    return (text.hasPrefix("<?xml") || text.hasPrefix("<dict")) && !text.contains("<html")
      && !text.contains("<!doctype html")
  }

  /// Whether bytes begin as a dictionary of the old text form does: a key and `=`. The name of a service there is a slip
  /// in an association file.
  private static func isOldStyle(_ bytes: [UInt8]) -> Bool {
    let text = withoutComments(bytes[...])
    guard text.first == UInt8(ascii: "{") else { return false }
    var rest = text.dropFirst().drop(while: ASCII.isSpace)
    let isQuoted = rest.first == UInt8(ascii: "\"")
    if isQuoted { rest = rest.dropFirst() }
    let key = rest.prefix { ASCII.isLetter($0) || ASCII.isDigit($0) || "._-".utf8.contains($0) }
    rest = rest.dropFirst(key.count)
    if isQuoted {
      guard rest.first == UInt8(ascii: "\"") else { return false }
      rest = rest.dropFirst()
    }
    return !key.isEmpty && rest.drop(while: ASCII.isSpace).first == UInt8(ascii: "=")
      && Service(rawValue: String(decoding: key, as: UTF8.self)) == nil
  }
  /// From the first byte that is neither blank nor of a comment.
  private static func withoutComments(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let text = bytes.drop(while: ASCII.isSpace)
    guard text.first == UInt8(ascii: "/") else { return text }
    var rest = text.dropFirst(2)
    guard text.dropFirst().first == UInt8(ascii: "*") else {
      return withoutComments(rest.drop { $0 != 0x0A && $0 != 0x0D })
    }
    while !rest.isEmpty, !rest.starts(with: "*/".utf8) { rest = rest.dropFirst() }
    return withoutComments(rest.dropFirst(2))
  }
}
