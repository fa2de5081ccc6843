import Foundation
import Linkspan
import Testing

/// Errors as alerts.
struct AlertContentTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var id: String
    var reason: String?
    var suggestion: String?
    var message: String?
    var testDescription: String { id }
  }

  private struct Failure: LocalizedError {
    var errorDescription: String? = "The recipe was not saved."
    var failureReason: String?
    var recoverySuggestion: String?
  }

  @Test(arguments: [
    Case(id: "both", reason: "Disk full.", suggestion: "Free space.", message: "Disk full.\n\nFree space."),
    Case(id: "no reason keeps the suggestion", suggestion: "Free space.", message: "Free space."),
    Case(id: "no suggestion keeps the reason", reason: "Disk full.", message: "Disk full."),
    Case(id: "neither"),
    Case(id: "blank reason", reason: " \n", suggestion: "Free space.", message: "Free space."),
    Case(id: "the same twice", reason: "Disk full.", suggestion: "Disk full.", message: "Disk full."),
    Case(id: "title repeated", reason: "The recipe was not saved.", message: nil),
  ])
  func messageHoldsReasonAndSuggestion(row: Case) throws {
    let content = try #require(
      AlertContent(Failure(failureReason: row.reason, recoverySuggestion: row.suggestion)))
    #expect(content.title == "The recipe was not saved.")
    #expect(content.message == row.message)
    #expect(content.actions == [.init(title: "OK", recoveryOption: nil)])
  }

  @Test func readsAnNSError() throws {
    let error = NSError(
      domain: "com.example", code: 7,
      userInfo: [
        NSLocalizedDescriptionKey: "Not sent.", NSLocalizedRecoverySuggestionErrorKey: "Try again later.",
      ])
    let content = try #require(AlertContent(error))
    #expect(content.title == "Not sent.")
    #expect(content.message == "Try again later.")
  }

  @Test func anErrorWithoutTextHasATitle() throws {
    let blank = Failure(errorDescription: "  ", failureReason: nil, recoverySuggestion: nil)
    #expect(try #require(AlertContent(blank)).title.isEmpty == false)
  }

  @Test(arguments: [
    CancellationError() as any Error, URLError(.cancelled),
    NSError(domain: NSURLErrorDomain, code: -999), CocoaError(.userCancelled),
    NSError(
      domain: "com.example", code: 1,
      userInfo: [NSUnderlyingErrorKey: NSError(domain: NSURLErrorDomain, code: -999)]),
  ])
  func cancelledErrorsAreSilent(error: any Error) {
    #expect(AlertContent(error) == nil)
  }

  @Test func otherURLErrorsAreShown() {
    #expect(AlertContent(URLError(.timedOut)) != nil)
  }

  /// A number says who cancelled only together with its domain.
  @Test(arguments: [
    ("com.example", -999), ("com.example", 3072), (NSURLErrorDomain, -1001), (NSURLErrorDomain, 3072),
    (NSCocoaErrorDomain, 4), (NSCocoaErrorDomain, -999),
  ])
  func otherErrorsAreShown(domain: String, code: Int) {
    let error = NSError(domain: domain, code: code)
    #expect(!AlertContent.isCancellation(error) && AlertContent(error) != nil)
    let outer = NSError(domain: "com.example", code: 1, userInfo: [NSUnderlyingErrorKey: error])
    #expect(!AlertContent.isCancellation(outer))
  }

  /// Eight errors are looked into, the outermost included.
  @Test(arguments: [(0, true), (1, true), (7, true), (8, false)])
  func aCancelledErrorIsFoundInOthers(wrapped: Int, isFound: Bool) {
    let error = (0..<wrapped).reduce(NSError(domain: NSURLErrorDomain, code: -999)) { inner, number in
      NSError(domain: "com.example", code: number, userInfo: [NSUnderlyingErrorKey: inner])
    }
    #expect(AlertContent.isCancellation(error) == isFound)
  }

  /// They get their text for alerts in another module than the one that declares them.
  @Test func theRoutersErrorsHaveTitlesForPeople() throws {
    func title(_ work: () throws -> Void) throws -> String? {
      AlertContent(try #require(throws: (any Error).self, performing: work))?.title
    }
    let router = try Router(
      sources: [.universalLinks(hosts: ["recipes.example"])], routes: [Route("home", "/", 0)])
    let refused = try title { _ = try Router<Int>(sources: [.universalLinks(hosts: [])], routes: []) }
    let missed = try title { _ = try router.parse("https://elsewhere.example/") }
    let unprinted = try title { _ = try router.url(for: 1) }
    #expect(refused == "The app cannot open links.")
    #expect(missed == "This link cannot be opened.")
    #expect(unprinted == "There is no link for this.")
  }

  @Test func recoveryOptionsAreButtons() throws {
    let attempts = Attempts()
    let error = Recoverable(attempts: attempts)
    let content = try #require(AlertContent(error))
    #expect(content.actions.map(\.title) == ["Try again", "Keep a draft"])
    #expect(AlertContent.recover(from: error, choosing: content.actions[1]))
    #expect(!AlertContent.recover(from: error, choosing: .init(title: "Close", recoveryOption: nil)))
    #expect(!AlertContent.recover(from: error, choosing: .init(title: "Beyond", recoveryOption: 2)))
    #expect(attempts.chosen == [1])
  }

  private final class Attempts: @unchecked Sendable {
    private let lock = NSLock()
    private var options: [Int] = []
    var chosen: [Int] { lock.withLock { options } }
    func add(_ option: Int) { lock.withLock { options.append(option) } }
  }

  private struct Recoverable: RecoverableError, LocalizedError {
    var attempts: Attempts
    var errorDescription: String? { "Not sent." }
    var recoveryOptions: [String] { ["Try again", "Keep a draft"] }
    func attemptRecovery(optionIndex: Int) -> Bool {
      attempts.add(optionIndex)
      return true
    }
  }
}
