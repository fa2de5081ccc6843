import LinkspanCore
import Testing

@testable import PushCampaigns

@Suite("Who gets what of a campaign")
struct CampaignAudienceTests {
  static let shares: [(text: String, share: Int64?)] = [
    ("0", 0), ("1", 1_000_000), ("0.5", 500_000), ("0.1", 100_000), ("0.333333", 333_333), ("1.0", 1_000_000),
    ("1.000001", nil), ("2", nil), ("-0.5", nil), ("0.1234567", 123_457), ("0.3333333333333333", 333_333),
    ("0.30000000000000004", 300_000), ("0.9999999", 1_000_000), ("1e-1", 100_000), ("", nil), (".5", nil),
    ("0.", nil), ("1e-05", 10), ("1E-6", 1), ("5e-7", 1), ("4e-7", 0), ("1e-9", 0), ("10e-1", 1_000_000),
    ("0.05e+1", 500_000), ("1.000000e0", 1_000_000), ("0e9", 0), ("-0", 0), ("-0.0", 0), ("-1e-9", nil),
    ("1e1", nil), ("1e-1e", nil), ("0e", nil), ("e-1", nil), ("0x1", nil), ("1e9223372036854775807", nil),
    ("00.1", nil), ("+0.1", nil), ("1e 1", nil),
  ]

  @Test(arguments: shares.indices)
  func readsSharesToTheMillionth(_ index: Int) {
    let row = Self.shares[index]
    #expect(CampaignArms.share(row.text) == row.share)
  }

  @Test func writesSharesAsTheyWereRead() {
    for text in ["0.5", "0.1", "0.333333", "1", "0.0"] {
      #expect(CampaignArms.share(text).map(CampaignArms.text) == text)
    }
  }

  @Test func thirdsAreCompleted() {
    #expect(CampaignArms.completed([333_000, 333_000, 333_000]) == [333_333, 333_333, 333_334])
    #expect(CampaignArms.completed([500_000, 400_000]) == nil)
    #expect(CampaignArms.completed([]) == nil)
    // Sixths are rounded up.
    let sixths = Array(repeating: Int64(166_667), count: 6)
    #expect(CampaignArms.limited(sixths)?.reduce(0, +) == 1_000_000)
    #expect(CampaignArms.limited([500_000, 400_000]) == [500_000, 400_000])
    #expect(CampaignArms.limited([500_000, 600_000]) == nil)
  }

  /// A million persons: each arm within 0.5 % of its share, of what the holdout leaves.
  @Test func armsAreAsLargeAsTheirShares() {
    let arms = CampaignArms(holdout: 100_000, shares: [500_000, 300_000])
    let key = KeyedHash(key: [1, 2, 3])
    var counts: [CampaignArms.Arm: Int] = [:]
    for person in 0..<60_000 {
      counts[arms.arm(key.draw("campaign 7", for: "user-\(person)")), default: 0] += 1
    }
    let left = 60_000 - counts[.holdout, default: 0]
    func isNear(_ arm: CampaignArms.Arm, _ share: Double, of whole: Int) -> Bool {
      abs(Double(counts[arm, default: 0]) / Double(whole) - share) < 0.005
    }
    #expect(isNear(.holdout, 0.1, of: 60_000))
    #expect(isNear(.variant(0), 0.5, of: left))
    #expect(isNear(.variant(1), 0.3, of: left))
    #expect(isNear(.own, 0.2, of: left))
    #expect(arms.arm(key.draw("campaign 7", for: "a")) == arms.arm(key.draw("campaign 7", for: "a")))
  }

  @Test func theEdgesOfSharesBelongToOneArm() {
    let arms = CampaignArms(holdout: 500_000, shares: [500_000, 500_000])
    #expect(arms.arm(0) == .holdout)
    #expect(arms.arm(0x7FFF_FFFF_0000_0000) == .holdout)
    #expect(arms.arm(0x8000_0000_0000_0000) == .variant(0))
    #expect(arms.arm(0xFFFF_FFFF_7FFF_FFFF) == .variant(0))
    #expect(arms.arm(0xFFFF_FFFF_8000_0000) == .variant(1))
    #expect(arms.arm(.max) == .variant(1))
    #expect(CampaignArms().arm(0) == .own)
  }

  static let languages: [(language: String?, locale: String?, choice: String?)] = [
    ("de", nil, "de"), (nil, "de_AT", "de"), ("de-CH", nil, "de"), ("pt-BR", nil, "pt-br"),
    ("pt-PT", nil, nil),
    ("zh-Hant-TW", nil, "zh-hant"), ("zh-Hans-CN", nil, nil), ("fr", "de_CH", "de"), ("fr", nil, nil),
    (nil, nil, nil),
    // Chinese without its script.
    (nil, "zh_TW", "zh-hant"), ("zh-HK", nil, "zh-hant"), ("zh-CN", nil, nil), (nil, "zh", nil),
    (nil, "DE_at@calendar=buddhist", "de"), ("de-x-private", nil, "de"), ("den", nil, nil),
  ]

  @Test(arguments: languages.indices)
  func languagesFallBack(_ index: Int) {
    let row = Self.languages[index]
    let choice = LanguageChoice.language(row.language, row.locale, among: ["de", "pt-br", "zh-hant"])
    #expect(choice == row.choice)
  }

  @Test func tellsLanguagesFromOtherTexts() {
    #expect(["de", "pt-BR", "zh_Hant_TW", "sr-Latn"].allSatisfy(LanguageChoice.isTag))
    #expect(["", "d", "de-", "deutschland", "de/at", "1a"].allSatisfy { !LanguageChoice.isTag($0) })
  }

  /// RFC 5646, 2.1.1.
  @Test(arguments: [
    ("de", "de"), ("de_at", "de-AT"), ("ZH-HANT-TW", "zh-Hant-TW"), ("es-419", "es-419"),
    ("sl-rozaj", "sl-rozaj"),
    ("en-ca-x-ca-gold", "en-CA-x-ca-gold"), ("x-de", "x-de"),
  ])
  func aLanguageIsWrittenAsPeopleDo(_ tag: String, _ written: String) {
    #expect(LanguageChoice.written(LanguageChoice.canonical(tag)) == written)
  }

  @Test func aCapCountsOthers() throws {
    let cap = try #require(FrequencyCap(count: 2, seconds: 86_400))
    #expect(cap.allows(afterOthers: 1))
    #expect(!cap.allows(afterOthers: 2))
    #expect(FrequencyCap(count: 0, seconds: 1) == nil)
    #expect(FrequencyCap(count: 1, seconds: FrequencyCap.longestSeconds + 1) == nil)
  }
}
