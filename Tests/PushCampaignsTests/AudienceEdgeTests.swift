import LinkspanCore
import Testing

@testable import PushCampaigns

/// Shares, caps, languages and templates, at their edges.
@Suite("Edges of audiences and templates")
struct AudienceEdgeTests {
  @Test(
    arguments: [
      ("0", 0), ("1", 1_000_000), ("0.5", 500_000), ("0.000001", 1), ("1.0", 1_000_000),
      ("0.123456", 123_456), ("1.000001", nil),
      ("0.1234567", 123_457), ("0.", nil), (".5", nil), ("00", nil), ("2", nil), ("0.5.0", nil),
      ("-0.5", nil),
      ("0.a", nil), ("", nil),
    ] as [(String, Int64?)])
  func aShareIsRead(text: String, share: Int64?) {
    #expect(CampaignArms.share(text) == share)
    if let share { #expect(CampaignArms.share(CampaignArms.text(share)) == share) }
  }

  @Test func aShareIsWrittenShortly() {
    #expect(
      [0, 1, 500_000, 999_999, 1_000_000].map(CampaignArms.text) == [
        "0.0", "0.000001", "0.5", "0.999999", "1",
      ])
  }

  @Test func sharesAreCompletedWithinOnePercent() {
    #expect(CampaignArms.completed([500_000, 490_000])?.reduce(0, +) == 1_000_000)
    #expect(
      CampaignArms.completed([500_000, 489_999]) == nil && CampaignArms.completed([500_000, 510_001]) == nil)
    #expect(CampaignArms.completed([500_000, 510_000])?.reduce(0, +) == 1_000_000)
    #expect(CampaignArms.completed([333_333, 333_333, 333_333]) == [333_333, 333_333, 333_334])
    #expect(CampaignArms.completed([]) == nil && CampaignArms.completed([0]) == nil)
  }

  /// Each share may be rounded up by a millionth.
  @Test func whatRoundingAddsIsTakenFromTheLastShare() {
    #expect(CampaignArms.limited([500_000, 500_000]) == [500_000, 500_000])
    #expect(CampaignArms.limited([500_000, 500_001]) == [500_000, 500_000])
    #expect(CampaignArms.limited([500_000, 500_002]) == [500_000, 500_000])
    #expect(CampaignArms.limited([500_000, 500_003]) == nil)
    #expect(CampaignArms.limited([1_000_000, 1]) == [1_000_000, 0])
    #expect(CampaignArms.limited([1_000_001, 1]) == nil)
    #expect(CampaignArms.limited([]) == [])
  }

  @Test func aDrawFallsIntoItsArm() {
    let arms = CampaignArms(holdout: 250_000, shares: [500_000, 250_000])
    func draw(_ high: UInt64, _ low: UInt64) -> UInt64 { high << 32 | low }
    let quarter: UInt64 = 1 << 30
    #expect(arms.arm(draw(0, 0)) == .holdout && arms.arm(draw(quarter - 1, 0)) == .holdout)
    #expect(
      arms.arm(draw(quarter, 0)) == .variant(0) && arms.arm(draw(quarter, 2 * quarter - 1)) == .variant(0))
    #expect(
      arms.arm(draw(quarter, 2 * quarter)) == .variant(1)
        && arms.arm(draw(quarter, 3 * quarter - 1)) == .variant(1))
    #expect(arms.arm(draw(quarter, 3 * quarter)) == .own && CampaignArms().arm(0) == .own)
  }

  @Test(
    arguments: [
      (1, 1, true), (1_000, 2_592_000, true), (0, 1, false), (1_001, 1, false), (1, 0, false),
      (1, 2_592_001, false),
    ] as [(Int64, Int64, Bool)])
  func aCapHasLimits(count: Int64, seconds: Int64, isOne: Bool) {
    let cap = FrequencyCap(count: count, seconds: seconds)
    #expect((cap != nil) == isOne)
    if let cap { #expect(cap.allows(afterOthers: count - 1) && !cap.allows(afterOthers: count)) }
  }

  @Test(
    arguments: [
      ("de", nil, "de"), ("de-AT", nil, "de-at"), ("DE_at", nil, "de-at"), ("de-CH", nil, "de"),
      ("fr", "de_AT@calendar=x", "de-at"),
      ("fr", "de_AT.UTF-8", "de-at"), (nil, "de", "de"), (nil, nil, nil), ("fr", "it", nil),
      ("de-a-b", nil, "de"), ("", "de", "de"),
      ("zh-Hant-TW", nil, "zh-hant"), ("fr", nil, nil), ("x-de", nil, nil),
    ] as [(String?, String?, String?)])
  func theLongestKnownTagIsChosen(language: String?, locale: String?, chosen: String?) {
    #expect(LanguageChoice.language(language, locale, among: ["de", "de-at", "zh-hant"]) == chosen)
  }

  @Test(
    arguments: [
      ("de", true), ("deutsche", true), ("d", false), ("deutschen", false), ("de-1", true),
      ("de-12345678", true), ("de-123456789", false),
      ("de-", false), ("1a", false), ("de-a!", false), ("", false),
      ("aa-" + String(repeating: "12345678-", count: 3) + "12345", true),
      ("aa-" + String(repeating: "12345678-", count: 3) + "123456", false),
    ] as [(String, Bool)])
  func aTagIsShortAndPlain(text: String, isTag: Bool) {
    #expect(LanguageChoice.isTag(text) == isTag, "\(text)")
  }

  private static func template(_ inside: String) -> Result<PayloadTemplate, PayloadTemplate.Problem> {
    PayloadTemplate.reading("{\"a\":\"\(inside)\"}")
  }

  @Test func aFallbackHasALimit() {
    let longest = String(repeating: "x", count: 100)
    #expect((try? Self.template("{{alias|\(longest)}}").get()) != nil)
    #expect(
      Self.template("{{alias|\(longest)x}}")
        == .failure(.init(message: "The fallback of 'alias' has more than 100 bytes.")))
  }

  @Test func branchesAndConditionsHaveLimits() {
    func nested(_ depth: Int) -> String {
      String(repeating: "{{#if tag:a}}", count: depth) + String(repeating: "{{/if}}", count: depth)
    }
    #expect((try? Self.template(nested(4)).get()) != nil)
    #expect(
      Self.template(nested(5))
        == .failure(.init(message: "Branches are inside of each other more than 4 deep.")))
    func many(_ count: Int) -> String { (0..<count).map { "{{#if tag:\($0)}}x{{/if}}" }.joined() }
    #expect((try? Self.template(many(6)).get())?.conditions.count == 6)
    #expect(Self.template(many(7)) == .failure(.init(message: "There are more than 6 different conditions.")))
    #expect((try? Self.template(many(6) + many(6)).get())?.conditions.count == 6)
  }

  @Test(
    arguments: [
      ("{{badge}}", true), ("{{alias}}", false), ("{{#if alias}}{{alias}}{{/if}}", true),
      ("{{#if alias}}x{{else}}{{alias}}{{/if}}", false),
      ("{{#if tag:x}}{{alias}}{{/if}}", false), ("{{#if alias}}x", false), ("{{#if alias}}x{{else}}y", false),
      ("{{/if}}", false),
      ("{{else}}", false), ("{{alias|}}", true), ("{{alias|a|b}}", true), ("{{alias", false),
      ("{{#if nobody}}{{/if}}", false),
      (#"\"{{badge}}"#, true), (#"\\"}, {"b":"{{badge}}"#, true), ("{{#if alias}}\"{{/if}}\"", false),
    ] as [(String, Bool)])
  func aTemplateIsWhole(inside: String, isTemplate: Bool) {
    #expect(((try? Self.template(inside).get()) != nil) == isTemplate, "\(inside)")
  }

  @Test func bracesOutsideOfStringsAreJSONs() throws {
    let template = try PayloadTemplate.reading(#"{"a":{"b":{{}}},"c":"{{alias|x}}"}"#).get()
    #expect(template.text(for: .init()) == #"{"a":{"b":{{}}},"c":"x"}"#)
    #expect(template.text(for: .init(texts: [.alias: "q\""])) == #"{"a":{"b":{{}}},"c":"q\""}"#)
    let cut = template.text(for: .init(texts: [.alias: String(repeating: "y", count: 101)]))
    #expect(
      cut.contains(String(repeating: "y", count: 100)) && !cut.contains(String(repeating: "y", count: 101)))
  }

  /// Each choice of the conditions, with values of the greatest length and without.
  @Test func everyBranchIsRendered() throws {
    let template = try Self.template("{{#if tag:v}}V{{else}}-{{/if}}{{#if alias}}A{{/if}}{{locale|l}}").get()
    let longest = String(repeating: "\u{1F4EF}", count: 100)
    let texts = ["-l", "-" + longest, "Vl", "V" + longest, "-Al", "-A" + longest, "VAl", "VA" + longest]
    #expect(Set(template.renderings) == Set(texts.map { "{\"a\":\"\($0)\"}" }))
  }
}
