import AppSiteAssociation
import AssociatedDomains
import AssociationDelivery
import LinkspanCore
import Testing

/// Answers of Apple's CDN as transcripts have them, and near them.
@Suite struct CDNAnswerTests {
  static func read(_ status: Int = 404, _ fields: HTTPFields) -> CDNAnswer {
    CDNAnswer(HTTPResponse(status: status, fields: fields))
  }

  @Test func aCopyIsRead() {
    let answer = Self.read(
      200,
      [
        "apple-from": "https://a.example/x , https://www.a.example/x", "Apple-Origin-Format": "json",
        "Cache-Control": "max-age=21600,public", "Age": "1600",
      ])
    #expect(answer.failure == nil)
    #expect(answer.urls == ["https://a.example/x", "https://www.a.example/x"])
    #expect(answer.originFormat == "json")
    #expect(answer.remaining_s == 20_000)
  }

  @Test(
    arguments: [
      ("max-age=3600,public", "0", 3_600), ("max-age=3600", "4000", 0), ("max-age=3600", nil, 3_600),
      ("public", "5", nil), (nil, nil, nil), ("max-age=3600", "soon", 3_600),
      ("max-age=99999999999999999999", "0", nil),
    ] as [(String?, String?, Int?)])
  func theRestOfALifeIsItsMaxAgeLessItsAge(cache: String?, age: String?, remaining: Int?) {
    var fields: HTTPFields = [:]
    fields["Cache-Control"] = cache
    fields["Age"] = age
    #expect(Self.read(200, fields).remaining_s == remaining)
  }

  struct Reason: Sendable {
    var fields: HTTPFields
    var code: String?
    var kind: CDNAnswer.Kind
    var originStatus: Int?
    var detail: String?
    var reason: String
  }

  static let reasons: [Reason] = [
    Reason(
      fields: [
        "Apple-Failure-Reason": "SWCERR00101 Bad HTTP Response: 404 Not Found",
        "Apple-Failure-Details": "{\"status\":\"404 Not Found\"}",
      ], code: "00101", kind: .http, originStatus: 404, detail: "404 Not Found",
      reason: "SWCERR00101 Bad HTTP Response: 404 Not Found"),
    Reason(
      fields: ["Apple-Failure-Reason": "SWCERR00101 Bad HTTP Response: 503 Service Unavailable"],
      code: "00101", kind: .http, originStatus: 503, detail: nil,
      reason: "SWCERR00101 Bad HTTP Response: 503 Service Unavailable"),
    Reason(
      fields: ["Apple-Failure-Reason": "SWCERR00101 Something else: new"], code: "00101", kind: .http,
      originStatus: nil, detail: nil, reason: "SWCERR00101 Something else: new"),
    Reason(
      fields: [
        "Apple-Failure-Reason": "SWCERR00202 Connections to private/reserved IP addresses are not allowed"
      ],
      code: "00202", kind: .connection, originStatus: nil, detail: nil,
      reason: "SWCERR00202 Connections to private/reserved IP addresses are not allowed"),
    Reason(
      fields: [
        "Apple-Failure-Reason": "SWCERR00301 Timeout",
        "Apple-Failure-Details": "{\"cause\":\"Connection timed out\"}",
      ], code: "00301", kind: .time, originStatus: nil, detail: "Connection timed out",
      reason: "SWCERR00301 Timeout"),
    Reason(
      fields: ["Apple-Failure-Reason": "SWCERR00401 Bad JSON content"], code: "00401", kind: .content,
      originStatus: nil, detail: nil, reason: "SWCERR00401 Bad JSON content"),
    Reason(
      fields: ["Apple-Failure-Reason": "SWCERR00777"], code: "00777", kind: .other, originStatus: nil,
      detail: nil,
      reason: "SWCERR00777"),
    Reason(
      fields: ["Apple-Failure-Reason": "SWCERR123 short"], code: nil, kind: .untold, originStatus: nil,
      detail: nil,
      reason: "SWCERR123 short"),
    Reason(
      fields: ["Apple-Failure-Reason": "SWCERR001010 long"], code: nil, kind: .untold, originStatus: nil,
      detail: nil, reason: "SWCERR001010 long"),
    Reason(
      fields: ["Apple-Failure-Details": "{broken"], code: nil, kind: .untold, originStatus: nil,
      detail: "{broken", reason: ""),
    Reason(fields: [:], code: nil, kind: .untold, originStatus: nil, detail: nil, reason: ""),
  ]

  @Test(arguments: reasons.indices) func aReasonIsRead(_ index: Int) throws {
    let row = Self.reasons[index]
    let failure = try #require(Self.read(fields: row.fields).failure)
    #expect(failure.code == row.code)
    #expect(failure.kind == row.kind)
    #expect(failure.originStatus == row.originStatus)
    #expect(failure.detail == row.detail)
    #expect(failure.reason == row.reason)
  }

  private static func read(fields: HTTPFields) -> CDNAnswer { read(404, fields) }

  @Test(arguments: [("true", true), (" False ", false), ("maybe", nil), (nil, nil)] as [(String?, Bool?)])
  func whetherADeviceMayAskItself(value: String?, expected: Bool?) {
    var fields: HTTPFields = [:]
    fields["Apple-Try-Direct"] = value
    #expect(Self.read(fields: fields).failure?.triesDirect == expected)
  }

  @Test(
    arguments: [
      ("http://127.0.0.1:8080", "http://127.0.0.1:8080/a/v1/example.com"),
      ("https://cdn.example/", "https://cdn.example/a/v1/example.com"),
      ("https://cdn.example/a/v1", "https://cdn.example/a/v1/example.com"),
      ("https://cdn.example/a/v1/", "https://cdn.example/a/v1/example.com"),
      ("https://cdn.example/b/HOST", "https://cdn.example/b/example.com"), ("ftp://cdn.example", nil),
      ("cdn.example", nil), ("https://cdn.example/?x=1", nil), ("https:///a", nil),
    ] as [(String, String?)])
  func aStandInIsNamedByItsURL(text: String, url: String?) {
    #expect(CDNEndpoint(text)?.url(for: "example.com") == url)
  }

  @Test func applesOwnIsAskedAsADeviceDoes() {
    let request = CDNEndpoint.apple.request(for: "example.com")
    #expect(
      CDNEndpoint.apple.url(for: "example.com")
        == "https://app-site-association.cdn-apple.com/a/v1/example.com")
    #expect(request.authority == "app-site-association.cdn-apple.com" && request.scheme == "https")
    #expect(request.target == "/a/v1/example.com")
    #expect(request.fields["User-Agent"]?.contains("CFNetwork") == true)
  }
}
