import AppSiteAssociation
internal import AssociatedDomains
import LinkspanCore
internal import LinkspanSpecification

/// Which of the files that a device wants at one time it asks for first.
///
/// - Source: E21, documented.
enum DownloadPriority: Int, Comparable, Sendable {
  /// `.com`, `.net` and `.org`.
  case common
  /// The domains of countries and the internationalised ones. Those of them that do not fit the user's locale
  /// come last; devices of a story have no locale, and all of them are taken to fit (inferred).
  case ofLocale
  case rest

  /// - Parameter host: In ASCII, as entries have it.
  init(host: String) {
    let top = host.split(separator: ".").last ?? ""
    if ["com", "net", "org"].contains(top) {
      self = .common
    } else if top.utf8.count == 2 || top.hasPrefix("xn--") {
      self = .ofLocale
    } else {
      self = .rest
    }
  }

  static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// When one of the checks that begin together has its turn.
struct CheckTurn: Sendable {
  /// How long the daemon lets a due check wait, in milliseconds: it is held back (V4); the figure is ours.
  private static let start_ms: ClosedRange<Int64> = 0...2000

  /// How long it is held back.
  var start: Duration
  /// What decided that, where it was not chance alone.
  var provenance: Provenance?
  /// Chance for the rest of the check.
  var chance: SeededGenerator

  init(_ chance: SeededGenerator) {
    self.chance = chance
    start = .milliseconds(self.chance.draw(Self.start_ms))
  }
}

extension SimulatedDevice {
  /// The turns of checks that begin together. Since iOS 13 those that go first get the shortest of the waits
  /// that were drawn for all (E21); among equals chance decides, as it did before.
  func turns(of keys: [AssociationRecord.Key]) -> [CheckTurn] {
    var turns = keys.map { CheckTurn(chanceOfNextCheck($0)) }
    let priorities = keys.map { DownloadPriority(host: records[$0]?.domain.host ?? "") }
    guard traits.os.ordersDownloads, Set(priorities).count > 1 else { return turns }
    let order = turns.indices.sorted {
      (priorities[$0], turns[$0].start, $0) < (priorities[$1], turns[$1].start, $1)
    }
    let isGuess = priorities.contains(.ofLocale) && priorities.contains(.rest)
    for (start, index) in zip(turns.map({ $0.start }).sorted(), order) {
      turns[index].start = start
      turns[index].provenance = Provenance(citing: ["E21"], atMost: isGuess ? .inferred : .documented)
    }
    return turns
  }
}
