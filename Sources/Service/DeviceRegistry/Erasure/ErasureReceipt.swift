package import LinkspanCore

/// What an erasure has done, and what it could not reach.
package struct ErasureReceipt: Hashable, Sendable {
  /// A place that still holds something of the person.
  package struct Remainder: Hashable, Sendable {
    /// Completes "remains in: …".
    package var place: String
    /// Until when; nil where this program does not know.
    package var until: WallTime?

    package init(_ place: String, until: WallTime? = nil) {
      self.place = place
      self.until = until
    }
  }

  /// Devices.
  package var erased = 0
  /// Deliveries that had not gone out.
  package var cancelled = 0
  /// Messages to that person alone, which have lost name, payload and collapse identifier.
  package var redacted = 0
  package var remains: [Remainder] = []

  /// Whether there was anything to erase.
  package var didErase: Bool { erased + cancelled + redacted > 0 }

  package var members: [(String, JSON)] {
    [
      ("erased", .int(erased)), ("cancelled", .int(cancelled)), ("redacted", .int(redacted)),
      (
        "remains",
        .array(
          remains.map { .object([("where", .string($0.place)), ("until", JSON($0.until.map { "\($0)" }))]) })
      ),
    ]
  }
}

/// An erasure that is committed, and what it waits for.
struct Erasure: Hashable, Sendable {
  var time: WallTime
  var receipt: ErasureReceipt
  /// Deliveries that servers were sending at that moment.
  var underWay: [Int64] = []
}
