package import LinkspanCore
internal import RegistryRequests

/// Serves association files: a function from request to response over a table made beforehand.
///
/// Never a redirect, never a page, no cookies: a device takes any of them for "no association" (T2, T5, R1).
package struct AssociationHandler: Sendable {
  /// A class, so that finding one for a request copies nothing.
  private final class Site: Sendable {
    /// The files that the host has, and no others.
    let router: Router<PreparedFile>
    let content: AssociationSite

    init(_ site: AssociationSite) {
      content = site
      var router = Router<PreparedFile>()
      if let file = site.associationFile {
        let prepared = PreparedFile(file, type: AssociationHandler.associationType(file))
        router.add("GET", "/.well-known/apple-app-site-association", prepared)
        if site.servesRootName { router.add("GET", "/apple-app-site-association", prepared) }
      }
      if let file = site.assetLinks {
        router.add("GET", "/.well-known/assetlinks.json", PreparedFile(file, type: "application/json"))
      }
      self.router = router
    }
  }

  /// An answer that depends on nothing but the method, made once.
  private struct Plain: Sendable {
    let answer: HTTPResponse
    let headAnswer: HTTPResponse

    init(_ answer: HTTPResponse) {
      var answer = answer
      if answer.status != 204 { answer.fields["Content-Length"] = String(answer.body.count) }
      answer.fields["X-Content-Type-Options"] = "nosniff"
      self.answer = answer
      headAnswer = answer.status == 204 ? answer : answer.withoutBody
    }

    init(_ status: Int, _ text: String) { self.init(.text(status, text)) }

    func response(to request: HTTPRequest) -> HTTPResponse { request.method == "HEAD" ? headAnswer : answer }
  }

  private static let health = {
    var router = Router<Plain>()
    router.add("GET", "/healthz", Plain(200, "ok"))
    return router
  }()

  private let sites: [String: Site]
  private let anyHost: Site?
  /// Hosts of which nothing is known yet; nil stands for every host without a site of its own.
  private let undecided: Set<String?>

  /// - Parameters:
  ///   - sites: Of two for one host, the later one counts.
  ///   - undecided: Hosts whose first files are being checked: asking again helps, and a 404 would tell a device that
  ///     there is no association (F1).
  ///   - before: What answered until now: what is the same is not made ready again.
  package init(
    _ sites: [AssociationSite], undecided: [String?] = [], before: AssociationHandler? = nil
  ) {
    var table: [String: Site] = [:]
    var anyHost: Site?
    for site in sites {
      let known = site.host.map { before?.sites[HostName.key($0)] } ?? before?.anyHost
      let prepared = known.flatMap { Self.isSame($0, site) ? $0 : nil } ?? Site(site)
      if let host = site.host {
        table[HostName.key(host)] = prepared
      } else {
        anyHost = prepared
      }
    }
    self.sites = table
    self.anyHost = anyHost
    self.undecided = Set(undecided.map { $0.map { HostName.key($0) } })
  }

  private static func isSame(_ known: Site, _ site: AssociationSite) -> Bool {
    #if PLANTED_BUGS
      if ServiceBug.oldFileServed.isPlanted { return true }
    #endif
    return known.content == site
  }

  /// The answer to a request.
  ///
  /// An answer to HEAD has the fields of GET, Content-Length among them, and no body.
  package func response(to request: HTTPRequest) -> HTTPResponse {
    switch Self.health.outcome(for: request) {
    case .found(let page, _): return page.response(to: request)
    case .notAllowed: return Self.notAllowed.response(to: request)
    case .notImplemented: return Self.notImplemented.response(to: request)
    case .options where request.target != "*": return Self.options.response(to: request)
    case .options, .notFound: break
    }
    let host = HostName.withoutFinalDot(request.host)
    guard let site = sites[host] ?? (undecided.contains(host) ? nil : anyHost) else {
      let isUndecided = undecided.contains(host) || undecided.contains(nil)
      return (isUndecided ? Self.notYet : Self.noHost).response(to: request)
    }
    switch site.router.outcome(for: request) {
    case .found(let file, _):
      return file.isWanted(by: request)
        ? file.response(to: request) : Self.otherFile.response(to: request)
    case .notFound: return Self.noFile.response(to: request)
    case .notAllowed: return Self.notAllowed.response(to: request)
    case .notImplemented: return Self.notImplemented.response(to: request)
    case .options: return Self.options.response(to: request)
    }
  }

  /// As a handler for a server.
  package var handler: HTTPHandler { { response(to: $0) } }

  private static let noHost = Plain(404, "no such host here")
  private static let noFile = Plain(404, "no such file here")
  private static let notImplemented = Plain(501, "no such method")
  private static let otherFile = Plain(412, "the file is another one")

  private static let notAllowed = {
    var response = HTTPResponse.text(405, "only GET, HEAD and OPTIONS are allowed here")
    response.fields["Allow"] = "GET, HEAD, OPTIONS"
    return Plain(response)
  }()

  private static let options = Plain(HTTPResponse(status: 204, fields: ["Allow": "GET, HEAD, OPTIONS"]))

  private static let notYet = {
    var response = HTTPResponse.text(503, "the files of this host are being checked")
    response.fields["Retry-After"] = "1"
    return Plain(response)
  }()

  /// A signed file begins with a DER sequence, which no JSON does (R2, R3).
  private static func associationType(_ content: [UInt8]) -> String {
    content.first == 0x30 ? "application/pkcs7-mime" : "application/json"
  }
}
