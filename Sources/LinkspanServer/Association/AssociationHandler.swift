package import LinkspanCore

/// Serves association files: a function from request to response over a table made beforehand.
///
/// Never a redirect, never a page, no cookies: a device takes any of them for "no association" (spec F, R).
package struct AssociationHandler: Sendable {
  /// A class, so that finding one for a request copies nothing.
  private final class Site: Sendable {
    let association: PreparedFile?
    let rootAssociation: PreparedFile?
    let assetLinks: PreparedFile?

    init(_ site: AssociationSite) {
      association = site.associationFile.map {
        PreparedFile($0, type: AssociationHandler.associationType($0))
      }
      rootAssociation = site.servesRootName ? association : nil
      assetLinks = site.assetLinks.map { PreparedFile($0, type: "application/json") }
    }
  }

  private let sites: [String: Site]
  private let anyHost: Site?
  /// Hosts of which nothing is known yet; nil stands for every host without a site of its own.
  private let undecided: Set<String?>

  /// - Parameters:
  ///   - sites: Of two for one host, the later one counts.
  ///   - undecided: Hosts whose first files are being checked: asking again helps, and a 404 would tell a device that
  ///     there is no association (spec F).
  package init(_ sites: [AssociationSite], undecided: [String?] = []) {
    var table: [String: Site] = [:]
    var anyHost: Site?
    for site in sites {
      let prepared = Site(site)
      if let host = site.host {
        table[Self.canonical(ASCII.lowercased(host))] = prepared
      } else {
        anyHost = prepared
      }
    }
    self.sites = table
    self.anyHost = anyHost
    self.undecided = Set(undecided.map { $0.map { Self.canonical(ASCII.lowercased($0)) } })
  }

  /// The answer to a request.
  ///
  /// An answer to HEAD has the fields of GET, Content-Length among them, and no body.
  package func response(to request: HTTPRequest) -> HTTPResponse {
    let path = request.path
    if path == "/healthz" { return Self.plain(200, "ok", request) }
    let host = Self.canonical(request.host)
    guard let site = sites[host] ?? (undecided.contains(host) ? nil : anyHost) else {
      return undecided.contains(host) || undecided.contains(nil)
        ? Self.notYet(request) : Self.plain(404, "no such host here", request)
    }
    let file: PreparedFile? =
      switch path {
      case "/.well-known/apple-app-site-association": site.association
      case "/apple-app-site-association": site.rootAssociation
      case "/.well-known/assetlinks.json": site.assetLinks
      default: nil
      }
    guard let file else { return Self.plain(404, "no such file here", request) }
    guard Self.isRead(request) else { return Self.notAllowed }
    guard file.isWanted(by: request) else { return Self.plain(412, "the file is another one", request) }
    return file.response(to: request)
  }

  /// As a handler for a server.
  package var handler: HTTPHandler { { response(to: $0) } }

  private static func isRead(_ request: HTTPRequest) -> Bool {
    request.method == "GET" || request.method == "HEAD"
  }

  private static let notAllowed: HTTPResponse = {
    var response = HTTPResponse.text(405, "only GET and HEAD are allowed here")
    response.fields["Allow"] = "GET, HEAD"
    return finished(response)
  }()

  private static func notYet(_ request: HTTPRequest) -> HTTPResponse {
    var response = plain(503, "the files of this host are being checked", request)
    response.fields["Retry-After"] = "1"
    return response
  }

  private static func plain(_ status: Int, _ text: String, _ request: HTTPRequest) -> HTTPResponse {
    if status == 200, !isRead(request) { return notAllowed }
    var response = finished(.text(status, text))
    if request.method == "HEAD" { response.body = [] }
    return response
  }

  private static func finished(_ response: HTTPResponse) -> HTTPResponse {
    var response = response
    response.fields["Content-Length"] = String(response.body.count)
    response.fields["X-Content-Type-Options"] = "nosniff"
    return response
  }

  /// A signed file begins with a DER sequence, which no JSON does (spec R2, R3).
  private static func associationType(_ content: [UInt8]) -> String {
    content.first == 0x30 ? "application/pkcs7-mime" : "application/json"
  }

  /// `example.com.` is `example.com`, spelled to its end.
  private static func canonical(_ host: String) -> String {
    host.utf8.last == UInt8(ascii: ".") ? String(host.dropLast()) : host
  }
}
