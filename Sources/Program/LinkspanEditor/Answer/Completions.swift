internal import AssociatedDomains
internal import LinkspanCore
internal import ServiceConfiguration

/// What may be written at a cursor.
enum Completions {
  /// Kinds of the protocol's `CompletionItemKind`.
  private enum ItemKind: Int {
    case variable = 6
    case property = 10
    case value = 12
  }

  private struct Item {
    var name: String
    var text: String
    var kind: ItemKind
    var detail = ""
    /// What an editor compares with the text that is replaced.
    var filter: String?
  }

  static func json(at place: TextPlace, in document: EditorDocument, files: EditorFiles) -> JSON {
    let offset = document.text.offset(of: place)
    let (items, range) = items(at: offset, in: document, files: files)
    let span = document.text.span(range)
    return .object([
      ("isIncomplete", .bool(false)),
      (
        "items",
        .array(
          items.enumerated().map { number, item in
            var members: [(String, JSON)] = [
              ("label", .string(item.name)), ("kind", .int(item.kind.rawValue)),
              ("sortText", .string(String(1_000 + number))),
              ("textEdit", .object([("range", span.json), ("newText", .string(item.text))])),
            ]
            if let filter = item.filter { members.append(("filterText", .string(filter))) }
            if !item.detail.isEmpty {
              members.append(
                ("documentation", .object([("kind", .string("plaintext")), ("value", .string(item.detail))])))
            }
            return .object(members)
          })
      ),
    ])
  }

  private static func items(
    at offset: Int, in document: EditorDocument, files: EditorFiles
  ) -> ([Item], Range<Int>) {
    let bytes = document.text.bytes
    let none = ([Item](), offset..<offset)
    guard let kind = document.kind else { return none }
    let beginning = beginning(of: bytes)
    if kind == .site, beginning == UInt8(ascii: "<") {
      return EntitlementCompletions.domain(before: offset, in: bytes).map { found in
        (found.words.map { Item(name: $0, text: $0, kind: .value) }, found.range)
      } ?? none
    }
    if kind == .site, beginning == nil { return (whole(document.name), offset..<offset) }
    let cursor = CursorPlace(at: offset, in: bytes)
    guard !cursor.isInComment else { return none }
    if kind == .site {
      let isStatements = beginning == UInt8(ascii: "[")
      let root = JSONParser.parse(bytes).root
      return site(cursor, at: offset, in: bytes, path: cursor.path, root: root, isStatements: isStatements)
    }
    if kind == .story, let inline = InlineFile(around: cursor, in: bytes) {
      return site(
        cursor, at: offset, in: bytes, path: inline.path, root: inline.root, isStatements: false)
    }
    return read(cursor, kind, document, files)
  }

  /// The first byte that is no blank, behind a byte order mark.
  private static func beginning(of bytes: [UInt8]) -> UInt8? {
    bytes.dropFirst(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0).first { $0 > 0x20 }
  }

  /// What a file may be that has no text so far: an association file (J1), or a statement list (D3).
  private static func whole(_ name: String) -> [Item] {
    switch name.split(separator: "/").last {
    case "apple-app-site-association", "apple-app-site-association.json":
      let entry = "{ \"appIDs\": [\"ABCDE12345.com.example.app\"], \"components\": [{ \"/\": \"/*\" }] }"
      return [
        Item(
          name: "applinks", text: "{\n  \"applinks\": {\n    \"details\": [\n      \(entry)\n    ]\n  }\n}\n",
          kind: .value, detail: "An association file with one app.", filter: "")
      ]
    case "assetlinks.json":
      let target =
        "{ \"namespace\": \"android_app\", \"package_name\": \"com.example.app\", "
        + "\"sha256_cert_fingerprints\": [\"\"] }"
      let relation = "\"delegate_permission/common.handle_all_urls\""
      return [
        Item(
          name: "statement",
          text: "[\n  {\n    \"relation\": [\(relation)],\n    \"target\": \(target)\n  }\n]\n",
          kind: .value, detail: "A statement list with one app.", filter: "")
      ]
    default: return []
    }
  }

  // MARK: - Association files and statement lists

  /// - Parameters:
  ///   - path: The way from the file's root to the object around the cursor.
  ///   - root: The file, as far as it can be read.
  private static func site(
    _ cursor: CursorPlace, at offset: Int, in bytes: [UInt8], path: [CursorPlace.Step], root: JSONNode?,
    isStatements: Bool
  ) -> ([Item], Range<Int>) {
    if cursor.mark != nil, cursor.keysBefore == nil, KeyGuide.isPattern(cursor.key, at: path) {
      guard let begun = VariableUse.begun(before: offset, in: bytes, from: cursor.word.lowerBound) else {
        return ([], offset..<offset)
      }
      let isClosed = bytes[offset...].first == UInt8(ascii: ")")
      let items = KeyGuide.variables(in: root).map { entry in
        Item(
          name: entry.name, text: entry.name + (isClosed ? "" : ")"), kind: .variable, detail: entry.summary)
      }
      return (items, begun)
    }
    if let before = cursor.keysBefore {
      let current = String(decoding: bytes[cursor.word], as: UTF8.self)
      let known = KeyGuide.keys(at: path, isStatements: isStatements)
      let isValueThere =
        bytes[cursor.word.upperBound...].dropFirst(cursor.mark == nil ? 0 : 1)
        .first { $0 > 0x20 } == UInt8(ascii: ":")
      let items = known.filter { !before.contains($0.name) || $0.name == current }.map { entry in
        let value = isValueThere ? "" : entry.snippet.map { ": \($0)" } ?? ""
        let name = JSON.string(entry.name).text
        // Inside marks only the name is written: what is behind the closing mark stays as it is.
        return Item(
          name: entry.name, text: cursor.mark == nil ? name + value : entry.name, kind: .property,
          detail: entry.summary)
      }
      return (items, cursor.word)
    }
    guard let key = cursor.key else { return ([], cursor.word) }
    let values = KeyGuide.values(of: key, at: path, isStatements: isStatements, in: root)
    return (written(values.map { ($0.name, $0.summary) }, cursor), cursor.word)
  }

  /// Values as they are written: those with marks only where a string may stand.
  private static func written(_ values: [(text: String, detail: String)], _ cursor: CursorPlace) -> [Item] {
    values.compactMap { text, detail in
      let isString = text.hasPrefix("\"")
      let inner = isString ? String(text.dropFirst().dropLast()) : text
      if cursor.mark != nil {
        return isString ? Item(name: inner, text: inner, kind: .value, detail: detail) : nil
      }
      return Item(name: inner, text: text, kind: .value, detail: detail, filter: inner)
    }
  }

  // MARK: - Stories, fleets and configurations

  /// Asks the reader itself: the word under the cursor is replaced by a key or value that no document has, and the reader
  /// says what it expected there.
  private static func read(
    _ cursor: CursorPlace, _ kind: DocumentKind, _ document: EditorDocument, _ files: EditorFiles
  ) -> ([Item], Range<Int>) {
    let bytes = document.text.bytes
    var whole = cursor.word
    if cursor.mark != nil {
      let isClosed = bytes[whole.upperBound...].first == cursor.mark
      whole = whole.lowerBound - 1..<whole.upperBound + (isClosed ? 1 : 0)
    }
    let after = bytes[whole.upperBound...].first { $0 > 0x20 }
    let isKey = cursor.keysBefore != nil
    let word = "\"\(Self.probe)\""
    let member = word + ": null"
    let probe = isKey && after != UInt8(ascii: ":") ? member : word
    // A comma on both sides, where there is none, keeps the rest of the document readable.
    let before = bytes[..<whole.lowerBound].last { $0 > 0x20 }
    let isSeparated = before.map { "{[,:".utf8.contains($0) } ?? true
    let needsComma = after.map { !",}]:".utf8.contains($0) } ?? false
    let start = Array(bytes[..<whole.lowerBound]) + Array((isSeparated ? "" : ", ").utf8)
    let end = start.count + probe.utf8.count
    func asked(_ text: [UInt8]) -> [(range: Range<Int>, choice: DocumentChoice)] {
      DocumentAnalysis.choices(in: SourceText(name: document.name, bytes: text), of: kind, files: files)
    }
    var probed = start + Array((probe + (needsComma ? ", " : "")).utf8) + bytes[whole.upperBound...]
    var choices = asked(probed)
    if choices.isEmpty {
      // What cannot be read as a whole is read up to the cursor.
      probed = start + Array((isKey ? member : word).utf8) + cursor.closing
      choices = asked(probed)
    }
    if isKey {
      // The object itself: an outer one's keys do not belong where keys are free, or where the reader does not look.
      let object = NodePath(at: start.count, in: JSONParser.parse(probed, dialect: .json5).root).node
      let own = choices.last { choice in
        guard case .keys = choice.choice else { return false }
        return choice.range == object?.range
      }
      guard case .keys(let keys, _)? = own?.choice else { return ([], cursor.word) }
      let items = keys.filter { !(cursor.keysBefore ?? []).contains($0) }.map { key in
        Item(
          name: key, text: cursor.mark == nil && after != UInt8(ascii: ":") ? "\(plain(key)): " : key,
          kind: .property, detail: help(key, kind), filter: key)
      }
      return (items, cursor.word)
    }
    let own = choices.filter { choice in
      whole.lowerBound <= choice.range.lowerBound && choice.range.upperBound <= end
    }
    let values = own.compactMap { words($0.choice) }.last ?? []
    return (written(values, cursor), cursor.word)
  }

  /// The values of a choice as they are written.
  private static func words(_ choice: DocumentChoice) -> [(text: String, detail: String)]? {
    switch choice {
    case .words(let words), .offers(let words): words.map { (JSON.string($0).text, "") }
    case .flag: [("true", ""), ("false", "")]
    case .keys, .names, .integer, .number, .texts, .form: nil
    }
  }

  private static let probe = "linkspan-probe"

  /// A key as JSON5 has it.
  private static func plain(_ key: String) -> String {
    key.utf8.allSatisfy { ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == UInt8(ascii: "_") }
      ? key : JSON.string(key).text
  }

  private static func help(_ key: String, _ kind: DocumentKind) -> String {
    guard kind == .configuration else { return "" }
    return (ConfigurationKey.top + ConfigurationKey.server).first { $0.name == key }?.help ?? ""
  }
}

/// An association file that a story holds in itself, as its `sites` and `deploy` may.
private struct InlineFile {
  /// The way from the file's root to the object around the cursor.
  let path: [CursorPlace.Step]
  /// nil where the story cannot be read so far.
  let root: JSONNode?

  /// - Returns: nil outside such a file.
  init?(around cursor: CursorPlace, in bytes: [UInt8]) {
    let steps = cursor.path
    guard let sites = steps.firstIndex(where: { $0 == .key("sites") || $0 == .key("deploy") }),
      let file = steps.dropFirst(sites + 2).firstIndex(of: .key("file"))
    else { return nil }
    path = Array(steps[(file + 1)...])
    root = steps[...file].reduce(JSONParser.parse(bytes, dialect: .json5).root) { node, step in
      switch step {
      case .key(let name): node?[name]
      case .index(let index): node?.array.flatMap { $0.indices.contains(index) ? $0[index] : nil }
      }
    }
  }
}

/// What an entry of the associated domains may begin or end with.
enum EntitlementCompletions {
  /// - Returns: The words, and the text that they replace; nil outside a string of that list.
  static func domain(before offset: Int, in bytes: [UInt8]) -> (words: [String], range: Range<Int>)? {
    let text = bytes[..<offset]
    guard let open = text.lastIndex(of: UInt8(ascii: ">")),
      bytes[...open].reversed().starts(with: Self.string)
    else { return nil }
    let key = Array("com.apple.developer.associated-domains".utf8)
    // The list that is open here is that of the last key before it.
    guard let last = lastRange(of: Array("<key>".utf8), in: bytes[..<open]),
      bytes[last.upperBound...].starts(with: key)
    else { return nil }
    let start = open + 1
    if let mark = bytes[start..<offset].firstIndex(of: UInt8(ascii: "?")) {
      let modes = AssociatedDomain.Mode.allCases.map { "?mode=\($0.rawValue)" }
      return (modes, mark..<offset)
    }
    guard !bytes[start..<offset].contains(UInt8(ascii: ":")) else { return nil }
    return (Service.allCases.map { $0.rawValue + ":" }, start..<offset)
  }

  private static let string = Array("<string>".utf8.reversed())

  private static func lastRange(of word: [UInt8], in bytes: ArraySlice<UInt8>) -> Range<Int>? {
    var place = bytes.endIndex - word.count
    while place >= bytes.startIndex {
      if bytes[place...].starts(with: word) { return place..<place + word.count }
      place -= 1
    }
    return nil
  }
}
