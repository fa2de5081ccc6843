/// What is wrong with a value that a client sent.
package struct InputProblem: Error, Hashable, Sendable {
  /// RFC 6901, into the request's body.
  package let pointer: String
  /// A whole sentence.
  package let message: String

  package init(_ pointer: String, _ message: String) {
    self.pointer = pointer
    self.message = message
  }
}
