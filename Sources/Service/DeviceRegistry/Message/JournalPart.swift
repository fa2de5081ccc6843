internal import LinkspanCore
internal import PushCampaigns
package import PushProvider
internal import RegistryRequests

/// The messages of a lane and of a day, and their deliveries: what PostgreSQL keeps in a partition and drops as a whole. The
/// identifier of a message says in which part it is, whenever its deliveries are made.
package struct JournalPart: Hashable, Comparable, Sendable {
  /// Messages of a part. Their identifiers stay below 2^53, which every reader of JSON takes.
  static let width: Int64 = 1_000_000_000
  private static let dayMilliseconds: Int64 = 86_400_000
  /// Below are identifiers that an earlier version counted up.
  private static let first: Int64 = 1_000
  /// Messages of those.
  static let undated: Range<Int64> = 0..<first * width

  /// Twice the day since 1970, plus the lane.
  let number: Int64

  init(number: Int64) { self.number = number }

  /// The last day that dates of four digits have.
  private static let lastDay: Int64 = 2_932_896

  /// - Throws: That the registry names a day that no calendar has.
  init(stored number: Int64) throws(RegistryError) {
    guard (0...2 * Self.lastDay + 1).contains(number) else {
      throw RegistryError(
        .damaged, "The registry names part \(number) of the journal, which is no day between 1970 and 9999.",
        help: "Check the tables 'journal_parts' and 'journal_exports'.")
    }
    self.init(number: number)
  }

  init(of message: Int64) { number = message / Self.width }

  init(_ lane: PushLane, at time: WallTime) {
    number = 2 * time.milliseconds.flooredDivision(by: Self.dayMilliseconds) + lane.number
  }

  package static func < (left: Self, right: Self) -> Bool { left.number < right.number }

  /// Days since 1970.
  package var day: Int64 { number.flooredDivision(by: 2) }
  package var lane: PushLane { number % 2 == 0 ? .transactional : .campaign }
  /// Whether it has a partition of its own.
  var isDated: Bool { number >= Self.first }
  /// The identifiers of its messages.
  var messages: Range<Int64> { number * Self.width..<(number + 1) * Self.width }
  /// When no more messages come.
  var end: WallTime { WallTime(milliseconds: (day + 1) * Self.dayMilliseconds) }

  /// When the first ones come.
  var begin: WallTime { WallTime(milliseconds: day * Self.dayMilliseconds) }

  /// `2026-11-25`.
  package var dateText: String { String("\(begin)".prefix(10)) }

  /// `20261125`.
  var date: String { dateText.filter { $0 != "-" } }

  /// What follows the names of its tables.
  var suffix: String { isDated ? "\(date)_\(lane.rawValue)" : "before" }

  /// The parts of a day.
  static func all(of day: Int64) -> [JournalPart] {
    PushLane.allCases.map { JournalPart(number: 2 * day + $0.number) }
  }
}
