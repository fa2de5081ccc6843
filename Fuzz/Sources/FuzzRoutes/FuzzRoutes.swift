import AppSiteAssociation
import FuzzSupport
import LinkCoverage
import LinkLanguages
import LinkspanCore

/// The entry point that the package manager expects in an executable.
@_cdecl("FuzzRoutes_main")
public func fuzzMain(_ argc: CInt, _ argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
  fuzz(argc, argv) { check($0) }
}

private let file = AssociationFile(
  JSONParser.parse(
    Array(#"{"applinks":{"details":[{"appIDs":["A.one"],"components":[{"/":"/a/*"},{"/":"*b"}]}]}}"#.utf8)
  ).root!)!

/// The laws: no text stops the parsers of routes and of requests to generate; a route that is read is compared with a
/// file, and each gap is one that the matcher confirms.
private func check(_ input: [UInt8]) {
  let text = String(decoding: input.prefix(200), as: UTF8.self)
  do throws(Route.Problem) {
    let coverage = RouteCoverage(file, routes: [try Route(text)], host: "example.com")
    let matcher = AssociationMatcher(file)
    for (gaps, opens) in [(coverage.notShown, true), (coverage.notClaimed, false)] {
      for gap in gaps {
        let decision = matcher.decide(LinkURL(gap.url), app: gap.app, host: .exactly("example.com"))
        precondition((decision.verdict == .match) == opens, "a gap is not confirmed: \(gap.url)")
      }
    }
  } catch {
    precondition(!error.description.isEmpty, "a silent problem")
  }
  _ = try? GenerateRequest(SourceText(name: "linkspan.json5", bytes: input))
}
