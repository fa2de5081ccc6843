import AppSiteAssociation
import AssociationCheck
import FuzzSupport
import LinkspanCore

/// The entry point that the package manager expects in an executable.
@_cdecl("FuzzJSON_main")
public func fuzzMain(_ argc: CInt, _ argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
  fuzz(argc, argv) { check($0) }
}

private let app = "ABCDE12345.com.example.app"

/// Mending never adds errors, what it changed can be read, and mending twice is mending once.
private func checkMending(_ source: SourceText) {
  func mended(_ source: SourceText) -> FixedText {
    FixedText(
      source, isReadable: { AssociationSource($0).content.document.errors.isEmpty },
      findings: { AssociationChecker.findings(in: AssociationSource($0)) })
  }
  let before = AssociationChecker.findings(in: AssociationSource(source)).count(of: .error)
  let once = mended(source)
  precondition(once.remaining.count(of: .error) <= before, "mending added errors")
  guard once.isChanged else { return }
  precondition(
    AssociationSource(SourceText(name: "input", bytes: once.bytes)).content.document.errors.isEmpty,
    "what was mended cannot be read")
  precondition(
    mended(SourceText(name: "input", bytes: once.bytes)).bytes == once.bytes, "mending twice differs")
}

/// The laws: no input stops the program; every mistake has a place inside the text; what is well-formed reads
/// the same when it is written again; every finding has a place; a decision equals its own trace.
private func check(_ input: [UInt8]) {
  for dialect in [JSONParser.Dialect.json, .json5] {
    let document = JSONParser.parse(input, dialect: dialect)
    precondition(document.root != nil || !document.errors.isEmpty, "nothing was read and nothing was wrong")
    for error in document.errors {
      precondition(
        error.range.lowerBound >= 0 && error.range.upperBound <= input.count,
        "a mistake lies outside the text")
    }
    if dialect == .json, document.isWellFormed, let root = document.root {
      let again = JSONParser.parse(root.json.bytes)
      precondition(again.isWellFormed, "what was written is not well-formed")
      precondition(again.root?.json.text == root.json.text, "what was written reads otherwise")
    }
  }
  let source = AssociationSource(SourceText(name: "input", bytes: input))
  for finding in AssociationChecker.findings(in: source) {
    precondition(!finding.text().isEmpty && finding.location.start != nil, "a finding has no place")
  }
  checkMending(SourceText(name: "input", bytes: input))
  guard let file = source.content.file else { return }
  let matcher = AssociationMatcher(file)
  for text in ["https://example.com/a/b?c=d#e", "https://example.com/", "https://example.com/%C3%A9//"] {
    let url = LinkURL(text)
    for app in matcher.applications.prefix(4) + [app] {
      let host = HostScope("example.com")
      precondition(
        matcher.decide(url, app: app, host: host) == matcher.trace(url, app: app, host: host).decision,
        "a decision differs from its trace")
    }
  }
}
