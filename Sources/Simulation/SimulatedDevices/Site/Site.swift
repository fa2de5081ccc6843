import AppSiteAssociation
package import LinkspanCore
import LinkspanServer

/// What one host publishes, as a table from path to answer.
package struct Site: Sendable {
  /// One path of a site and the answer there.
  package struct Document: Hashable, Sendable {
    package var path: String
    /// 200...599
    package var status: Int
    /// nil sends no `Content-Type`.
    package var contentType: String?
    /// The `Location` of a redirect.
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

  /// The site as a server. What `linkspan serve` could publish is played by the code that serves it; what only
  /// a broken site answers, such as a redirect or a page, is played from the table.
  package var handler: HTTPHandler {
    if let site = published { return AssociationHandler([site]).handler }
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

  /// The site as our own server would have it; nil when it answers as that never does.
  private var published: AssociationSite? {
    guard let file = documents.first,
      documents.allSatisfy({ document in
        document.status == 200 && document.contentType == "application/json" && document.location == nil
          && document.body == file.body && AssociationLocation(rawValue: document.path) != nil
      }), documents.contains(where: { $0.path == AssociationLocation.wellKnown.rawValue })
    else { return nil }
    return AssociationSite(host: nil, associationFile: file.body, servesRootName: documents.count > 1)
  }
}
