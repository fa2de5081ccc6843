package import LinkspanCore

/// Serves association files from a table, as the program's server does, whose answers differ in fields that no device reads.
package struct AssociationHandler: Sendable {
  private let sites: [AssociationSite]

  package init(_ sites: [AssociationSite]) { self.sites = sites }

  /// As a handler for a server.
  package var handler: HTTPHandler {
    let sites = sites
    return { request in
      guard ["GET", "HEAD"].contains(request.method) else { return .text(405, "Method Not Allowed") }
      let isRoot = request.path == "/apple-app-site-association"
      guard let site = sites.first, isRoot ? site.servesRootName : request.path == wellKnown,
        let file = site.associationFile
      else { return .text(404, "Not Found") }
      var response = HTTPResponse(status: 200, body: request.method == "HEAD" ? [] : file)
      response.fields["Content-Type"] = file.first == 0x30 ? "application/pkcs7-mime" : "application/json"
      return response
    }
  }
}

private let wellKnown = "/.well-known/apple-app-site-association"
