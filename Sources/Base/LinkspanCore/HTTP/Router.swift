/// Finds what a request is for by its method and path: routes with parameters, and the answers where there is no route.
///
/// A pattern is a path whose segments are literal, or a parameter in braces that stands for one segment that is not
/// empty: `/v1/devices/{id}`. Where several patterns fit, the one with the earlier literal segment wins, whatever the
/// order of the routes. A route for GET answers HEAD too; OPTIONS is answered for every path that has a route.
package struct Router<Action: Sendable>: Sendable {
  /// What a request is for.
  package enum Outcome: Sendable {
    /// - Parameter parameters: The segments in place of the pattern's parameters, percent-decoded.
    case found(Action, parameters: RouteParameters)
    /// There is no route for the path.
    case notFound
    /// There are routes for the path, with other methods.
    case notAllowed(allow: String)
    /// There are routes for the path, and the method is none that HTTP has.
    case notImplemented
    /// OPTIONS: the methods that the path has.
    case options(allow: String)
  }

  @usableFromInline var table = RouteTable()
  @usableFromInline var actions: [Action] = []

  package init() {}

  /// Adds a route; no two may have the same method and patterns that differ in names of parameters only.
  package mutating func add(_ method: String, _ pattern: String, _ action: Action) {
    table.add(method, pattern, actions.count)
    actions.append(action)
  }

  /// What a request is for. Inlined where it is used, for there the action's type is known.
  @inlinable package func outcome(for request: HTTPRequest) -> Outcome {
    switch table.outcome(for: request) {
    case .found(let number, let parameters): return .found(actions[number], parameters: parameters)
    case .notFound: return .notFound
    case .notAllowed(let allow): return .notAllowed(allow: allow)
    case .notImplemented: return .notImplemented
    case .options(let allow): return .options(allow: allow)
    }
  }
}

extension Router.Outcome {
  /// The answer where no route was found; nil where one was.
  package var refusal: HTTPResponse? {
    switch self {
    case .found: return nil
    case .notFound: return .text(404, "not found")
    case .notAllowed(let allow):
      var response = HTTPResponse.text(405, "only \(allow) are allowed here")
      response.fields["Allow"] = allow
      return response
    case .notImplemented: return .text(501, "no such method")
    case .options(let allow): return HTTPResponse(status: 204, fields: ["Allow": allow])
    }
  }
}

/// Answers the requests of one route.
package typealias RouteHandler = @Sendable (HTTPRequest, RouteParameters, RequestOrigin) -> HTTPReply

extension Router<RouteHandler> {
  /// The router as a responder. What a route says at once in answer to HEAD is sent without its body.
  package var responder: HTTPResponder {
    { request, origin in
      let outcome = outcome(for: request)
      guard case .found(let handler, let parameters) = outcome else {
        let refusal = outcome.refusal ?? .text(404, "not found")
        return .now(request.method == "HEAD" ? refusal.withoutBody : refusal)
      }
      let reply = handler(request, parameters, origin)
      guard request.method == "HEAD", case .now(let response) = reply else { return reply }
      return .now(response.withoutBody)
    }
  }
}
