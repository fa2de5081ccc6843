import AppSiteAssociation
internal import LinkspanCore

/// The edits behind the checker's fixes. Each gives nothing where a second answer could be meant.
enum AssociationFix {
  // MARK: - Keys

  /// What the keys of an object are spelt like, each name looked at once.
  struct Spellings {
    private var meant: [String: String?] = [:]
    private var counts: [String: Int] = [:]

    init(of members: [JSONMember], among known: [String]) {
      for member in members {
        let word = meant[member.name] ?? AssociationFix.onlySpelling(of: member.name, among: known)
        meant[member.name] = .some(word)
        if let word { counts[word, default: 0] += 1 }
      }
    }

    /// The only known key that a name can be meant to be.
    func meant(by name: String) -> String? { meant[name] ?? nil }

    /// How many members mean a key.
    func count(of word: String) -> Int { counts[word] ?? 0 }
  }

  /// Another spelling of a key that one member means, when the object has no such key and the value is of a type the
  /// key takes.
  static func rename(
    _ member: JSONMember, to meant: String, in object: JSONNode, file: AssociationSource
  ) -> [Edit] {
    let members = object.object ?? []
    guard !members.contains(where: { $0.name == meant }), takes(member.value, as: meant) else { return [] }
    return changed(member.name, at: member.nameRange, to: meant, in: file)
  }

  /// Whether a value may stand under a key; a nearly right one has its own fix.
  private static func takes(_ value: JSONNode, as key: String) -> Bool {
    switch key {
    case "appID", "/", "#": value.string != nil
    case "appIDs", "apps", "paths": value.array != nil || value.string != nil
    case "components": value.array != nil
    case "details": value.array != nil || value.object != nil
    case "exclude", "caseSensitive", "percentEncoded": value.bool != nil || boolean(value) != nil
    case "?": value.string != nil || value.object != nil
    case "comment": true
    default: value.object != nil
    }
  }

  /// A known service instead of a misspelt one.
  static func service(
    _ member: JSONMember, _ spellings: Spellings, in file: AssociationSource
  ) -> [Edit] {
    guard let root = file.root, let meant = spellings.meant(by: member.name), spellings.count(of: meant) == 1
    else { return [] }
    return rename(member, to: meant, in: root, file: file)
  }

  /// The only word that is the same but for case, hyphens and underscores, or the only one within two slips.
  static func onlySpelling(of name: String, among words: [String]) -> String? {
    func plain(_ text: String) -> String {
      ASCII.lowercased(text).filter { $0 != "-" && $0 != "_" && $0 != " " }
    }
    let same = words.filter { plain($0) == plain(name) }
    if same.count == 1 { return same[0] }
    return same.isEmpty ? Spelling.onlyNearest(to: name, among: words.filter { $0.count > 1 }) : nil
  }

  // MARK: - Types

  /// `"true"` without its marks.
  static func unquotedBoolean(_ node: JSONNode) -> [Edit] {
    boolean(node).map { [Edit(node.range, $0 ? "true" : "false")] } ?? []
  }

  private static func boolean(_ node: JSONNode) -> Bool? {
    switch node.string.map(ASCII.lowercased) {
    case "true": true
    case "false": false
    default: nil
    }
  }

  /// One element where a list is wanted becomes a list of one; text that looks like a list itself does not.
  static func listOfOne(_ node: JSONNode, of type: String) -> [Edit] {
    switch (type, node.value) {
    case ("string", .string(let text))
    where !text.isEmpty && !text.contains(where: { $0 == "," || $0 == ";" || $0.isWhitespace }): break
    case ("object", .object): break
    default: return []
    }
    return [.insert("[", at: node.range.lowerBound), .insert("]", at: node.range.upperBound)]
  }

  /// The list of a service without its `"apps"`.
  static func appsAround(_ node: JSONNode) -> [Edit] {
    guard let elements = node.array, !elements.isEmpty, elements.allSatisfy({ $0.string != nil }) else {
      return []
    }
    return [.insert("{\"apps\": ", at: node.range.lowerBound), .insert("}", at: node.range.upperBound)]
  }

  // MARK: - Patterns

  /// One star for several that stand together. Not at the end behind a slash: a pattern that ends in `/*` also
  /// covers the path without it, and one that ends in `/**` does not (P7).
  static func singleStars(_ node: JSONNode, in file: AssociationSource) -> [Edit] {
    guard let text = node.string,
      !text.hasSuffix("**") || text.reversed().first(where: { $0 != "*" }) != "/"
    else { return [] }
    var result = ""
    for character in text.unicodeScalars where !(character == "*" && result.unicodeScalars.last == "*") {
      result.unicodeScalars.append(character)
    }
    return changed(text, at: node.range, to: result, in: file)
  }

  /// `/` before a path that begins with a plain character and not with what looks like a host.
  static func leadingSlash(_ node: JSONNode, in file: AssociationSource) -> [Edit] {
    guard let text = node.string else { return [] }
    let isExclusion = text.hasPrefix("NOT ")
    let path = isExclusion ? text.dropFirst(4) : text[...]
    guard let first = path.utf8.first,
      ASCII.isLetter(first) || ASCII.isDigit(first) || "_-~%".utf8.contains(first),
      path.prefix(while: { $0 != "/" }).allSatisfy({ $0 != "." && $0 != ":" && $0 != " " }),
      !ASCII.lowercased(path).hasPrefix("not/")
    else { return [] }
    return changed(text, at: node.range, to: (isExclusion ? "NOT /" : "/") + path, in: file)
  }

  /// The pattern percent-decoded, when that makes no wildcard, variable or escape of a plain character.
  static func decoded(_ node: JSONNode, in file: AssociationSource) -> [Edit] {
    guard let text = node.string else { return [] }
    let bytes = PercentEncoding.decode(text.utf8)
    func count(_ character: String, _ bytes: some Sequence<UInt8>) -> Int {
      bytes.count { character.utf8.contains($0) }
    }
    guard PercentEncoding.decode(bytes) == bytes, count("*?$\"\\", bytes) == count("*?$\"\\", text.utf8),
      bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
    else { return [] }
    return changed(text, at: node.range, to: String(decoding: bytes, as: UTF8.self), in: file)
  }

  /// `NOT ` as `paths` has it, for `not `, `NOT/` and `!/`.
  static func pathExclusion(_ node: JSONNode, in file: AssociationSource) -> [Edit] {
    guard let text = node.string else { return [] }
    let rest = text.dropFirst(text.hasPrefix("!") ? 1 : text.hasPrefix("NOT/") ? 3 : 4)
    guard rest.hasPrefix("/") || rest.hasPrefix("*") else { return [] }
    return changed(text, at: node.range, to: "NOT " + rest, in: file)
  }

  /// `"exclude": true` behind a path pattern instead of `NOT ` or `!` in it, written as the members around it are.
  static func componentExclusion(_ pattern: AssociationSource.PatternText, in file: AssociationSource)
    -> [Edit]
  {
    guard pattern.component == .path, let text = pattern.node.string,
      let rule = pattern.rule, let members = rule.object, members.count(where: { $0.name == "/" }) == 1,
      !members.contains(where: { onlySpelling(of: $0.name, among: ["exclude"]) != nil }),
      !["?", "#"].contains(where: { rule[$0]?.string?.hasPrefix("NOT ") == true }),
      let member = members.first(where: { $0.name == "/" })
    else { return [] }
    let rest = text.dropFirst(text.hasPrefix("!") ? 1 : 4).drop { $0 == " " }
    guard rest.hasPrefix("/") || rest.hasPrefix("*") else { return [] }
    let removal = changed(text, at: pattern.node.range, to: String(rest), in: file)
    guard !removal.isEmpty else { return [] }
    let bytes = file.text.bytes
    func blanks(before offset: Int) -> String {
      let start = bytes[..<offset].lastIndex { !ASCII.isSpace($0) }.map { $0 + 1 } ?? 0
      return String(decoding: bytes[start..<offset], as: UTF8.self)
    }
    let afterColon = blanks(before: member.value.range.lowerBound)
    let own = blanks(before: member.nameRange.lowerBound)
    let separator = own.contains(where: { $0.isNewline }) ? own : afterColon.isEmpty ? "" : " "
    return removal
      + [.insert(",\(separator)\"exclude\":\(afterColon)true", at: pattern.node.range.upperBound)]
  }

  // MARK: - Text

  /// Changes the text of a string that stands in the file as it is, without escapes.
  private static func changed(
    _ text: String, at range: Range<Int>, to new: String, in file: AssociationSource
  ) -> [Edit] {
    // A bare word or a string that was never closed has no quotation marks to look between.
    let mark = UInt8(ascii: "\"")
    guard range.count >= 2, file.text.bytes[range.lowerBound] == mark,
      file.text.bytes[range.upperBound - 1] == mark
    else { return [] }
    let content = range.lowerBound + 1..<range.upperBound - 1
    guard text != new, content.count == text.utf8.count,
      file.text.bytes[content].elementsEqual(text.utf8),
      new.utf8.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") })
    else { return [] }
    return [.change(text, at: content.lowerBound, to: new)]
  }
}
