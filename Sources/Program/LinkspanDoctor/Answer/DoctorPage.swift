internal import LinkspanCore

/// What `linkspan doctor` says of its targets, as a report.
struct DoctorPage {
  /// The worst first.
  private let answers: [DoctorAnswer]

  init(_ answers: [DoctorAnswer]) { self.answers = answers }

  var html: String {
    ReportPage(
      "Diagnosis of \(name)", verdict: "\(verdict)", standing, facts: facts,
      evidence: [targets] + evidence + [also, left], remedies: remedies
    ).html
  }

  private var name: String {
    switch answers.count {
    case 0: "nothing"
    case 1: answers[0].shownTarget
    default: "\(answers[0].shownTarget) and \(answers.count - 1) others"
    }
  }

  private var verdict: String {
    guard let worst = answers.first else { return "Nothing was asked." }
    return "\(worst.shownTarget), \(worst.question): \(Self.outcome(worst))."
      + (worst.cause.map { " \($0.title)" } ?? "")
  }

  private static func outcome(_ answer: DoctorAnswer) -> String {
    answer.verdict == .unknown ? "unknown" : answer.outcome
  }

  private var standing: ReportPage.Standing {
    switch answers.first?.verdict {
    case .opens: .good
    case .browser: .bad
    case .unknown, nil: .doubtful
    }
  }

  private var facts: [Markup] {
    guard let cause = answers.first?.cause else { return [] }
    return ["Who has to act: \(Self.owner(cause)). How sure: \(DoctorAnswer.words(cause.sureness))."]
  }

  private static func owner(_ cause: FoundCause) -> String {
    cause.owner == .none ? "no one, it works as Apple intends" : DoctorAnswer.words(cause.owner)
  }

  private var targets: ReportPage.Evidence {
    .table(
      ReportPage.Table(
        "Targets, the worst first", columns: ["Target", "Question", "Result", "Cause", "Who", "How sure"],
        rows: answers.map { answer in
          [
            answer.shownTarget, answer.question, Self.outcome(answer), answer.cause?.title ?? "",
            answer.cause.map(Self.owner) ?? "", answer.cause.map { DoctorAnswer.words($0.sureness) } ?? "",
          ]
        }))
  }

  private var evidence: [ReportPage.Evidence] {
    answers.compactMap { answer in
      answer.cause.map { cause in
        .table(
          ReportPage.Table(
            "Seen at \(answer.shownTarget)", columns: ["What"], rows: cause.evidence.map { [$0] }))
      }
    }
  }

  private var also: ReportPage.Evidence {
    .table(
      ReportPage.Table(
        "Also found, to mend afterwards", columns: ["Target", "Cause", "Who"],
        rows: answers.flatMap { answer in answer.also.map { [answer.shownTarget, $0.title, Self.owner($0)] } }
      ))
  }

  private var left: ReportPage.Evidence {
    .table(
      ReportPage.Table(
        "Not checked", columns: ["Target", "What"],
        rows: answers.flatMap { answer in answer.notChecked.map { [answer.shownTarget, $0] } }))
  }

  /// A sentence, and below it the lines to paste.
  private var remedies: [Markup] {
    answers.compactMap { answer in
      guard let remedy = answer.cause?.remedy else { return nil }
      let lines = remedy.split(separator: "\n", omittingEmptySubsequences: false)
      let rest = lines.dropFirst().joined(separator: "\n")
      let target: Markup = answers.count > 1 ? "\(answer.shownTarget): " : .none
      return target + "\(String(lines.first ?? ""))" + (rest.isEmpty ? .none : ReportPage.code(rest))
    }
  }
}
