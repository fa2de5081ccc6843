internal import LinkspanCore

extension ClipCodeTable {
  /// - Source: Apple, "Creating App Clip Codes with the App Clip Code Generator" (AC31).
  package static let types = ["cam", "nfc"]
  package static let logos = ["none", "badge"]

  /// The colours of the generator's templates, 0 to 17: an even number is white on a colour, an odd one that colour on
  /// white.
  private static let templateColours = [
    "000000", "777777", "FF3B30", "EE7733", "33AA22", "00A6A1", "007AFF", "5856D6", "CC73E1",
  ]

  /// Background and foreground of a template; nil for a number that none has.
  package static func colours(ofTemplate index: Int) -> (background: String, foreground: String)? {
    guard (0..<2 * templateColours.count).contains(index) else { return nil }
    let colour = templateColours[index / 2]
    return index % 2 == 0 ? (colour, "FFFFFF") : ("FFFFFF", colour)
  }

  mutating func check(_ form: Form) {
    if form != .connect, rows.count > Self.codeLimitCount {
      add(
        "table-size", at: rows[Self.codeLimitCount].range,
        "The table has \(rows.count) codes; expected at most \(Self.codeLimitCount).",
        "A print partner takes no more at once. Split the file here.")
    }
    if rows.isEmpty, findings.isEmpty {
      findings.append(
        Self.finding(
          "table", at: .init(file: source.name), "The table has no codes.", "Add a row for each code."))
    }
    var names: [String: Int] = [:]
    var urls: [String: Int] = [:]
    for (index, row) in rows.enumerated() {
      if form != .connect {
        check(name: row, first: names[ASCII.lowercased(row.name)])
        names[ASCII.lowercased(row.name)] = names[ASCII.lowercased(row.name)] ?? index
      }
      if form == .generator { checkLook(of: row) }
      check(url: row, first: urls[row.url])
      urls[row.url] = urls[row.url] ?? index
    }
    findings = findings.inReadingOrder()
  }

  private func line(_ index: Int) -> Int { source.position(at: rows[index].range.lowerBound).line }

  private mutating func check(name row: Row, first: Int?) {
    let help = "Name each picture once, such as table-42.svg."
    if row.name.isEmpty {
      add("table-name", at: row.nameRange, "The code has no file name.", help)
    } else if row.name.count > Self.nameLimitCharacters {
      add(
        "table-name", at: row.nameRange,
        "The file name has \(row.name.count) characters; expected at most \(Self.nameLimitCharacters).",
        "A print partner's upload takes no longer ones. Shorten it.")
    } else if row.name.hasPrefix(".") || row.name.contains(where: { "/\\:".contains($0) || $0.isNewline }) {
      add("table-name", at: row.nameRange, "'\(row.name)' is not a file name.", help)
    } else if let first {
      add(
        "table-name", at: row.nameRange, "The file name '\(row.name)' is in line \(line(first)) as well.",
        "One picture would overwrite the other. " + help)
    }
  }

  private mutating func checkLook(of row: Row) {
    for (column, colour) in [("background", row.background), ("foreground", row.foreground)]
    where colour.utf8.count != 6 || !colour.utf8.allSatisfy({ ASCII.hexValue($0) != nil }) {
      add(
        "table-colour", at: row.range, "The \(column) colour is '\(colour)'.",
        "Write six hexadecimal digits, such as FF3B30.")
    }
    if !row.background.isEmpty, ASCII.lowercased(row.background) == ASCII.lowercased(row.foreground) {
      add(
        "table-colour", at: row.range, "Foreground and background are both '\(row.background)'.",
        "The code could not be scanned. Choose two colours that differ clearly.")
    }
    for (column, value, known) in [("type", row.type, Self.types), ("logo", row.logo, Self.logos)]
    where !known.contains(value) {
      add(
        "table-look", at: row.range, "The \(column) is '\(value)'.",
        "Write \(known.map { "'\($0)'" }.joined(separator: " or ")), in lower case.")
    }
  }

  private mutating func check(url row: Row, first: Int?) {
    let location = Finding.Location(source, row.range)
    for finding in ClipCode.findings(row.url, at: location) where finding.severity == .error {
      // Its text; the rule is the one of a single code.
      if findings.count < Self.findingLimitCount {
        findings.append(finding)
      } else if let place = findings.firstIndex(where: { $0.rule == finding.rule }) {
        findings[place].unlisted += 1
      } else {
        findings.append(finding)
      }
    }
    if let first {
      add(
        "table-repeated", .note, at: row.range, "The URL is in line \(line(first)) as well.",
        "Both codes open the same.")
    }
  }

  /// Holds each URL to the experiences.
  ///
  /// - Parameter reason: Why a URL opens none; nil when it opens one.
  package mutating func checkEachOpens(_ reason: (String) -> String?) {
    for row in rows {
      guard let reason = reason(row.url) else { continue }
      add("not-registered", at: row.range, "The URL opens no experience.", reason)
    }
    findings = findings.inReadingOrder()
  }

  /// Compares the table with the pictures that the generator made.
  ///
  /// - Parameters:
  ///   - names: The SVG files beside the table.
  ///   - payload: The URL in a file's picture; nil for none.
  /// - Throws: What `payload` throws.
  package mutating func compare<Failure: Error>(
    with names: [String], payload: (String) throws(Failure) -> String?
  ) throws(Failure) {
    let there = Set(names)
    var used: Set<String> = []
    for row in rows {
      guard let name = [row.name, row.name + ".svg"].first(where: there.contains) else {
        add(
          "picture", at: row.range, "There is no picture '\(row.name)'.",
          "Make it with Apple's generator, or correct the name.")
        continue
      }
      used.insert(name)
      guard let url = try payload(name) else {
        add(
          "picture", at: row.range, "The picture '\(name)' has no 'data-payload'.",
          "Only pictures made by Apple's generator have it. Make it again.")
        continue
      }
      if url != row.url {
        add(
          "picture", at: row.range,
          "The picture '\(name)' holds '\(url.withoutUserInformation)', and the table says "
            + "'\(row.url.withoutUserInformation)'.",
          "Make the picture again, or correct the table.")
      }
    }
    for name in names where !used.contains(name) {
      findings.append(
        Self.finding(
          "picture", .warning, at: .init(file: name), "The picture is in no row of the table.",
          "Add it to the table, or leave it out of the upload."))
    }
    findings = findings.inReadingOrder()
  }
}
