import LinkspanCore
import Testing

@testable import LinkspanStandIns

/// The admin listeners of the stand-ins route like every other server.
@Suite struct AdminHandlerTests {
  private let admin = AdminHandler([
    ("GET", "/clock", { _ in AdminHandler.answer(.object([("type", .string("clock"))])) }),
    ("POST", "/clock", { body in AdminHandler.answer(.object([("seconds", .int(body?["s"]?.int ?? -1))])) }),
  ])

  private func answer(_ method: String, _ path: String, _ body: String = "", _ fields: HTTPFields = [:]) async
    -> HTTPResponse
  {
    await admin.response(
      to: HTTPRequest(
        method: method, scheme: "http", authority: "localhost:1", target: path, fields: fields,
        body: Array(body.utf8)))
  }

  @Test func answersItsCallsOnly() async {
    #expect(await answer("GET", "/clock").body == Array("{\"type\":\"clock\"}\n".utf8))
    #expect(await answer("POST", "/clock", "{\"s\":3}").body == Array("{\"seconds\":3}\n".utf8))
    #expect(await answer("POST", "/clock", "[]").status == 400)
    let unknown = await answer("POST", "/nowhere", "{")
    #expect(unknown.status == 404)
    #expect(String(decoding: unknown.body, as: UTF8.self).contains("expected one of GET /clock, POST /clock"))
  }

  @Test func knowsHeadOptionsAndOtherMethods() async {
    let head = await answer("HEAD", "/clock")
    #expect(head.status == 200 && head.body.isEmpty)
    #expect(await answer("OPTIONS", "/clock").fields["Allow"] == "GET, HEAD, OPTIONS, POST")
    let refused = await answer("DELETE", "/clock")
    #expect(refused.status == 405 && refused.fields["Allow"] == "GET, HEAD, OPTIONS, POST")
    #expect(refused.fields["Content-Type"] == "application/json")
    let message = JSONParser.parse(refused.body).root?["message"]?.string
    #expect(message?.isEmpty == false && message?.contains("\n") == false, "\(message ?? "none")")
  }

  @Test func keepsWebPagesOut() async {
    #expect(await answer("GET", "/clock", "", ["Origin": "https://evil.example"]).status == 403)
  }
}
