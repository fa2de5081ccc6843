internal import AppSiteAssociation
package import LinkspanStories

/// What answers need beside the open documents; a test gives none.
package struct EditorFiles: Sendable {
  /// Reads what a story names, by the story's path.
  package var story: @Sendable (_ path: String) -> StoryReader
  /// The lines that somebody listed for an association file, by the file's path (``lines(of:)``).
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

  /// The lines of such a file; what follows '#' at a line's beginning, and empty lines, are for people. A byte order mark is no
  /// part of the first line.
  package static func lines(of text: String) -> [String] {
    let scalars = text.unicodeScalars
    let text = scalars.first == "\u{FEFF}" ? String(scalars.dropFirst()) : text
    let lines = text.split(whereSeparator: { $0.isNewline }).map { line in
      String(line.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }
    return Array(lines.filter { !$0.isEmpty && !$0.hasPrefix("#") }.prefix(sampleLimit))
  }

  /// The URLs of lines, be they a file's or the client's setting: a path alone is one of the host. What no device follows as a
  /// link is left out.
  package static func samples(of lines: [String], host: String) -> [String] {
    lines.map { $0.hasPrefix("/") ? "https://\(host)\(filled($0))" : $0 }.filter { line in
      let url = LinkURL(written: line)
      return ["http", "https"].contains(url.scheme) && !url.host.isEmpty && url.fault == nil
    }
  }

  /// A route's parameters as a URL has them: `/recipes/{id:int}` and `/recipes/:id` become `/recipes/1`.
  private static func filled(_ path: String) -> String {
    path.split(separator: "/", omittingEmptySubsequences: false).map { segment in
      (segment.hasPrefix("{") && segment.hasSuffix("}")) || segment.hasPrefix(":") ? "1" : String(segment)
    }.joined(separator: "/")
  }
}
