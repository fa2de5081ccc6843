import FuzzSupport
import LinkspanCore
import SourceReview

/// The entry point that the package manager expects in an executable.
@_cdecl("FuzzReview_main")
public func fuzzMain(_ argc: CInt, _ argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
  fuzz(argc, argv) { check($0) }
}

/// The laws: no text stops the program; every finding lies in its text and says what to do.
private func check(_ input: [UInt8]) {
  for language in [SourceLanguage.swift, .objectiveC] {
    let source = SourceText(name: "a", bytes: input)
    let end = source.position(at: input.count)
    for finding in SourceReview([ReviewedFile(source, language)]).findings {
      guard let start = finding.location.start, let last = finding.location.end else {
        preconditionFailure("a finding without a place")
      }
      precondition(start < last && !(end < last), "a place outside of the text")
      precondition(finding.help != nil && finding.source != nil, "a finding without help")
    }
  }
}
