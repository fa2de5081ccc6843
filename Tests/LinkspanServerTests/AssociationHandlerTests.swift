import LinkspanCore
import Testing

@testable import LinkspanServer

@Suite("Association handler")
struct AssociationHandlerTests {
  static let file = Array(#"{"applinks":{"details":[]}}"#.utf8)
  static let other = Array(#"{"webcredentials":{"apps":[]}}"#.utf8)
  static let links = Array("[]".utf8)
  static let signed: [UInt8] = [0x30, 0x82, 0x00, 0x01, 0xFF]
  static let path = "/.well-known/apple-app-site-association"

  static let handler = AssociationHandler([
    AssociationSite(host: "Example.com", associationFile: file, servesRootName: true, assetLinks: links),
    AssociationSite(host: "other.example", associationFile: other),
    AssociationSite(host: "signed.example", associationFile: signed),
    AssociationSite(host: "android.example", assetLinks: links),
  ])

  static func answer(
    _ target: String = path, host: String = "example.com", method: String = "GET", fields: HTTPFields = [:]
  ) -> HTTPResponse {
    handler.response(to: HTTPRequest(method: method, authority: host, target: target, fields: fields))
  }

  /// A 404 would tell a device that there is no association.
  @Test func aHostThatIsUndecidedYetIsAskedForAgain() {
    func status(_ host: String, _ undecided: [String?]) -> Int {
      let sites = [AssociationSite(host: "example.com", associationFile: Self.file)]
      let handler = AssociationHandler(sites, undecided: undecided)
      let response = handler.response(to: HTTPRequest(authority: host, target: Self.path))
      #expect(response.fields["Retry-After"] == (response.status == 503 ? "1" : nil))
      return response.status
    }
    #expect(status("NEW.example.", ["new.example"]) == 503)
    #expect(status("example.com", ["new.example"]) == 200)
    #expect(status("other.example", ["new.example"]) == 404)
    #expect(status("other.example", [nil]) == 503)
  }

  @Test func servesTheFileByteForByte() {
    let tag = EntityTag(of: Self.file).text
    #expect(
      Self.answer()
        == HTTPResponse(
          status: 200,
          fields: [
            "Content-Type": "application/json", "Content-Length": "27", "ETag": tag,
            "Cache-Control": "public, max-age=3600", "X-Content-Type-Options": "nosniff",
          ], body: Self.file))
  }

  @Test(arguments: [
    "example.com", "EXAMPLE.com", "example.com:8443", "example.com.", "Example.COM.:443",
  ])
  func comparesHostsWithoutCasePortAndFinalDot(_ host: String) {
    #expect(Self.answer(host: host).body == Self.file)
  }

  @Test func servesEachHostItsOwnFile() {
    #expect(Self.answer(host: "other.example").body == Self.other)
    #expect(Self.answer(host: "signed.example").body == Self.signed)
  }

  @Test func namesASignedFileForWhatItIs() {
    #expect(Self.answer(host: "signed.example").fields["Content-Type"] == "application/pkcs7-mime")
    #expect(Self.answer(host: "other.example").fields["Content-Type"] == "application/json")
  }

  @Test func ignoresTheQuery() {
    #expect(Self.answer(Self.path + "?v=2").body == Self.file)
    #expect(Self.answer("/healthz?x").status == 200)
  }

  @Test func servesTheRootNameOnlyWhereItIsEnabled() {
    #expect(Self.answer("/apple-app-site-association").body == Self.file)
    #expect(Self.answer("/apple-app-site-association", host: "other.example").status == 404)
  }

  @Test func servesAssetLinksWhereThereAreSome() {
    let answer = Self.answer("/.well-known/assetlinks.json")
    #expect(answer.body == Self.links)
    #expect(answer.fields["Content-Type"] == "application/json")
    #expect(Self.answer("/.well-known/assetlinks.json", host: "other.example").status == 404)
    #expect(Self.answer(host: "android.example").status == 404)
  }

  @Test(arguments: [
    "/", "", "*", "/.well-known/apple-app-site-association/", "/.well-known/Apple-App-Site-Association",
    "/.well-known//apple-app-site-association", "/x/../.well-known/apple-app-site-association",
    "/%2Ewell-known/apple-app-site-association", "/.well-known/apple-app-site-association.json",
  ])
  func answers404InPlainTextElsewhere(_ target: String) {
    let answer = Self.answer(target)
    #expect(answer.status == 404)
    #expect(answer.fields["Content-Type"] == "text/plain; charset=utf-8")
  }

  @Test(arguments: ["unknown.example", "", "www.example.com", "example.com.evil.example", "[::1]"])
  func answers404ForAHostItDoesNotKnow(_ host: String) {
    #expect(Self.answer(host: host).status == 404)
    #expect(Self.answer("/healthz", host: host).body == Array("ok\n".utf8))
  }

  @Test func servesABareFileToEveryHostWithoutASiteOfItsOwn() {
    let handler = AssociationHandler([
      AssociationSite(host: nil, associationFile: Self.other),
      AssociationSite(host: "example.com", associationFile: Self.file),
    ])
    for (host, body) in [("example.com", Self.file), ("a.example", Self.other), ("", Self.other)] {
      #expect(handler.response(to: HTTPRequest(authority: host, target: Self.path)).body == body)
    }
  }

  @Test func answersHEADLikeGETWithoutTheBody() {
    for target in [Self.path, "/healthz", "/nothing"] {
      let get = Self.answer(target)
      let head = Self.answer(target, method: "HEAD")
      #expect(head.status == get.status)
      #expect(head.fields == get.fields)
      #expect(head.body == [])
      #expect(head.fields["Content-Length"] == String(get.body.count))
    }
  }

  @Test func tellsTheMethodsToOPTIONS() {
    for target in [Self.path, "/healthz"] {
      let answer = Self.answer(target, method: "OPTIONS")
      #expect(answer.status == 204)
      #expect(answer.fields["Allow"] == "GET, HEAD, OPTIONS")
    }
    #expect(Self.answer("/nothing", method: "OPTIONS").status == 404)
  }

  @Test(arguments: ["POST", "PUT", "DELETE", "TRACE", "PATCH"])
  func allowsOnlyReading(_ method: String) {
    for target in [Self.path, "/healthz"] {
      let answer = Self.answer(target, method: method)
      #expect(answer.status == 405)
      #expect(answer.fields["Allow"] == "GET, HEAD, OPTIONS")
    }
  }

  /// RFC 9110, 15.6.2.
  @Test(arguments: ["get", "BREW"]) func aMethodThatHTTPDoesNotHaveIsNotImplemented(_ method: String) {
    for target in [Self.path, "/healthz"] { #expect(Self.answer(target, method: method).status == 501) }
  }

  @Test func neverRedirectsNorSetsCookiesNorShowsAPage() {
    for method in ["GET", "HEAD", "POST"] {
      for host in ["example.com", "unknown.example"] {
        for target in [Self.path, "/apple-app-site-association", "/", "/healthz", "//example.com/"] {
          let answer = Self.answer(target, host: host, method: method)
          #expect(!(300..<400).contains(answer.status))
          #expect(answer.fields["Location"] == nil)
          #expect(answer.fields["Set-Cookie"] == nil)
          #expect(answer.fields["X-Content-Type-Options"] == "nosniff")
          #expect(!answer.fields["Content-Type"]!.contains("html"))
        }
      }
    }
  }

  @Test func answers304WhenTheTagIsNamed() {
    let tag = EntityTag(of: Self.file).text
    let cases: [(String, Int)] = [
      (tag, 304), ("W/\(tag)", 304), ("*", 304), (" * ", 304), ("\"a\", \(tag)", 304),
      ("\"a,b\",W/\"c\" ,\(tag)", 304),
      ("\"a\"", 200), ("", 200), (String(tag.dropFirst()), 200), (String(tag.dropLast()), 200),
      ("\(tag.dropLast())x\"", 200),
      ("w/\(tag)", 200), ("*, \(tag)", 200),
    ]
    for (list, status) in cases {
      for method in ["GET", "HEAD"] {
        let answer = Self.answer(method: method, fields: ["If-None-Match": list])
        #expect(answer.status == status, "\(list)")
        if status == 304 {
          #expect(answer.fields == ["ETag": tag, "Cache-Control": "public, max-age=3600"])
          #expect(answer.body == [])
        }
      }
    }
    #expect(Self.answer("/nothing", fields: ["If-None-Match": "*"]).status == 404)
  }

  /// RFC 9110, 13.1.1 and 13.2.2: before If-None-Match, and by the strong comparison.
  @Test func answers412WhenAnotherTagIsWanted() {
    let tag = EntityTag(of: Self.file).text
    for (fields, status) in [
      (["If-Match": tag], 200), (["If-Match": "*"], 200), (["If-Match": "\"a\", \(tag)"], 200),
      (["If-Match": "\"a\""], 412), (["If-Match": "W/\(tag)"], 412), (["If-Match": ""], 412),
      (["If-Match": "\"a\"", "If-None-Match": tag], 412), (["If-Match": tag, "If-None-Match": tag], 304),
    ] as [(HTTPFields, Int)] {
      for method in ["GET", "HEAD"] {
        let answer = Self.answer(method: method, fields: fields)
        #expect(answer.status == status, "\(fields)")
        if status == 412, method == "HEAD" { #expect(answer.body == []) }
      }
    }
    #expect(Self.answer("/nothing", fields: ["If-Match": "\"a\""]).status == 404)
    #expect(Self.answer(method: "POST", fields: ["If-Match": "\"a\""]).status == 405)
  }

  @Test func readsEveryFieldOfTags() {
    let fields: HTTPFields = ["If-None-Match": "\"a\"", "if-none-match": EntityTag(of: Self.file).text]
    #expect(Self.answer(fields: fields).status == 304)
  }

  @Test func changesTheTagWithEveryByte() {
    var tags: Set<String> = [EntityTag(of: Self.file).text]
    for index in Self.file.indices {
      var changed = Self.file
      changed[index] ^= 1
      tags.insert(EntityTag(of: changed).text)
    }
    #expect(tags.count == Self.file.count + 1)
  }
}
