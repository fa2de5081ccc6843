import LinkspanCore
import Testing

@Suite struct HTTPFieldsTests {
  @Test func namesCompareWithoutCase() {
    var fields: HTTPFields = ["Content-Type": "application/json", "X-A": "1"]
    fields.append("x-a", "2")
    #expect(fields["content-type"] == "application/json")
    #expect(fields.values(of: "X-a") == ["1", "2"])
    fields["x-A"] = "3"
    #expect(fields.values(of: "X-A") == ["3"])
  }

  @Test(arguments: [
    ("Example.COM", "example.com"), ("example.com:8443", "example.com"), ("[::1]:443", "[::1]"),
    ("[::1]", "[::1]"),
  ])
  func hostLeavesThePortOut(authority: String, host: String) {
    #expect(HTTPRequest(authority: authority, target: "/").host == host)
  }
}
