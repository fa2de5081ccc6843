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
  /// Deliveries to the person that servers were sending at that moment.
  var underWay: [Int64] = []
  /// Others that servers were sending to devices that are gone. An erasure just before this one leaves nothing that tells
  /// whose they were, so they may be the person's.
  var nameless: [Int64] = []

  /// Whether nothing has to be waited for.
  var isOver: Bool { underWay.isEmpty && nameless.isEmpty }
}
