package import LinkspanCommand
internal import LinkspanCore
internal import LinkspanFiles
internal import Swcutil

extension Command {
  package static let oracle = Command(
    name: "oracle", summary: "Ask a Mac's swcutil what Apple's documentation leaves open", operands: "",
    discussion: """
      --out writes a shell script that asks Apple's swcutil on a Mac: the fewest files and URLs on which the readings of
      the open questions differ, found by comparing the rules of each reading. The script needs nothing else and changes
      nothing; the last line that it prints is the path of the answers.
      --read says which readings agree with the answers. 'linkspan match --oracle FILE' cites them.
      """,
    flags: [
      Flag("--out", "DIR", "Write the script into this folder, which is made where it is missing"),
      Flag("--read", "FILE", "Read the answers that the script wrote"),
      .force,
    ],
    examples: ["linkspan oracle --out kit", "linkspan oracle --read swcutil-answers.txt --json"],
    exitStatus: "0 written or read, 2 could not answer"
  ) { arguments, console throws(LinkspanError) in
    try arguments.expectOperands(0...0)
    switch (arguments.value("--out"), arguments.value("--read")) {
    case (let folder?, nil):
      try OracleOutput(folder, arguments).write(console, isJSON: arguments.has("--json"))
    case (nil, let path?):
      let answer = try OracleAnswer(reading: path)
      console.print(arguments.has("--json") ? answer.json.text : OracleText.text(answer))
    case (nil, nil): throw arguments.usage("expected '--out' or '--read'")
    case (.some, .some): throw arguments.usage("'--out' does not go with '--read'")
    }
    return .yes
  }
}

/// The script in its folder.
private struct OracleOutput {
  private let folder: String
  private let path: String
  private let arguments: Arguments

  init(_ folder: String, _ arguments: Arguments) {
    self.folder = folder
    self.arguments = arguments
    path = (folder.hasSuffix("/") ? folder : folder + "/") + OracleScript.name
  }

  func write(_ console: Console, isJSON: Bool) throws(LinkspanError) {
    if try FileReader.kind(of: folder) == .missing {
      let place = FileReader.place(of: folder)
      _ = try OpenFolder(place.folder).madeFolder(place.name)
    }
    let kit = OracleKit()
    let script = Array(OracleScript.text(kit, version: Program.version).utf8)
    let file = try arguments.output(
      at: path, .beginning("#!/bin/sh\n# Asks Apple's swcutil", "a script of 'linkspan oracle'"))
    try file.refuseForeign(script)
    try OpenFolder(folder).replace(OracleScript.name, by: script, mode: 0o755)
    if isJSON {
      console.print(
        .object([
          ("type", .string("oracle-kit")), ("script", .string(path)), ("probes", .int(kit.probes.count)),
          ("questions", .array(OracleQuestion.all.map { .string($0.name) })),
          ("not_settled", OracleQuestion.notSettledJSON),
        ]))
      return
    }
    console.print(
      "\(path) asks swcutil \(kit.probes.count) times about \(OracleQuestion.all.count) questions. On a Mac: "
        + "sudo sh \(OracleScript.name); then here: linkspan oracle --read ANSWERS")
    console.print("swcutil cannot settle:")
    for (number, reason) in OracleQuestion.notSettled { console.print("  question \(number): \(reason)") }
  }
}

/// The answers, for people.
enum OracleText {
  static func text(_ answer: OracleAnswer) -> String {
    var lines = ["swcutil of \(answer.machine.onOneLine) said:"]
    for row in answer.rows {
      lines.append("  \(row.question.text) (question \(row.question.number))")
      lines.append("    \(row.question.name): \(words(row))")
    }
    if answer.unread > 0 {
      lines.append("\(answer.unread) answers have no line of swcutil that is known; they count for nothing.")
    }
    return lines.joined(separator: "\n")
  }

  private static func words(_ row: OracleAnswer.Row) -> String {
    let own = row.question.readings[0].name
    if row.told == 0 { return "not asked" }
    if row.surviving.isEmpty { return "none of its readings agrees with the answers" }
    let left = row.surviving.joined(separator: " or ")
    if row.confirms { return "\(left), as this program reads it" }
    return row.contradicts ? "\(left), and not \(own), as this program reads it" : "\(left): not settled"
  }
}
