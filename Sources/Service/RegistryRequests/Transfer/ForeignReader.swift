internal import LinkspanCore

/// Reads an export of another service line by line: objects in JSON, or CSV whose first record names the columns.
package struct ForeignReader {
  /// A row, and the line that it begins on.
  package struct Row: Sendable {
    package var line: Int
    /// Its place in an array, from 1: exports in JSON often have one line.
    package var entry: Int? = nil
    package var result: Result<ForeignExport.Row, InputProblem>
  }

  private enum Form {
    case json(JSONElements)
    case csv(columns: [String]?)
    /// CSV without the column that devices are known by: no line of it says anything.
    case other
  }

  private let service: ForeignExport
  private let place: ForeignExport.Place
  /// nil before the first line with something in it.
  private var form: Form?
  private var line = 0
  /// Lines of a record of CSV whose quotes are still open, and where it begins.
  private var record: (line: Int, bytes: [UInt8])?
  private var rows: [Row] = []

  package init(_ service: ForeignExport, _ place: ForeignExport.Place) {
    self.service = service
    self.place = place
  }

  /// The rows that were read since the last time.
  package mutating func takeRows() -> [Row] {
    defer { rows = [] }
    return rows
  }

  /// Takes a line without its line feed.
  package mutating func add(_ bytes: [UInt8]) {
    line += 1
    if form == nil {
      let first = bytes.first { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }
      guard let first else { return }
      let isJSON = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
      var elements = JSONElements()
      elements.skip(line - 1)
      form = isJSON ? .json(elements) : .csv(columns: nil)
    }
    switch form {
    case .json(var elements):
      var found: [JSONElements.Element] = []
      do throws(InputProblem) {
        try elements.add(bytes) { found.append($0) }
        for element in found { read(element) }
      } catch {
        for element in found { read(element) }
        refuse(line, error)
      }
      form = .json(elements)
    case .csv(let columns): addCSV(bytes, columns)
    case .other, nil: return
    }
  }

  /// Takes that a line was too long to be read.
  package mutating func addTooLong() {
    line += 1
    refuse(line, InputProblem("", "The line is too long."))
  }

  /// Takes the end.
  package mutating func finish() {
    if case .json(let elements) = form, elements.isOpen {
      refuse(line, InputProblem("", "The export ends within an object or an array."))
    }
    if case .json(let elements) = form, elements.isOnePage, service == .sns {
      refuse(
        line,
        InputProblem(
          "",
          "'NextToken' says that further devices follow, which this export lacks. Export all pages: the command of"
            + " AWS does without '--max-items' and '--no-paginate'."))
    }
    if let record { refuse(record.line, InputProblem("", "A quoted field has no end.")) }
    if case .csv(columns: nil)? = form {
      refuse(max(1, line), InputProblem("", "The first line does not name the columns."))
    }
  }

  private mutating func refuse(_ line: Int, _ problem: InputProblem) {
    rows.append(Row(line: line, result: .failure(problem)))
  }

  private mutating func read(_ element: JSONElements.Element) {
    rows.append(
      Row(
        line: element.line, entry: element.number,
        result: Result { () throws(InputProblem) in try service.row(element.bytes, place) }))
  }

  private mutating func addCSV(_ bytes: [UInt8], _ columns: [String]?) {
    var open = record ?? (line, [])
    if !open.bytes.isEmpty { open.bytes.append(UInt8(ascii: "\n")) }
    open.bytes += bytes
    // A quote inside of a field is doubled, so an odd number of them leaves the field open.
    let quotes = open.bytes.reduce(0) { $0 + ($1 == UInt8(ascii: "\"") ? 1 : 0) }
    guard quotes % 2 == 0 else {
      guard open.bytes.count <= RegistryTransfer.lineLimitBytes else {
        record = nil
        return refuse(
          open.line, InputProblem("", "The record is longer than \(RegistryTransfer.lineLimitBytes) bytes."))
      }
      record = open
      return
    }
    record = nil
    if columns == nil, let separator = otherSeparator(of: open.bytes) {
      refuse(open.line, InputProblem("", "The columns are separated by \(separator); expected commas."))
      form = .other
      return
    }
    var records = CSVRecords(open.bytes)
    do throws(CSVRecords.Mistake) {
      guard let fields = try records.next()?.map(\.text) else { return }
      guard let columns else {
        if !fields.contains(service.tokenColumn) {
          refuse(open.line, InputProblem("", missingColumn(fields)))
          form = .other
          return
        }
        form = .csv(columns: fields)
        return
      }
      read(fields, columns, open.line)
    } catch {
      refuse(open.line, InputProblem("", "It is not CSV: \(error.reason)."))
    }
  }

  /// What spreadsheets of some countries write instead of commas, where the columns are the service's.
  private func otherSeparator(of header: [UInt8]) -> String? {
    let text = String(decoding: header, as: UTF8.self)
    let separators: [(Character, String)] = [(";", "semicolons"), ("\t", "tabs")]
    return separators.first { separator, _ in
      let fields = text.split(separator: separator)
      return fields.count > 1
        && fields.contains { $0.filter { !"\"\r \u{FEFF}".contains($0) } == service.tokenColumn }
    }?.1
  }

  private func missingColumn(_ columns: [String]) -> String {
    let other = ForeignExport.allCases.first { $0 != service && columns.contains($0.tokenColumn) }
    let hint = other.map { "; it looks like an export for '--from \($0.rawValue)'" } ?? ""
    return "The first line names no column '\(service.tokenColumn)'\(hint)."
  }

  private mutating func read(_ texts: [String], _ columns: [String], _ line: Int) {
    guard texts.count == columns.count else {
      return refuse(
        line,
        InputProblem(
          "", "It has \(texts.count.counted("field")); expected \(columns.count), one for each column."))
    }
    var fields = ForeignExport.Fields()
    for (name, text) in zip(columns, texts) { fields.values[name] = .string(text) }
    rows.append(
      Row(line: line, result: Result { () throws(InputProblem) in try service.row(fields, place) }))
  }
}
