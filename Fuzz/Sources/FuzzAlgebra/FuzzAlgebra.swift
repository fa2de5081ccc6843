import AppSiteAssociation
import AssociationCheck
import FuzzSupport
import LinkspanCore

/// The entry point that the package manager expects in an executable.
@_cdecl("FuzzAlgebra_main")
public func fuzzMain(_ argc: CInt, _ argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
  fuzz(argc, argv) { check($0) }
}

/// The laws, for two files with a zero byte between them: a comparison ends; a file equals itself; each change is one that a
/// walk over the rules confirms; what is said to be equal is decided alike.
private func check(_ input: [UInt8]) {
  let halves = input.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false).map(Array.init)
  let files = halves.compactMap { AssociationSource(SourceText(name: "input", bytes: $0)).content.file }
  guard let old = files.first, let new = files.last else { return }
  var limits = FileComparison.Limits()
  limits.steps = 200_000
  limits.states = 5_000
  limits.changes = 5
  precondition(
    FileComparison(old, old, host: "example.com", limits: limits).changes.isEmpty,
    "a file differs from itself")
  let comparison = FileComparison(old, new, host: "example.com", limits: limits)
  let (before, after) = (AssociationMatcher(old), AssociationMatcher(new))
  func decisions(_ text: String, _ app: String) -> [Decision] {
    [before, after].map { $0.trace(LinkURL(text), app: app, host: .exactly("example.com")).decision }
  }
  for change in comparison.changes {
    precondition(
      decisions(change.url, change.app) == [change.old.decision, change.new.decision],
      "not confirmed: \(change.url)")
    precondition(change.old.decision.verdict != change.new.decision.verdict, "no change: \(change.url)")
  }
  guard comparison.isEqual else { return }
  for app in before.applications.prefix(3) {
    for text in ["https://example.com/a/b?c=d#e", "https://example.com/", "https://example.com/%C3%A9//"] {
      let verdicts = decisions(text, app).map(\.verdict)
      precondition(verdicts[0] == verdicts[1], "equal, and decided otherwise: \(text)")
    }
  }
}
