import LinkspanCore
import Testing

@testable import PushCampaigns

@Suite("Payload templates")
struct PayloadTemplateTests {
  static let values = PayloadTemplate.Values(
    texts: [.alias: "Ann \"A\" \\ {{badge}}", .language: "de", .badge: "3"], tags: ["gold"])

  static let rendered: [(template: String, text: String)] = [
    (#"{"a":"Hi {{language|x}}"}"#, #"{"a":"Hi de"}"#),
    (#"{"a":"Hi {{locale|you \"there\"}}"}"#, #"{"a":"Hi you \"there\""}"#),
    // A value is escaped, and is no template itself.
    (#"{"a":"{{alias|x}}"}"#, #"{"a":"Ann \"A\" \\ {{badge}}"}"#),
    (#"{"a":"{{#if alias}}A{{else}}B{{/if}}"}"#, #"{"a":"A"}"#),
    (#"{"a":"{{#if locale}}{{locale}}{{else}}B{{/if}}"}"#, #"{"a":"B"}"#),
    (#"{"a":"{{#if tag:gold}}{{#if tag:new}}1{{else}}2{{/if}}{{/if}}."}"#, #"{"a":"2."}"#),
    // Encoders escape what they like: PHP every slash, Python what is not ASCII.
    (#"{"a":"{{#if tag:gold}}A{{else}}B{{\/if}}"}"#, #"{"a":"A"}"#),
    (#"{"a":"{{#if tag:g\u006fld}}A{{/if}}{{l\u006fcale|\u00fc}}"}"#, #"{"a":"A\u00fc"}"#),
    // Braces outside of strings are JSON's.
    (#"{"a":{"b":{"c":"{{badge}}"}}}"#, #"{"a":{"b":{"c":"3"}}}"#),
    (#"{"a":"no {place}"}"#, #"{"a":"no {place}"}"#),
  ]

  @Test(arguments: rendered.indices)
  func fillsItsPlaces(_ index: Int) throws {
    let row = Self.rendered[index]
    #expect(try PayloadTemplate.reading(row.template).get().text(for: Self.values) == row.text)
  }

  @Test func findsPlacesWhereNobodyFillsThem() {
    #expect(PayloadTemplate.place(in: #"{"a":"Hi {{alias|there}}"}"#) == "{{alias|there}}")
    #expect(PayloadTemplate.place(in: #"{"a":"{{x}} {{#if tag:a}}b{{\/if}}"}"#) == "{{#if tag:a}}")
    #expect(PayloadTemplate.place(in: #"{"a":"{{x}} {alias}"}"#) == nil)
    #expect(PayloadTemplate.place(in: #"{"a":{"b":{"alias":1}}}"#) == nil)
  }

  static let refused: [(template: String, message: String)] = [
    (
      #"{"a":"{{alias}}"}"#,
      "'{{alias}}' has no text for devices without it; write '{{alias|…}}', or put it into '{{#if alias}}…{{/if}}'."
    ),
    (
      #"{"a":"{{#if alias}}x{{else}}{{alias}}{{/if}}"}"#,
      "'{{alias}}' has no text for devices without it; write '{{alias|…}}', or put it into '{{#if alias}}…{{/if}}'."
    ),
    (
      #"{"a":"{{aliass|x}}"}"#,
      "'aliass' is not known of devices; there are alias, language, locale, time_zone, app_version, badge."
        + " Did you mean 'alias'?"
    ),
    (#"{"a":"{{alias|{{locale}}}}"}"#, "The fallback of 'alias' has a '{{'; it is sent as it is written."),
    (#"{"a":"{{#if tag:}}x{{/if}}"}"#, "'{{#if tag:}}' names no tag."),
    (#"{"a":"{{alias"}"#, "A '{{' has no '}}'."),
    // The first two braces that follow are JSON's own, or another string's.
    (#"{"aps":{"alert":"{{alias|there}"}}"#, "A '{{' has no '}}'."),
    (#"{"a":"{{alias|x","b":"}}"}"#, "A '{{' has no '}}'."),
    (#"{"a":{"b":"{{alias|x\\"}}"#, "A '{{' has no '}}'."),
    (#"{"a":"{{#if alias}}x"}"#, "'{{#if alias}}' has no '{{/if}}'."),
    (#"{"a":"x{{/if}}"}"#, "'{{/if}}' ends a branch that was not begun."),
    (#"{"a":"{{#if alias}}x","b":{{/if}}1}"#, "'{{#if alias}}' has no '{{/if}}'."),
  ]

  @Test(arguments: refused.indices)
  func refusesOthers(_ index: Int) {
    let row = Self.refused[index]
    #expect(PayloadTemplate.reading(row.template) == .failure(.init(message: row.message)))
  }

  @Test func aFallbackMayHaveQuotationMarks() throws {
    let template = try PayloadTemplate.reading(#"{"a":"{{alias|\"x\"}}"}"#).get()
    #expect(template.text(for: .init(texts: [:])) == #"{"a":"\"x\""}"#)
  }

  @Test func boundsBranchesAndValues() throws {
    let seven = (0..<7).map { "{{#if tag:t\($0)}}x{{/if}}" }.joined()
    #expect(
      PayloadTemplate.reading("{\"a\":\"\(seven)\"}")
        == .failure(.init(message: "There are more than 6 different conditions.")))
    let deep = String(repeating: "{{#if alias}}", count: 5) + String(repeating: "{{/if}}", count: 5)
    #expect(
      PayloadTemplate.reading("{\"a\":\"\(deep)\"}")
        == .failure(.init(message: "Branches are inside of each other more than 4 deep.")))
    let template = try PayloadTemplate.reading(#"{"a":"{{alias|x}}"}"#).get()
    let long = template.text(for: .init(texts: [.alias: String(repeating: "ä", count: 300)]))
    #expect(long == "{\"a\":\"" + String(repeating: "ä", count: 100) + "\"}")
  }

  @Test func listsEveryBranchWithAndWithoutValues() throws {
    let template = try PayloadTemplate.reading(
      #"{"a":"{{#if tag:gold}}G{{else}}S{{/if}}{{#if tag:new}}N{{/if}} {{language|x}}"}"#
    ).get()
    let texts = template.renderings
    #expect(texts.count == 8)
    for text in [#"{"a":"S x"}"#, #"{"a":"G x"}"#, #"{"a":"SN x"}"#, #"{"a":"GN x"}"#] {
      #expect(texts.contains(text))
    }
    #expect(texts.contains { $0.utf8.count > 400 })
  }
  /// Every device has a badge, of ten digits at most.
  @Test func aBadgeIsNeitherEmptyNorLong() throws {
    let template = try PayloadTemplate.reading(#"{"a":"{{badge}}"}"#).get()
    #expect(template.renderings == [#"{"a":"0"}"#, #"{"a":"2147483647"}"#])
  }
}
