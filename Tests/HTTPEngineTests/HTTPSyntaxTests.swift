import LinkspanCore
import Testing

@testable import HTTPEngine
@testable import HTTPTransport

/// The alphabets of RFC 9110 and RFC 3986, byte by byte, and what is read with them.
@Suite("HTTP syntax")
struct HTTPSyntaxTests {
  @Test func everyByteIsInItsAlphabet() {
    let letters = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".utf8)
    let token = letters.union("!#$%&'*+-.^_`|~".utf8)
    let name = letters.union("-._~".utf8)
    for byte in UInt8.min...UInt8.max {
      #expect(HTTPSyntax.isToken(byte) == token.contains(byte), "\(byte)")
      #expect(HTTPSyntax.isFieldValue(byte) == (byte == 9 || byte >= 32 && byte != 127), "\(byte)")
      #expect(HTTPSyntax.isTarget(byte) == ((33...126).contains(byte) && byte != 35), "\(byte)")
      #expect(HTTPSyntax.isWhitespace(byte) == (byte == 9 || byte == 32), "\(byte)")
      let host = String(UnicodeScalar(byte))
      if byte < 128 { #expect((HTTPAuthority(host) != nil) == name.contains(byte), "\(byte)") }
    }
    #expect(!HTTPSyntax.isToken([UInt8]()))
  }

  @Test(
    arguments: [
      ("A: b", "A", "b"), ("A:b", "A", "b"), ("A:", "A", ""), ("A: \t b c \t", "A", "b c"),
      ("A:\u{1}", nil, nil), (":b", nil, nil),
      ("A b: c", nil, nil), ("A", nil, nil), ("", nil, nil), ("A: b:c", "A", "b:c"), ("A:\u{7F}", nil, nil),
      ("A: é", "A", "é"),
    ] as [(String, String?, String?)])
  func aFieldIsRead(line: String, name: String?, value: String?) {
    let field = Array(line.utf8).withUnsafeBufferPointer(HTTPSyntax.field)
    #expect(field?.name == name && field?.value == value)
  }

  @Test func aListIsOfAllFieldsOfItsName() {
    var fields: HTTPFields = ["Connection": " Close ,, \tKeep-Alive"]
    fields.append("connection", "x")
    #expect(HTTPSyntax.list("Connection", in: fields) == ["close", "keep-alive", "x"])
    #expect(HTTPSyntax.list("Expect", in: fields).isEmpty)
  }

  @Test func aLengthIsDigitsThatFit() {
    #expect(HTTPSyntax.length("0") == .bytes(0) && HTTPSyntax.length("007") == .bytes(7))
    #expect(
      HTTPSyntax.length("\(Int.max)") == .bytes(.max) && HTTPSyntax.length("9223372036854775808") == .overflow
    )
    for text in ["", " 1", "+1", "-1", "1a", "0x1"] {
      #expect(HTTPSyntax.length(text) == .invalid, "\(text)")
    }
    #expect([-1, 0, 1, 2, 3].map(HTTPSyntax.lineLimit) == [1, 1, 1, 1, 2])
  }

  @Test(
    arguments: [
      ("HTTP/1.1", 11), ("HTTP/2.0", 20), ("HTTP/9.9", 99), ("HTTP/1.10", nil), ("HTTP/1,1", nil),
      ("http/1.1", nil), ("HTTP/a.1", nil),
      ("HTTP/1.a", nil), ("HTTP/1.", nil), ("", nil),
    ] as [(String, Int?)])
  func aVersionIsRead(text: String, number: Int?) {
    #expect(HTTPSyntax.version(Array(text.utf8)).map { $0.major * 10 + $0.minor } == number)
  }

  @Test(
    arguments: [
      ("A.example", "a.example", nil), ("a:80", "a", 80), ("a:0", "a", 0), ("a:65535", "a", 65_535),
      ("a:", "a", nil), ("[::1]", "[::1]", nil),
      ("[::A]:443", "[::a]", 443), ("[::1.2.3.4]:", "[::1.2.3.4]", nil), ("a:00080", "a", 80),
      ("1.2.3.4", "1.2.3.4", nil),
    ] as [(String, String, UInt16?)])
  func anAuthorityIsAHostAndAPort(text: String, host: String, port: UInt16?) {
    let authority = HTTPAuthority(text)
    #expect(authority?.host == host && authority?.port == port && HTTPAuthority.isValid(text))
  }

  @Test(
    arguments: [
      "", ":80", "a:65536", "a:000080", "a:8x", "a:-1", "a b", "a/b", "a@b", "[]", "[:]", "[::1", "[::1]x",
      "[::g]", "::1", "é", "a:80:80",
      "[::1]80",
    ] as [String])
  func otherAuthoritiesAreRefused(text: String) {
    #expect(HTTPAuthority(text) == nil && !HTTPAuthority.isValid(text))
  }

  @Test(
    arguments: [
      ("a", "A:443", "https", true), ("a", "a:80", "http", true), ("a", "a:443", "http", false),
      ("a:80", "a", "https", false),
      ("a:8", "a:8", "http", true), ("a", "b", "http", false),
    ] as [(String, String, String, Bool)])
  func theUsualPortNeedNotBeNamed(first: String, second: String, scheme: String, isSame: Bool) throws {
    let (first, second) = (try #require(HTTPAuthority(first)), try #require(HTTPAuthority(second)))
    #expect(
      first.matches(second, scheme: scheme) == isSame && second.matches(first, scheme: scheme) == isSame)
  }

  /// A server shows the certificate of the name that a client asks for; a wildcard stands for one label that is not empty.
  @Test func aServerChoosesItsCertificateByName() throws {
    let names = [["first.example"], ["*.example", "b.test"], ["a.example", "b.test"]]
    let identities = try names.map {
      try TLSIdentity(ThrowawayCertificate.make(for: $0, from: 1_700_000_000))
    }
    let credentials = try TLSCredentials(identities)
    func place(_ name: String?) -> Int? {
      let chosen = credentials.identity(for: name)
      return identities.firstIndex { $0 === chosen }
    }
    for (name, index) in [
      (nil, 0), ("first.example", 0), ("a.example", 2), ("A.EXAMPLE.", 2), ("c.example", 1),
      ("C.Example.", 1), ("b.test", 1),
      (".example", 0), ("example", 0), ("c.d.example", 0), ("x.test", 0), ("", 0), (".", 0),
    ] as [(String?, Int)] {
      #expect(place(name) == index, "\(name ?? "none")")
    }
  }
}
