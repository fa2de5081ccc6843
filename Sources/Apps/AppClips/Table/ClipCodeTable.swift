package import LinkspanCore

/// A CSV file of App Clip Codes: what Apple's generator makes many codes from, what a print partner gets beside the
/// pictures, and what App Store Connect takes.
///
/// - Source: Apple, "Creating App Clip Codes" and "Preparing App Clip Codes for a print partner" (AC31).
package struct ClipCodeTable: Sendable {
  /// What a table is for.
  package enum Form: String, CaseIterable, Sendable {
    /// The batch mode of Apple's generator.
    case generator
    /// The upload to a print partner.
    case print
    /// App Store Connect: a URL in each row.
    case connect

    /// The names of its columns, in this order.
    package var header: [String] {
      switch self {
      case .generator: ["SVG File Name", "URL", "Background Color", "Foreground Color", "Type", "Logo"]
      case .print: ["SVG File Name", "URL"]
      case .connect: ["URL"]
      }
    }
  }

  /// One code.
  package struct Row: Hashable, Sendable {
    /// The picture's file name; empty where the form has none.
    package var name = ""
    package var url = ""
    /// Six hexadecimal digits; empty where the form has none.
    package var background = ""
    package var foreground = ""
    /// `cam` or `nfc`; empty where the form has none.
    package var type = ""
    /// `none` or `badge`; empty where the form has none.
    package var logo = ""
    /// Where its URL is in the file, and where its name.
    package var range = 0..<0
    package var nameRange = 0..<0

    package init(url: String) { self.url = url }
  }

  /// Apple: a print partner's upload has at most so many pictures, and names of at most so many characters.
  package static let codeLimitCount = 10_000
  package static let nameLimitCharacters = 188
  /// Ours: what one file may hold, and how much is said about it.
  package static let sizeLimitBytes = 32 << 20
  package static let rowLimitCount = 100_000
  static let findingLimitCount = 200

  package let source: SourceText
  /// nil when the header is none of the three.
  package let form: Form?
  package private(set) var rows: [Row] = []
  /// What is wrong with it, in reading order.
  package internal(set) var findings: [Finding] = []

  /// Reads a table and checks it.
  ///
  /// - Parameter rowLimit: Rows that are read, and above which the rest is not.
  package init(_ source: SourceText, rowLimit: Int = rowLimitCount) {
    self.source = source
    var records = CSVRecords(source.bytes)
    var header: [CSVField]?
    var list: [[CSVField]] = []
    var mistakes: [Finding] = []
    do throws(CSVRecords.Mistake) {
      header = try records.next()
      // A first row that is a code already counts as one.
      let isCode = header.flatMap(Self.form) == .connect && header?[0].text != "URL"
      let limit = rowLimit - (isCode ? 1 : 0)
      while let record = try records.next() {
        guard list.count < limit else {
          mistakes.append(
            Self.finding(
              "table", at: .init(file: source.name), "The table has more than \(rowLimit) rows.",
              "The rest was not read. Split the file."))
          break
        }
        list.append(record)
      }
    } catch {
      mistakes.append(
        Self.finding(
          "table", at: Finding.Location(source, error.place..<error.place),
          "The file is not CSV: \(error.reason).", Self.help(for: source.bytes)))
    }
    form = header.flatMap(Self.form)
    findings = mistakes
    guard let header, let form else {
      if mistakes.isEmpty { findings.append(Self.headerFinding(header, source)) }
      return
    }
    // App Store Connect's has no header, but a table with one is read as well.
    if form == .connect, header[0].text != "URL" { list.insert(header, at: 0) }
    for record in list { take(record, form) }
    check(form)
  }

  /// The form that a header stands for, however its letters are capitalised.
  private static func form(_ header: [CSVField]) -> Form? {
    let names = header.map { ASCII.lowercased($0.text) }
    let named = Form.allCases.first { $0.header.map(ASCII.lowercased) == names }
    return named ?? (header.count == 1 && header[0].text.contains("://") ? .connect : nil)
  }

  /// What to do with a file of which no fields can be read.
  private static func help(for bytes: [UInt8]) -> String {
    if ByteOrderMark.removed(from: bytes[...]) == nil {
      return "It is in UTF-16: 'iconv -f UTF-16 -t UTF-8' converts it."
    }
    return String(validating: bytes, as: UTF8.self) == nil
      ? "Save it as UTF-8, which spreadsheets call 'CSV UTF-8'."
      : "Quote fields that hold commas or quotes, and double the quotes in them."
  }

  private static func headerFinding(_ header: [CSVField]?, _ source: SourceText) -> Finding {
    let range = header.flatMap { fields in
      fields.first.flatMap { first in fields.last.map { first.range.lowerBound..<$0.range.upperBound } }
    }
    let only = header?.count == 1 ? header?[0].text : nil
    let isSeparatedOtherwise = only?.utf8.contains { $0 == 0x3B || $0 == 0x09 } ?? false
    let forms = Form.allCases.map { "'\($0.header.joined(separator: ","))'" }.joined(separator: " or ")
    return finding(
      "table-header", at: range.map { Finding.Location(source, $0) } ?? .init(file: source.name),
      header == nil ? "The table is empty." : "The header is not one of a table of App Clip Codes.",
      isSeparatedOtherwise
        ? "Separate fields with commas, and begin the file with \(forms)."
        : "Begin the file with \(forms), or write one URL in each row.")
  }

  private mutating func take(_ record: [CSVField], _ form: Form) {
    guard record.count == form.header.count else {
      let range = record[0].range.lowerBound..<record[record.count - 1].range.upperBound
      add(
        "table", at: range,
        "The row has \(record.count) field\(record.count == 1 ? "" : "s"); expected \(form.header.count).",
        "Each row has \(form.header.map { "'\($0)'" }.joined(separator: ", ")). Quote a URL that has a comma."
      )
      return
    }
    let place = form == .connect ? 0 : 1
    var row = Row(url: record[place].text)
    row.range = record[place].range
    if form != .connect {
      row.name = record[0].text
      row.nameRange = record[0].range
    }
    if form == .generator {
      row.background = record[2].text
      row.foreground = record[3].text
      row.type = record[4].text
      row.logo = record[5].text
    }
    rows.append(row)
  }

  // MARK: - Writing

  /// The bytes of a table: CSV with its header; in the form of App Store Connect without.
  package static func bytes(_ rows: [Row], as form: Form) -> [UInt8] {
    var text = form == .connect ? "" : form.header.joined(separator: ",") + "\n"
    for row in rows {
      let fields =
        switch form {
        case .generator: [row.name, row.url, row.background, row.foreground, row.type, row.logo]
        case .print: [row.name, row.url]
        case .connect: [row.url]
        }
      text += fields.map(CSVField.written).joined(separator: ",") + "\n"
    }
    return Array(text.utf8)
  }

  // MARK: - Findings

  static func finding(
    _ rule: String, _ severity: Finding.Severity = .error, at location: Finding.Location, _ message: String,
    _ help: String
  ) -> Finding {
    Finding(
      rule: "clip.code-" + rule, severity: severity, at: location, message: message, help: help,
      source: "AC31")
  }

  mutating func add(
    _ rule: String, _ severity: Finding.Severity = .error, at range: Range<Int>, _ message: String,
    _ help: String
  ) {
    // A table of thousands may have the same mistake in each row; what is beyond is counted.
    guard findings.count < Self.findingLimitCount else {
      if let place = findings.firstIndex(where: {
        $0.rule == "clip.code-" + rule && $0.severity == severity
      }) {
        findings[place].unlisted += 1
      } else {
        findings.append(
          Self.finding(rule, severity, at: Finding.Location(source, range), message, help))
      }
      return
    }
    findings.append(Self.finding(rule, severity, at: Finding.Location(source, range), message, help))
  }
}
