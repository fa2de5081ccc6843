internal import DeviceRegistry
internal import LinkspanCore
internal import RegistryRequests

/// An error as an answer: `application/problem+json` (RFC 9457).
struct Problem: Sendable {
  var status: Int
  /// What is wrong and what to do, in whole sentences.
  var detail: String
  /// What is wrong with values of the request.
  var errors: [InputProblem] = []
  /// The devices of an audience that was not confirmed.
  var count: Int64?
  /// How often each of them gets the push within a day, as ``count`` counts it.
  var times: Int64 = 1
  var fields: HTTPFields = [:]

  init(
    _ status: Int, _ detail: String, errors: [InputProblem] = [], count: Int64? = nil,
    times: Int64 = 1, fields: HTTPFields = [:]
  ) {
    self.count = count
    self.times = times
    self.status = status
    self.detail = detail
    self.errors = errors
    self.fields = fields
  }

  var response: HTTPResponse {
    var members: [(String, JSON)] = [
      ("type", .string("about:blank")), ("title", .string(Self.titles[status] ?? "Error")),
      ("status", .int(status)), ("detail", .string(detail)),
    ]
    if let count { members.append(("count", .int(Int(count)))) }
    if times > 1 { members.append(("times_in_day", .int(Int(times)))) }
    if !errors.isEmpty {
      let list = errors.map {
        JSON.object([("pointer", .string($0.pointer)), ("detail", .string($0.message))])
      }
      members.append(("errors", .array(list)))
    }
    var response = HTTPResponse(status: status, fields: fields, body: JSON.object(members).bytes)
    response.fields["Content-Type"] = "application/problem+json"
    response.fields["Cache-Control"] = "no-store"
    return response
  }

  /// RFC 9110, 15.
  private static let titles = [
    400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
    408: "Request Timeout", 409: "Conflict", 411: "Length Required", 412: "Precondition Failed",
    413: "Content Too Large",
    414: "URI Too Long", 415: "Unsupported Media Type", 417: "Expectation Failed", 429: "Too Many Requests",
    431: "Request Header Fields Too Large", 500: "Internal Server Error", 501: "Not Implemented",
    502: "Bad Gateway", 503: "Service Unavailable", 505: "HTTP Version Not Supported",
  ]
}

extension Problem {
  /// Why the registry did not do it; what it says about its own place stays with the operator.
  init(_ error: RegistryError) {
    switch error.kind {
    case .unavailable, .overloaded:
      self.init(
        503, "The registry cannot do it now. Nothing was changed; send the request again later.",
        fields: ["Retry-After": "1"])
    case .unfinishedErasure:
      self.init(
        503,
        "The devices are erased, but the registry's log still holds their bytes. Send the request again later.",
        fields: ["Retry-After": "1"])
    case .uncertain:
      self.init(
        503, "It is not known whether the registry has stored the change. Send the same request again.",
        fields: ["Retry-After": "1"])
    case .refused:
      self.init(
        400,
        "The store refuses a value of the request: a text that its database cannot hold, or a value that contradicts what is"
          + " stored. Nothing was changed; send the request with other values.")
    case .unusableAddress, .cannotOpen, .newerStore, .damaged:
      self.init(500, "The registry failed; its operator finds the reason in the server's log.")
    }
  }
}
