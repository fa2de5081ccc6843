import Foundation
import Linkspan
import LinkspanLinks
import Testing

/// What the website's association file means for the app. The file is the one that the site serves: copy it, or fetch it in CI.
@Suite struct LinkTests {
  static let app = "ABCDE12345.com.example.recipes"

  static let file: AssociationFile = {
    let place = Bundle.module.url(forResource: "apple-app-site-association", withExtension: nil)!
    return AssociationFile(try! Data(contentsOf: place))
  }()

  @Test(arguments: [
    ("https://example.com/recipes/42", true), ("https://example.com/recipes/drafts/42", false),
    ("https://example.com/search?q=soup", true), ("https://example.com/search", false),
  ])
  func theFileOpens(_ url: String, _ opens: Bool) {
    #expect(Self.file.opens(url, in: Self.app, on: .iOS(17)) == opens)
    // Before iOS 13 devices read 'paths', which this file does not have.
    #expect(!Self.file.opens(url, in: Self.app, on: .iOS(12, 4)))
  }

  @Test func theFileHasNoErrors() { #expect(Self.file.check().filter { $0.severity == .error } == []) }

  /// What the app's router writes for the site, compared with what the site serves.
  @Test func theSiteServesWhatTheRouterWrites() throws {
    let router = try Router<Screen>(
      sources: [.universalLinks(hosts: ["example.com"])],
      routes: [
        Route("recipe", "/recipes/{id:~[0-9]+}") {
          .recipe(id: try $0("id"))
        } write: {
          if case .recipe(let id) = $0 { ["id": id] } else { nil }
        }
      ])
    let written = AssociationFile(router.associationComponents().json(appIDs: [Self.app]))
    #expect(written.opens("https://example.com/recipes/42", in: Self.app, on: .iOS(17)))
    let difference = Self.file.difference(from: written)
    #expect(!difference.changes.contains { $0.url == "https://example.com/recipes/42" })
  }

  /// The site keeps drafts in the browser, and opens pages that no route shows.
  @Test func routesAreHeldAgainstTheFile() throws {
    let report = try Self.file.compared(with: ["/recipes/:id"], of: Self.app)
    #expect(report.notShown.contains { $0.url.contains("/search") })
  }
}

enum Screen: Hashable, Sendable { case recipe(id: Int) }
