package import LinkspanCore

/// The byte that says when an activity was used last, in ticks of four seconds.
///
/// - Source: rule B.3. Unit, epoch and top bit were observed in a published log; how long a byte is
///   valid and how it wraps is second-hand.
package struct ActivityTime: Hashable, Sendable {
  package let byte: UInt8

  /// Seconds of an epoch, which begins at multiples of this after 2001-01-01T00:00:00Z.
  package static let epochSeconds: Int64 = 496
  package static let tickSeconds: Int64 = 4
  /// A larger number of ticks is written as 0xFF.
  package static let tickLimit: Int64 = 124
  /// A moment that lies so far ahead belongs to the epoch before.
  private static let wrapSeconds: Int64 = 248
  /// What 0xFF stands for.
  private static let longAgoSeconds: Int64 = 500
  /// 2001-01-01T00:00:00Z in seconds since 1970.
  private static let referenceSeconds: Int64 = 978_307_200

  /// From when on moments are counted; none before it has a byte.
  package static let reference = WallTime(milliseconds: referenceSeconds * 1000)

  package init(byte: UInt8) { self.byte = byte }

  /// - Parameters:
  ///   - time: When the activity was used last; the epoch of this moment is the frame's.
  ///   - isCurrent: Whether it is in use now.
  package init(_ time: WallTime, isCurrent: Bool) {
    let ticks = Self.seconds(time) % Self.epochSeconds / Self.tickSeconds
    byte = ticks > Self.tickLimit ? 0xFF : UInt8(ticks) | (isCurrent ? 0x80 : 0)
  }

  package var isLongAgo: Bool { byte == 0xFF }
  /// Whether the activity was in use when the frame was made.
  package var isCurrent: Bool { !isLongAgo && byte & 0x80 != 0 }
  /// nil for 0xFF, which counts none.
  package var ticks: Int? { isLongAgo ? nil : Int(byte & 0x7F) }
  /// Whether the ticks fit into an epoch.
  package var isPlausible: Bool { ticks.map { Int64($0) <= Self.tickLimit } ?? true }

  /// The moment the byte stands for, seen from another one.
  package func time(seenAt now: WallTime) -> WallTime {
    let seconds = Self.seconds(now)
    guard let ticks else { return now.advanced(by: .seconds(-Self.longAgoSeconds)) }
    var moment = seconds / Self.epochSeconds * Self.epochSeconds + Int64(ticks) * Self.tickSeconds
    if moment - seconds >= Self.wrapSeconds { moment -= Self.epochSeconds }
    return WallTime(milliseconds: (moment + Self.referenceSeconds) * 1000)
  }

  /// Seconds since 2001; moments before count as its beginning.
  private static func seconds(_ time: WallTime) -> Int64 {
    max(0, time.milliseconds / 1000 - referenceSeconds)
  }
}
