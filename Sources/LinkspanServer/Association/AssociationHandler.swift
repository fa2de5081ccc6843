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

  /// - Parameter sites: Of two for one host, the later one counts.
  package init(_ sites: [AssociationSite]) {
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
  }

  /// The answer to a request.
  ///
  /// An answer to HEAD has the fields of GET, Content-Length among them, and no body.
  package func response(to request: HTTPRequest) -> HTTPResponse {
    let path = request.path
    if path == "/healthz" { return Self.plain(200, "ok", request) }
    guard let site = sites[Self.canonical(request.host)] ?? anyHost else {
      return Self.plain(404, "no such host here", request)
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
