internal import LinkspanCore
import LinkspanStories

extension ClipExpectation {
  /// What is expected, so that it reads on after "expected ".
  var words: String {
    var words = opens == .browser ? "the browser" : name
    if let received {
      words += received.isEmpty ? " without a URL" : " with \(received.withoutUserInformation)"
    }
    if let card { words += card.isEmpty ? " without a card" : " behind the card '\(card)'" }
    if let shows { words += ", which shows \(shows)" }
    return words
  }
}
