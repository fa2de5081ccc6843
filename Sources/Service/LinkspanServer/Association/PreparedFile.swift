internal import LinkspanCore

/// A file's answers, made once when it is loaded, so that an engine finds what it has written for them before. A class, so that finding one for a request copies nothing.
final class PreparedFile: Sendable {
  private let tag: EntityTag
  private let answer: HTTPResponse
  private let headAnswer: HTTPResponse
  private let notModified: HTTPResponse

  init(_ content: [UInt8], type: String) {
    tag = EntityTag(of: content)
    let fields: HTTPFields = [
      "Content-Type": type,
      "Content-Length": String(content.count),
      "ETag": tag.text,
      // Short enough to mend a mistake within the hour (R7).
      "Cache-Control": "public, max-age=3600",
      "X-Content-Type-Options": "nosniff",
    ]
    answer = HTTPResponse(status: 200, fields: fields, body: content)
    headAnswer = HTTPResponse(status: 200, fields: fields)
    // What a 200 would say about caching, and nothing about the content (RFC 9110, 15.4.5).
    notModified = HTTPResponse(
      status: 304, fields: HTTPFields(fields.list.filter { ["ETag", "Cache-Control"].contains($0.name) })
    )
  }

  /// Whether the file is one of those that the request is for (RFC 9110, 13.1.1); nearly always it names none.
  func isWanted(by request: HTTPRequest) -> Bool {
    let lists = request.fields.values(of: "If-Match")
    return lists.isEmpty || lists.contains(where: tag.isNamedStrongly)
  }

  func response(to request: HTTPRequest) -> HTTPResponse {
    if request.fields.values(of: "If-None-Match").contains(where: tag.isNamed) { return notModified }
    return request.method == "HEAD" ? headAnswer : answer
  }
}
