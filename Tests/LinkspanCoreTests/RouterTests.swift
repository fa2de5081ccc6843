import LinkspanCore
import Testing

@Suite("Router")
struct RouterTests {
  static let router = {
    var router = Router<String>()
    router.add("GET", "/v1/devices/{id}", "device")
    router.add("DELETE", "/v1/devices/{id}", "forget")
    router.add("GET", "/v1/devices/all", "all")
    router.add("POST", "/v1/devices", "register")
    router.add("GET", "/v1/{kind}/{id}/tokens", "tokens")
    router.add("GET", "/", "root")
    return router
  }()

  static func outcome(_ method: String, _ target: String) -> String {
    let request = HTTPRequest(method: method, authority: "a.example", target: target)
    switch router.outcome(for: request) {
    case .found("tokens", let parameters): return "tokens \(parameters["kind"]) \(parameters["id"])"
    case .found(let name, let parameters):
      return ["device", "forget"].contains(name) ? "\(name) \(parameters["id"])" : name
    case .notFound: return "404"
    case .notAllowed(let allow): return "405 \(allow)"
    case .notImplemented: return "501"
    case .options(let allow): return "204 \(allow)"
    }
  }

  @Test(arguments: [
    ("GET /", "root"), ("GET /v1/devices/7", "device 7"), ("GET /v1/devices/7?x=/y", "device 7"),
    ("DELETE /v1/devices/7", "forget 7"), ("GET /v1/devices/all", "all"), ("POST /v1/devices", "register"),
    ("GET /v1/apps/3/tokens", "tokens apps 3"), ("GET /v1/devices/a%20b%C3%A4", "device a bä"),
    ("GET /v1/devices/a%2Fb", "device a/b"),
  ])
  func findsTheRouteAndItsParameters(_ line: String, _ expected: String) {
    let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
    #expect(Self.outcome(parts[0], parts[1]) == expected)
  }

  @Test(arguments: [
    "/v1", "/v1/", "/v1/devices/", "/v1/devices/7/", "/v1/devices/7/8", "/V1/devices/7", "v1", "", "//",
    "/v1/devices/%", "/v1/devices/%zz", "/v1/devices/%ff",
  ])
  func finds404WhereThereIsNoRoute(_ target: String) {
    for method in ["GET", "HEAD", "POST", "OPTIONS"] { #expect(Self.outcome(method, target) == "404") }
  }

  /// Of two routes that fit the more literal one is taken, whatever was added between them.
  @Test func takesTheMoreLiteralOfTwoRoutes() {
    var router = Router<String>()
    for path in ["/{k}/all", "/{k}", "/{k}/{id}"] { router.add("GET", path, path) }
    func found(_ target: String) -> String? {
      let request = HTTPRequest(method: "GET", authority: "a.example", target: target)
      if case .found(let name, _) = router.outcome(for: request) { return name }
      return nil
    }
    #expect(found("/a/all") == "/{k}/all")
    #expect(found("/a/b") == "/{k}/{id}")
    #expect(found("/a") == "/{k}")
  }

  @Test func tellsTheMethodsOfAPath() {
    #expect(Self.outcome("PUT", "/v1/devices/7") == "405 DELETE, GET, HEAD, OPTIONS")
    #expect(Self.outcome("GET", "/v1/devices") == "405 OPTIONS, POST")
    #expect(Self.outcome("DELETE", "/v1/devices/all") == "405 GET, HEAD, OPTIONS")
    #expect(Self.outcome("OPTIONS", "/v1/devices/7") == "204 DELETE, GET, HEAD, OPTIONS")
    #expect(Self.outcome("OPTIONS", "*") == "204 DELETE, GET, HEAD, OPTIONS, POST")
    #expect(Self.outcome("GET", "*") == "404")
  }

  /// RFC 9110, 9.1 and 15.6.2: a method that a server does not know is 501, one that a path does not have 405.
  @Test(arguments: ["get", "BREW", "PROPFIND", "OPTION", ""])
  func aMethodThatHTTPDoesNotHaveIsNotImplemented(method: String) {
    #expect(Self.outcome(method, "/") == "501" && Self.outcome(method, "/v1/devices/7") == "501")
    #expect(Router<String>.Outcome.notImplemented.refusal?.status == 501)
  }

  @Test func answersHEADWithTheRouteForGET() {
    #expect(Self.outcome("HEAD", "/v1/devices/7") == "device 7")
    #expect(Self.outcome("HEAD", "/v1/devices") == "405 OPTIONS, POST")
  }

  @Test func isAResponder() {
    var router = Router<RouteHandler>()
    router.add("GET", "/files/{name}") { _, parameters, origin in
      .now(.text(200, "\(parameters["name"]) \(origin.isEncrypted)"))
    }
    let responder = router.responder
    func response(_ method: String, _ target: String) -> HTTPResponse? {
      let request = HTTPRequest(method: method, authority: "a.example", target: target)
      guard case .now(let response) = responder(request, RequestOrigin()) else { return nil }
      return response
    }
    #expect(response("GET", "/files/a")?.body == Array("a false\n".utf8))
    let head = response("HEAD", "/files/a")
    #expect(head?.body == [])
    #expect(head?.fields["Content-Length"] == "8")
    #expect(response("GET", "/other")?.status == 404)
    #expect(response("POST", "/files/a")?.status == 405)
    #expect(response("POST", "/files/a")?.fields["Allow"] == "GET, HEAD, OPTIONS")
    #expect(response("OPTIONS", "/files/a")?.status == 204)
  }
}
