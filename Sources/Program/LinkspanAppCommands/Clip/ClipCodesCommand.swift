internal import AppClips
internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanFiles

extension Command {
  static let clipCodes = Command(
    name: "clip codes", summary: "Check or write the CSV file of many App Clip Codes", operands: "CSV",
    discussion: """
      Reads three kinds of tables: the batch file of Apple's generator ('SVG File Name,URL,Background Color,
      Foreground Color,Type,Logo'), the one a print partner gets beside the pictures ('SVG File Name,URL'), and the one
      App Store Connect takes, a URL in each row. Checks header and rows, file names (once each, at most 188
      characters), at most 10,000 codes, colours, and each URL against the rules of codes.

      With '--pictures' each picture's own URL is compared with the table. '--write' makes a table of another form from
      it, so a list of URLs becomes a batch file.
      """,
    flags: [
      Flag("--experiences", "FILE", "The experiences, one of which each URL must open"),
      Flag("--pictures", "FOLDER", "The SVG files that belong to the table"),
      Flag(
        "--write", "FORM", choices: ClipCodeTable.Form.allCases.map(\.rawValue),
        "Write a table for the generator, for print or for App Store Connect (connect)"),
      Flag("--output", short: "-o", "OUT", "Where '--write' writes (standard output)"),
      Flag("--type", "TYPE", choices: ClipCodeTable.types, "cam to scan, nfc with a tag inside (cam)"),
      Flag("--logo", "LOGO", choices: ClipCodeTable.logos, "none or badge (none)"),
      Flag("--index", "N", "The generator's template, 0 to 17 (0)"),
      Flag("--foreground", "HEX", "A colour instead of a template's, such as FFFFFF"),
      Flag("--background", "HEX", "A colour instead of a template's, such as FF3B30"),
      Flag("--names", "PREFIX", "Prefix of file names if the table has none (code-)"),
      .force,
    ],
    examples: [
      "linkspan clip codes codes.csv --experiences experiences.json5 --pictures codes",
      "linkspan clip codes urls.txt --write generator --type nfc --index 5 -o codes.csv",
    ], exitStatus: "0 no errors, 1 errors found and nothing written, 2 could not answer"
  ) { arguments, console throws(LinkspanError) in
    try arguments.expectOperands(1...1)
    return try ClipCodesRun(arguments).run(console)
  }
}

private struct ClipCodesRun {
  private let arguments: Arguments
  private var table: ClipCodeTable
  private let look: ClipCodeTable.Row

  init(_ arguments: Arguments) throws(LinkspanError) {
    self.arguments = arguments
    look = try Self.look(arguments)
    let path = arguments.operands[0]
    let source = try FileReader.read(path)
    guard source.bytes.count <= ClipCodeTable.sizeLimitBytes else {
      throw LinkspanError(
        "'\(path)' is larger than \(ClipCodeTable.sizeLimitBytes >> 20) MB.", help: "Split the table.")
    }
    table = ClipCodeTable(source)
    if let folder = arguments.value("--pictures") {
      let names = try FileReader.names(in: folder).filter { $0.hasSuffix(".svg") }
      try table.compare(with: names) { name throws(LinkspanError) in
        ClipCode.payload(svg: try FileReader.bytes(folder + "/" + name))
      }
    }
    if let file = arguments.value("--experiences") { try checkExperiences(file) }
  }

  /// What rows get that come from a table without it.
  private static func look(_ arguments: Arguments) throws(LinkspanError) -> ClipCodeTable.Row {
    var row = ClipCodeTable.Row(url: "")
    row.type = arguments.value("--type") ?? "cam"
    row.logo = arguments.value("--logo") ?? "none"
    let index = try arguments.number("--index", atLeast: 0) ?? 0
    guard let colours = ClipCodeTable.colours(ofTemplate: index) else {
      throw arguments.usage("'--index': expected an integer from 0 to 17, got '\(index)'")
    }
    row.background = arguments.value("--background") ?? colours.background
    row.foreground = arguments.value("--foreground") ?? colours.foreground
    for (flag, colour) in [("--background", row.background), ("--foreground", row.foreground)]
    where colour.utf8.count != 6 || !colour.utf8.allSatisfy({ ASCII.hexValue($0) != nil }) {
      throw arguments.usage("'\(flag)': expected six hexadecimal digits such as FF3B30, got '\(colour)'")
    }
    if ASCII.lowercased(row.background) == ASCII.lowercased(row.foreground) {
      throw arguments.usage("'--foreground' and '--background' are the same colour")
    }
    return row
  }

  private mutating func checkExperiences(_ path: String) throws(LinkspanError) {
    let file = try ExperienceInput.read(path)
    table.checkEachOpens { url in
      let answer = Invocation(url, .appClipCode, Invocation.Device(), in: file)
      return answer.receiver == .none ? answer.reasons.map(\.text).joined(separator: " ") : nil
    }
  }

  func run(_ console: Console) throws(LinkspanError) -> ExitStatus {
    let hasErrors = table.findings.count(of: .error) > 0
    let output = arguments.value("--output").flatMap { $0 == "-" ? nil : $0 }
    var written: [UInt8]?
    if !hasErrors, let form = arguments.choice("--write", ClipCodeTable.Form.self) {
      written = try bytes(form)
    } else if arguments.has("--output"), arguments.value("--write") == nil {
      throw arguments.usage("'--output' needs '--write'")
    }
    if let written, let output {
      let file = OutputFile(output, .common, isForced: arguments.has("--force"))
      let allowed = try file.allowed(over: written)
      try allowed.write(written)
    }
    if arguments.has("--json") {
      let text = output == nil ? written.map { String(decoding: $0, as: UTF8.self) } : nil
      console.print(
        .object([
          ("type", .string("clip-codes")), ("file", .string(arguments.operands[0])),
          ("form", .init(table.form?.rawValue)), ("codes", .int(table.rows.count)),
          ("written_to", .init(written == nil ? nil : output)), ("table", .init(text)),
          ("findings", .array(table.findings.map(\.json))), ("summary", table.findings.summaryJSON),
        ]))
    } else {
      show(written: output == nil ? written : nil, on: console)
    }
    return hasErrors ? .no : .yes
  }

  private func show(written: [UInt8]?, on console: Console) {
    if let written {
      // The table is the answer, so what is said about it goes elsewhere.
      for finding in table.findings { console.note(finding.text()) }
      console.printRaw(String(decoding: written, as: UTF8.self))
      return
    }
    for finding in table.findings { console.print(finding.text(style: console.style), terminator: "") }
    console.print("\(table.rows.count.counted("code")), \(table.findings.counted)")
  }

  /// The rows in another form; what theirs lacks comes from the flags.
  private func bytes(_ form: ClipCodeTable.Form) throws(LinkspanError) -> [UInt8] {
    let width = String(table.rows.count).count
    let prefix = arguments.value("--names") ?? "code-"
    let isRepainted = ["--type", "--logo", "--index", "--foreground", "--background"].contains {
      arguments.has($0)
    }
    let rows = table.rows.enumerated().map { index, row in
      var row = row
      if row.name.isEmpty { row.name = prefix + String(index + 1).leftPadded(to: width) + ".svg" }
      if table.form != .generator || isRepainted {
        (row.background, row.foreground, row.type, row.logo) = (
          look.background, look.foreground, look.type, look.logo
        )
      }
      return row
    }
    let bytes = ClipCodeTable.bytes(rows, as: form)
    let problems = ClipCodeTable(SourceText(name: "the new table", bytes: bytes)).findings
    guard let problem = problems.first(where: { $0.severity == .error }) else { return bytes }
    throw LinkspanError(
      "the new table would be refused: \(problem.message)", help: problem.help ?? "Change the flags.")
  }
}

extension String {
  /// Zeros in front, up to a width.
  fileprivate func leftPadded(to width: Int) -> String {
    String(repeating: "0", count: max(0, width - count)) + self
  }
}
