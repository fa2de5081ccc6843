import Handoff
import LinkspanCore
import Testing

/// What is inside a frame (B.3 and B.4).
@Suite struct ActivityTests {
  /// B.4: hashes on the air.
  @Test(arguments: [
    ("", "com.apple.notes.activity.edit-note", "88085c342dc9ed"),
    ("", "com.apple.mail.mailbox", "9d98584545c05e"),
    ("", "com.apple.mail.message", "86f6a0732b418e"), ("", "com.apple.mail.compose", "a564c399758208"),
    ("", "com.apple.calendar.continuity.date_selection", "b64729d1a4296b"),
    ("", "com.apple.calendar.continuity.event_selection", "88acfe99cad770"),
    ("", "com.apple.continuitypasteboard", "a1072cb8bf1d98"),
    ("ABCDE12345", "com.example.myapp.editing", "8dff2f595867e5"),
  ])
  func hashesAsOnTheAir(team: String, type: String, hash: String) {
    #expect(ActivityHash(team: team, activityType: type).description == hash)
  }

  /// B.4: only seven strings were met in published frames; whatever else is computed follows from them.
  @Test(arguments: [
    ("", "com.apple.mail.mailbox", Evidence.verified), ("", "com.apple.Mail.Mailbox", .verified),
    ("ABCDE12345", "com.apple.mail.mailbox", .inferred), ("", "com.apple.mail.other", .inferred),
    ("", "com.example.edit", .inferred),
  ])
  func onlyPublishedHashesAreVerified(team: String, type: String, evidence: Evidence) {
    #expect(ActivityHash.evidence(team: team, activityType: type) == evidence)
  }

  /// B.4: lower-casing makes types collide that differ in case only.
  @Test func caseDoesNotCount() {
    #expect(
      ActivityHash(team: "ABCDE12345", activityType: "com.example.Edit")
        == ActivityHash(team: "abcde12345", activityType: "com.example.edit"))
  }

  @Test func findsTheActivityOfAHash() throws {
    let own = ActivityHash(team: "ABCDE12345", activityType: "com.example.edit")
    let found = try #require(own.activity(among: [("ABCDE12345", "com.example.edit")]))
    #expect(found.activityType == "com.example.edit")
    #expect(own.activity(among: []) == nil)
    #expect(
      ActivityHash(bytes: [0x9D, 0x98, 0x58, 0x45, 0x45, 0xC0, 0x5E]).activity(among: [])?.activityType
        == "com.apple.mail.mailbox")
  }

  /// B.3: the log's byte, and the computed example.
  @Test(arguments: [("2020-12-08T13:36:12Z", UInt8(0xF7)), ("2026-01-01T00:00:00Z", UInt8(0xA4))])
  func theTimeByteIsThatOfTheLog(moment: String, byte: UInt8) throws {
    let time = try #require(WallTime(moment))
    #expect(ActivityTime(time, isCurrent: true).byte == byte)
    #expect(ActivityTime(byte: byte).time(seenAt: time) == time)
  }

  /// B.3: whatever the moment, the byte read within the next 244 seconds gives it back to the tick.
  @Test func aTimeIsReadBackAcrossTheEnd() throws {
    let start = try #require(WallTime("2026-01-01T00:00:00Z"))
    for second in stride(from: 0, to: 1000, by: 4) {
      let moment = start.advanced(by: .seconds(second))
      let byte = ActivityTime(moment, isCurrent: false)
      for later in [0, 100, 244] {
        #expect(byte.time(seenAt: moment.advanced(by: .seconds(later))) == moment, "\(second) + \(later)")
      }
    }
  }

  /// B.3: from 248 seconds ahead on a moment belongs to the epoch before, which is 496 seconds long.
  @Test(
    arguments: [(0, 61, 244), (0, 62, -248), (0, 123, -4), (248, 123, 492), (244, 123, -4), (495, 0, 0)]
      as [(Int, UInt8, Int)])
  func aMomentFarAheadIsOfTheEpochBefore(second: Int, ticks: UInt8, moment: Int) {
    let epoch = ActivityTime.reference.advanced(by: .seconds(496 * 1_000))
    let seen = ActivityTime(byte: ticks).time(seenAt: epoch.advanced(by: .seconds(second)))
    #expect(seen == epoch.advanced(by: .seconds(moment)))
    #expect(ActivityTime(seen, isCurrent: false).byte == ticks)
  }

  @Test func momentsBeforeTheFirstEpochCountAsItsBeginning() {
    let before = ActivityTime.reference.advanced(by: .seconds(-4))
    #expect(ActivityTime(before, isCurrent: false).byte == 0)
    #expect(ActivityTime(ActivityTime.reference.advanced(by: .seconds(3)), isCurrent: true).byte == 0x80)
    #expect(ActivityTime(ActivityTime.reference.advanced(by: .seconds(4)), isCurrent: false).byte == 1)
  }

  @Test func longAgoIsFiveHundredSeconds() throws {
    let now = try #require(WallTime("2026-01-01T00:10:00Z"))
    let byte = ActivityTime(byte: 0xFF)
    #expect(byte.time(seenAt: now) == now.advanced(by: .seconds(-500)))
    #expect(!byte.isCurrent)
    #expect(byte.isPlausible)
    #expect(ActivityTime(byte: 0x7C).isPlausible && ActivityTime(byte: 0xFC).isPlausible)
    #expect(!ActivityTime(byte: 0x7D).isPlausible)
  }

  @Test func everyOptionHasItsName() {
    for row in ActivityOptions.all {
      #expect(ActivityOptions(name: row.name) == row.option)
      #expect(row.option.names == [row.name])
    }
    #expect(ActivityOptions.all.reduce(0) { $0 | $1.option.rawValue } == 0xFF)
    #expect(ActivityOptions(name: "no") == nil)
  }
}
