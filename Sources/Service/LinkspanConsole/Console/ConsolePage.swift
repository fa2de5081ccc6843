/// A page that somebody else has made for the console.
package struct ConsolePage: Sendable {
  /// "GET" or "POST".
  package let method: String
  /// A whole path, of one of the places of the navigation.
  package let path: String
  /// Called on a thread of the server's pool; may take a while.
  package let answer: @Sendable (Console, Console.Visit) -> Page

  package init(
    _ method: String, _ path: String, answer: @escaping @Sendable (Console, Console.Visit) -> Page
  ) {
    self.method = method
    self.path = path
    self.answer = answer
  }
}
