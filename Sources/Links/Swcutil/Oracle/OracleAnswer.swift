package import AppSiteAssociation
package import LinkspanCore

/// Which readings of the open questions survive what Apple's tool said.
package struct OracleAnswer: Sendable {
  package struct Row: Sendable {
    package let question: OracleQuestion
    /// The names of the readings that agree with every answer.
    package let surviving: [String]
    /// How many answers told its readings apart.
    package let told: Int

    /// Whether one reading is left, and it is this program's own.
    package var confirms: Bool { told > 0 && surviving == [question.readings[0].name] }
    /// Whether this program's own reading is refuted.
    package var contradicts: Bool { told > 0 && !surviving.contains(question.readings[0].name) }
  }

  package let machine: String
  package let rows: [Row]
  /// Answers whose lines say nothing that is known.
  package let unread: Int

  /// - Throws: That the tool answers known questions otherwise, so that its lines cannot be trusted.
  package init(_ pack: OraclePack) throws(LinkspanError) {
    machine = pack.machine
    unread = pack.answers.count { $0.verdict == nil }
    for answer in pack.answers where answer.probe.name == OracleKit.control {
      let known = OracleKit.controlled.first { answer.probe.url.hasSuffix($0.path) }
      guard known == nil || answer.verdict == known?.verdict else {
        throw LinkspanError(
          "the tool's answer to '\(answer.probe.url)' is not the documented one: "
            + (answer.lines.first.map { $0.onOneLine } ?? "nothing") + ".",
          help: "Was it Apple's swcutil, and did it run as root? Run the script again with sudo.")
      }
    }
    var told = [Int](repeating: 0, count: OracleQuestion.all.count)
    var surviving = OracleQuestion.all.map { Set($0.readings.indices) }
    for answer in pack.answers {
      guard let verdict = answer.verdict,
        let file = AssociationContent(Array(answer.probe.file.utf8)).file
      else { continue }
      let matcher = AssociationMatcher(file)
      let url = LinkURL(answer.probe.url)
      // An answer that two questions have a part in says nothing of either alone.
      var telling: (place: Int, verdicts: [Decision.Verdict])?
      var count = 0
      for (place, question) in OracleQuestion.all.enumerated() {
        guard
          let verdicts = OracleQuestion.verdicts(
            question.readings, matcher, url, app: answer.probe.app, host: HostScope(answer.probe.host)),
          Set(verdicts).count > 1
        else { continue }
        telling = (place, verdicts)
        count += 1
      }
      guard let telling, count == 1 else { continue }
      told[telling.place] += 1
      surviving[telling.place] = surviving[telling.place].filter { telling.verdicts[$0] == verdict }
    }
    rows = OracleQuestion.all.enumerated().map { place, question in
      Row(
        question: question,
        surviving: question.readings.indices.filter(surviving[place].contains).map {
          question.readings[$0].name
        },
        told: told[place])
    }
  }

  /// The row of the question that another reading answers.
  package func row(of other: OtherReading) -> Row? {
    rows.first { $0.question.readings.contains { $0.other == other } }
  }

  package var json: JSON {
    .object([
      ("type", .string("oracle")), ("machine", .string(machine)),
      ("questions", .array(rows.map(Self.json))),
      ("unread", .int(unread)),
      ("not_settled", OracleQuestion.notSettledJSON),
    ])
  }

  private static func json(_ row: Row) -> JSON {
    .object([
      ("name", .string(row.question.name)), ("question", .int(row.question.number)),
      ("text", .string(row.question.text)),
      ("readings", .array(row.question.readings.map { .string($0.name) })),
      ("surviving", .array(row.surviving.map(JSON.string))), ("answers", .int(row.told)),
      ("own", .string(row.question.readings[0].name)),
    ])
  }
}
