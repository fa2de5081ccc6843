package import LinkspanCore

extension RegistryAPI {
  /// The answer to a change that is to be made only if something is as the client knows it: nothing here has an entity tag or
  /// a date by which that could be told, and a change that ignored the condition could undo somebody else's.
  ///
  /// - Source: RFC 9110, 13.1 and 13.2.
  static func refusal(ofConditionsOf request: HTTPRequest) -> HTTPResponse? {
    guard !["GET", "HEAD"].contains(request.method),
      let name = ["If-Match", "If-None-Match", "If-Unmodified-Since"].first(where: {
        request.fields[$0] != nil
      })
    else { return nil }
    return Problem(
      412,
      "This API has no entity tags, so it cannot keep the condition '\(name)'. Nothing was changed; send the"
        + " request without it."
    ).response
  }

  /// The answer to a request that the server refuses by itself, such as one whose body is too large, in the form of every
  /// other error here.
  ///
  /// - Returns: nil where the path is none of the registry's. One that could not be read may be: who asks for other files reads
  ///   no sentences.
  package func answer(toRefused refused: RefusedRequest) -> HTTPResponse? {
    guard
      refused.target.isEmpty
        || answers(HTTPRequest(method: refused.method, authority: "", target: refused.target))
    else { return nil }
    let sentence = refused.reason.prefix(1).uppercased() + refused.reason.dropFirst() + "."
    return Problem(refused.status, sentence).response
  }
}
