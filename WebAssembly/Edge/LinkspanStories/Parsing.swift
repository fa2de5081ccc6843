package import LinkspanCore

/// Stories, which the module does not read: nothing is said of them.
package enum StoryParser {
  package enum Outcome {
    case story(Story)
    case findings([Finding])
  }

  package static func parse(_ source: SourceText, reader: StoryReader) -> Outcome {
    .story(Story(name: source.name, start: WallTime(milliseconds: 0)))
  }

  package static func choices(
    in source: SourceText, reader: StoryReader
  ) -> [(range: Range<Int>, choice: DocumentChoice)] { [] }
}

/// Reads what a story names.
package struct StoryReader: Sendable {
  package static let none = StoryReader()

  package static func files(beside path: String) -> StoryReader { none }
}
