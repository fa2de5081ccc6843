package import LinkspanStories

/// What answers need beside the open documents; a test gives none.
package struct EditorFiles: Sendable {
  /// Reads what a story names, by the story's path.
  package var story: @Sendable (_ path: String) -> StoryReader
  /// The URLs that somebody listed for an association file, by the file's path.
  package var samples: @Sendable (_ path: String) -> [String]

  package init(
    story: @escaping @Sendable (_ path: String) -> StoryReader,
    samples: @escaping @Sendable (_ path: String) -> [String]
  ) {
    self.story = story
    self.samples = samples
  }

  package static let none = EditorFiles(story: { _ in .none }, samples: { _ in [] })

  /// The name of a file with sample URLs; it counts for its own folder and those below.
  package static let samplesName = ".linkspan"
  /// Ours: more than fit an editor's line.
  package static let sampleLimit = 1_000

  /// The URLs of such a file: one a line; a path alone is one of the host; what follows '#' at a line's beginning, and
  /// empty lines, are for people.
  package static func samples(in text: String, host: String) -> [String] {
    let lines = text.split(whereSeparator: { $0.isNewline }).map { line in
      String(line.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }
    return lines.filter { !$0.isEmpty && !$0.hasPrefix("#") }.prefix(sampleLimit).map { line in
      line.hasPrefix("/") ? "https://\(host)\(filled(line))" : line
    }
  }

  /// A route's parameters as a URL has them: `/recipes/{id:int}` and `/recipes/:id` become `/recipes/1`.
  private static func filled(_ path: String) -> String {
    path.split(separator: "/", omittingEmptySubsequences: false).map { segment in
      (segment.hasPrefix("{") && segment.hasSuffix("}")) || segment.hasPrefix(":") ? "1" : String(segment)
    }.joined(separator: "/")
  }
}
