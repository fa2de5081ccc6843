package import LinkspanCore

extension RegistryAPI {
  /// The answer to a request that the server refuses by itself, such as one whose body is too large, in the form of every
  /// other error here.
  ///
  /// - Returns: nil where the path is none of the registry's.
  package func answer(toRefused refused: RefusedRequest) -> HTTPResponse? {
    guard answers(HTTPRequest(method: refused.method, authority: "", target: refused.target)) else {
      return nil
    }
    let sentence = refused.reason.prefix(1).uppercased() + refused.reason.dropFirst() + "."
    return Problem(refused.status, sentence).response
  }
}
