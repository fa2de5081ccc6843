internal import AppSiteAssociation
internal import AssociatedDomains
internal import AssociationDelivery
internal import LinkExplanation
internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanStandIns
import SimulatedDevices
internal import SiteInput

/// What `explain --live` could not fetch, so that nothing can be said of the link.
struct LiveSilence {
  /// Hosts of which neither they nor the CDN said what a device gets.
  private let hosts: Set<String>
  /// Who was asked, and what came back: a line for each host.
  private let asked: [String]
  /// Whether no file that decides about the link is known.
  let isWhole: Bool

  /// - Parameters:
  ///   - deciding: The hosts whose files decide about the link, for the apps that are known; empty when none claims it.
  ///   - areAppsKnown: Whether some app is, by `--app` or by a file.
  init(_ survey: LiveSurvey, host: String, deciding: [String], areAppsKnown: Bool, on os: OSVersion) {
    // Releases before 14 ask the host itself, whatever the CDN has (C1).
    let silent = survey.answered.filter {
      os.fetchesThroughCDN ? $0.isSilent : $0.origin?.answersDevices != true
    }
    hosts = Set(silent.map { $0.host })
    asked = survey.answered.map { $0.line }
    let named = survey.answered.first { $0.host == host }
    let isKnown =
      named?.origin?.served != nil || named?.origin?.hasNoFile == true || named?.cdn?.copy != nil
      || (!os.fetchesThroughCDN && named?.origin?.answersDevices == true)
    isWhole = areAppsKnown ? !deciding.isEmpty && deciding.allSatisfy(hosts.contains) : !isKnown
  }

  /// Whether a verdict rests on a file that could not be fetched.
  func decides(_ verdict: LinkVerdict) -> Bool {
    verdict.step == .fetch && verdict.domain.map { hosts.contains($0.host) } ?? false
  }

  /// What is not known, as an explanation has it.
  func json(_ situation: Situation, goal: ChangeSearch.Goal, notKnown: [String]) -> JSON {
    .object([
      ("type", .string("explanation")), ("url", .string(situation.link.withoutUserInformation)),
      ("device", .string(situation.traits.name)), ("os", .string(situation.traits.os.description)),
      ("from", .string(situation.way.name)), ("opens", .null), ("app", .null), ("decided", .bool(false)),
      ("certainty", .null), ("steps", .array([])), ("arrivals", .array([])),
      ("not_known", .array(([Self.clause] + notKnown).map(JSON.string))), ("toward", .string(goal.rawValue)),
      ("changes", .array([])), ("asked", .array(asked.map(JSON.string))),
    ])
  }

  private static let clause = "whether an app opens: no association file that decides could be fetched"

  /// So many hosts are named where not everything is shown.
  private static let shownHosts = 3

  /// - Parameter isWhole: Whether every host is named, and everything that is not known.
  func text(_ situation: Situation, notKnown: [String], isWhole: Bool, _ style: TextStyle) -> String {
    func item(_ text: String) -> String {
      WrappedText.lines(
        text.onOneLine, first: "  - ", rest: "    ", width: ExplanationText.width(style.columns))
    }
    var text = style.bold(situation.link.withoutUserInformation.onOneLine) + "\n"
    text +=
      "  from \(situation.way.name) on \(situation.traits.os.name): \(style.paint("unknown", .yellow))\n"
    text += "No association file that decides about the link could be fetched. Asked, and answered:\n"
    let shown = isWhole ? asked : Array(asked.prefix(Self.shownHosts))
    text += shown.map(item).joined()
    if shown.count < asked.count {
      text += "  and \((asked.count - shown.count).counted("more host")): --why\n"
    }
    text +=
      "Check the host's name and this machine's network with 'linkspan check HOST', or name the file with '--site'.\n"
    if isWhole {
      text += "\nUnknown here:\n" + notKnown.map(item).joined()
    } else if !notKnown.isEmpty {
      text += "--why shows \(notKnown.count.counted("thing")) unknown here.\n"
    }
    return text
  }
}
