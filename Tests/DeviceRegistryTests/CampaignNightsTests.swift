import Foundation
import LinkspanCore
import PushCampaigns
import PushTerms
import RegistryRequests
import TestSupport
import Testing

@testable import DeviceRegistry

/// A series of campaigns with every option, over the two nights in which clocks change, on virtual time. What was sent is
/// judged by Foundation's calendar and by counting. `LINKSPAN_CAMPAIGN_DEVICES=1000000` makes it as large as that.
@Suite("Campaigns over two changes of clock", .timeLimit(.minutes(15)))
struct CampaignNightsTests {
  static let zones = [
    "Europe/Vienna", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "Pacific/Auckland", nil,
  ]
  static let locales = ["de_AT", "en_US", "pt_BR"]
  static let count =
    ProcessInfo.processInfo.environment["LINKSPAN_CAMPAIGN_DEVICES"].flatMap { Int($0) } ?? 1_200

  struct Sent {
    var number: Int
    var message: Int64
    var payload: String?
    var time: WallTime
  }

  /// Two devices of each person.
  static func device(_ number: Int) -> Device {
    var device = Device(
      identifier: 0, token: SendingContractTests.token(number), topic: "com.example.app",
      environment: .production,
      createdAt: WallTime(milliseconds: 1), lastSeenAt: WallTime(milliseconds: 1), pushKind: "alert",
      revision: 1)
    device.attributes.alias = "user\(number / 2)"
    device.attributes.timeZone = zones[number / 2 % zones.count]
    device.attributes.locale = locales[number / 2 % locales.count]
    return device
  }

  static let campaign = CampaignOptionsTests.campaign {
    $0.quietHours = QuietHours(from: 22 * 60, to: 8 * 60)
    $0.recurrence = try? Recurrence.reading("FREQ=HOURLY;INTERVAL=5;COUNT=8").get()
    $0.cap = FrequencyCap(count: 2, seconds: 86_400)
    $0.holdout = 100_000
    $0.variants = ["a", "b"].map {
      .init(name: $0, share: 500_000, texts: .init(fallback: $0, languages: ["de": $0 + "-de"]))
    }
  }

  @Test(arguments: ["2026-03-28T12:00:00Z", "2026-10-24T12:00:00Z"])
  func keepsEveryPromise(_ start: String) async throws {
    let start = try #require(WallTime(start))
    let folder = try ScratchFolder()
    let registry = try Registry(.sqlite(path: folder.path("registry.db")))
    defer { registry.stop() }
    for page in stride(from: 0, to: Self.count, by: 5_000) {
      _ = try await registry.changed { store throws(RegistryError) in
        try store.importDevices(
          (page..<min(Self.count, page + 5_000)).map(Self.device), at: WallTime(milliseconds: 1))
      }
    }
    let sent = try await send(registry, from: start)
    Self.judge(sent)
    var devices: [String: Int64] = [:]
    for message in Set(sent.map(\.message)) {
      let details = try #require(
        try await registry.answer { store throws(RegistryError) in try store.campaignDetails(of: message) })
      #expect(details.count == Int64(Self.count))
      devices.merge(details.devices, uniquingKeysWith: +)
    }
    #expect(devices["variant-0", default: 0] + devices["variant-1", default: 0] == Int64(sent.count))
    #expect(devices["cap", default: 0] > 0)
  }

  private func send(_ registry: Registry, from start: WallTime) async throws -> [Sent] {
    let options = CampaignOptionsTests()
    var request = Self.campaign
    request.options.startsAt = start
    _ = try await options.start(registry, request, at: start)
    var sent: [Sent] = []
    for step in 0..<(3 * 48) {
      let now = start.advanced(by: .seconds(step * 1_800))
      _ = try await options.startDue(registry, at: now)
      while true {
        let claimed = try await options.claim(registry, limit: 2_000, at: now)
        if claimed.isEmpty { break }
        sent += claimed.map { delivery in
          Sent(
            number: Int(delivery.token.drop { $0 == "0" }, radix: 16) ?? 0, message: delivery.message,
            payload: delivery.payload, time: now)
        }
        try await SendingContractTests().record(
          registry, claimed.map { DeliveryOutcome($0.identifier, .accepted, status: 200) }, at: now)
      }
    }
    return sent
  }

  private static func judge(_ sent: [Sent]) {
    let calendars = zones.map { zone in
      var calendar = Calendar(identifier: .gregorian)
      calendar.timeZone = zone.flatMap { TimeZone(identifier: $0) } ?? TimeZone(secondsFromGMT: 0)!
      return calendar
    }
    var loud = 0
    var wrongLanguage = 0
    var campaigns: [Int: [Int64: WallTime]] = [:]
    var arms: [Int: Character] = [:]
    for push in sent {
      let person = push.number / 2
      let date = Date(timeIntervalSince1970: Double(push.time.milliseconds) / 1_000)
      if !(8..<22).contains(calendars[person % zones.count].component(.hour, from: date)) { loud += 1 }
      if push.payload?.hasSuffix("-de") != (locales[person % locales.count] == "de_AT") { wrongLanguage += 1 }
      // The first of a person's devices counts.
      campaigns[person, default: [:]][push.message] = min(
        push.time, campaigns[person]?[push.message] ?? push.time)
      if let arm = push.payload?.first {
        #expect(arms[person] ?? arm == arm)
        arms[person] = arm
      }
    }
    #expect(loud == 0)
    #expect(wrongLanguage == 0)
    var tooMany = 0
    for times in campaigns.values.map({ $0.values.sorted() }) {
      for (index, time) in times.enumerated().dropFirst(2)
      where time.milliseconds - times[index - 2].milliseconds < 86_400_000 { tooMany += 1 }
    }
    #expect(tooMany == 0)
    // Four standard deviations, and half a percent for a million devices.
    let persons = Double(count / 2)
    let reached = Double(arms.count)
    #expect(abs(reached / persons - 0.9) < max(0.005, 4 * (0.09 / persons).squareRoot()))
    let share = Double(arms.values.count { $0 == "a" }) / reached
    #expect(abs(share - 0.5) < max(0.005, 4 * (0.25 / reached).squareRoot()))
  }
}
