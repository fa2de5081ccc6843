package import LinkspanCore

/// Stories, which the module does not read: nothing is said of them.
package enum StoryParser {
  package enum Outcome {
    case story(Story)
    case findings([Finding])
  }

  package static func parse(_ source: SourceText, reader: StoryReader) -> Outcome { .story(Story()) }

  package static func choices(
    in source: SourceText, reader: StoryReader
  ) -> [(range: Range<Int>, choice: DocumentChoice)] { [] }
}

/// A story of which nothing is said.
package struct Story: Sendable {
  package var warnings: [Finding] { [] }
}

/// Reads what a story names.
package struct StoryReader: Sendable {
  package static let none = StoryReader()

  package static func files(beside path: String) -> StoryReader { none }
}
