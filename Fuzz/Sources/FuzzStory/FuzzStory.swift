import AppSiteAssociation
import FuzzSupport
import LinkspanCore
import LinkspanSimulator
import LinkspanStories

/// The entry point that the package manager expects in an executable.
@_cdecl("FuzzStory_main")
public func fuzzMain(_ argc: CInt, _ argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
  fuzz(argc, argv) { check($0) }
}

/// The laws: no input stops the program; a file that is not a story gets findings with a message and help; a story
/// that is written and parsed again is the same story.
private func check(_ input: [UInt8]) {
  switch StoryParser.parse(SourceText(name: "story.json5", bytes: input), reader: .none) {
  case .findings(let findings):
    precondition(!findings.isEmpty, "no story and no reason")
    for finding in findings {
      precondition(!finding.message.isEmpty && finding.help?.isEmpty == false, "a silent finding")
    }
  case .story(let story):
    let text = StoryWriter.text(of: story)
    guard case .story(let again) = StoryParser.parse(SourceText(name: "story.json5", text), reader: .none)
    else {
      preconditionFailure("what was written is no story:\n\(text)")
    }
    precondition(StoryWriter.text(of: again) == text, "what was written reads otherwise:\n\(text)")
  }
}
