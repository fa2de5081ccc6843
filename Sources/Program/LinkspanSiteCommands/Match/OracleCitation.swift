internal import AppSiteAssociation
internal import LinkspanCore
internal import Swcutil

/// What Apple's tool said, on a named machine, of the open question that decides an answer.
struct OracleCitation {
  /// The machine and its build: `Mac15,3, macOS 26.1 (25B78)`.
  let machine: String
  let row: OracleAnswer.Row

  /// As a member of the answer.
  var members: [(String, JSON)] {
    [
      (
        "oracle",
        .object([
          ("machine", .string(machine)), ("name", .string(row.question.name)),
          ("surviving", .array(row.surviving.map(JSON.string))),
        ])
      )
    ]
  }

  var text: String {
    "swcutil of \(machine) on \(row.question.name): \(row.surviving.isEmpty ? "no known reading" : row.surviving.joined(separator: " or "))"
  }
}

extension MatchAnswer {
  /// Takes over what a machine said of the question that decides: an answer that it confirms is observed, and one that it
  /// refutes is disputed.
  mutating func cite(_ answer: OracleAnswer) {
    guard let other = basis?.other, let row = answer.row(of: other), row.told > 0 else { return }
    oracle = OracleCitation(machine: answer.machine, row: row)
    if row.confirms { basis?.certainty = .observed }
    if row.contradicts { basis?.certainty = .disputed }
  }
}
