import AppSiteAssociation
package import LinkspanCore

/// What one host publishes, as a table from path to answer.
package struct Site: Sendable {
  package struct Document: Hashable, Sendable {
    package var path: String
    /// 200...599
    package var status: Int
    package var contentType: String?
    package var location: String?
    package var body: [UInt8]

    package init(
      path: String = AssociationLocation.wellKnown.rawValue, status: Int = 200,
      contentType: String? = "application/json", location: String? = nil, body: [UInt8] = []
    ) {
      self.path = path
      self.status = status
      self.contentType = contentType
      self.location = location
      self.body = body
    }
  }

  /// No two of them with the same path; of two that are given, the later one counts.
  package private(set) var documents: [Document]

  package init(_ documents: [Document]) {
    self.documents = []
    for document in documents {
      self.documents.removeAll { $0.path == document.path }
      self.documents.append(document)
    }
  }

  /// The site as a server: GET and HEAD of its paths, 404 for every other.
  package var handler: HTTPHandler {
    let documents = documents
    return { request in
      guard ["GET", "HEAD"].contains(request.method) else { return .text(405, "Method Not Allowed") }
      guard let document = documents.first(where: { $0.path == request.path }) else {
        return .text(404, "Not Found")
      }
      var response = HTTPResponse(status: document.status, body: document.body)
      response.fields["Content-Type"] = document.contentType
      response.fields["Location"] = document.location
      if request.method == "HEAD" { response.body = [] }
      return response
    }
  }
}
