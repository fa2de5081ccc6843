/// A response as a value: what a handler gives back.
package struct HTTPResponse: Hashable, Sendable {
  /// 200...599; interim answers (1xx) belong to the engine.
  package var status: Int
  package var fields: HTTPFields
  package var body: [UInt8]

  package init(status: Int, fields: HTTPFields = [:], body: [UInt8] = []) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  /// A short answer in plain text, ending in a newline.
  package static func text(_ status: Int, _ text: String) -> HTTPResponse {
    HTTPResponse(
      status: status, fields: ["Content-Type": "text/plain; charset=utf-8"], body: Array((text + "\n").utf8))
  }

  /// The response to HEAD where this one answers GET: its fields, Content-Length among them, and no body.
  package var withoutBody: HTTPResponse {
    var response = self
    if response.fields["Content-Length"] == nil { response.fields["Content-Length"] = String(body.count) }
    response.body = []
    return response
  }
}
