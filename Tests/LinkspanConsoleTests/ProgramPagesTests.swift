import Foundation
import TestSupport
import Testing

/// The pages that the program adds to the console.
@Suite struct ProgramPagesTests {
  /// `=== TARGET`, and below it the main part of the page.
  private static let pages: [(target: String, page: String)] = {
    let file = Fixtures.root.appending(path: "Tests/Fixtures/console/pages.txt")
    let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    // The last line ends as all do.
    return ("\n" + text.dropLast()).split(separator: "\n=== ").map { part in
      let pieces = part.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
      return (String(pieces[0]), String(pieces[1]))
    }
  }()

  @Test func pagesOfTheProgramAreWhole() throws {
    #expect(Self.pages.count == 5)
    let browser = Browser(ConsoleFixture())
    browser.logIn()
    for (target, page) in Self.pages {
      browser.get(target)
      let main = browser.page.split(separator: "<main").dropFirst().first ?? ""
      #expect(main.split(separator: "</main>").first.map(String.init) == page, "\(target)")
    }
  }
}
