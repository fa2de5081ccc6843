import AssociatedDomains
import Foundation
import LinkspanCore
import LinkspanSimulator
import LinkspanStories
import SimulatedDevices
import TestSupport
import Testing

/// Stories for tests, from `Examples/` or written in place.
enum Stories {
  static let reader: @Sendable (URL) -> StoryReader = { folder in
    StoryReader(
      file: { path throws(StoryReaderError) in
        FileManager.default.contents(atPath: folder.appending(path: path).path).map { Array($0) }
      },
      claims: { paths, _ throws(StoryReaderError) in
        guard let path = paths.first,
          let data = FileManager.default.contents(atPath: folder.appending(path: path).path)
        else { return nil }
        guard let list = try? PropertyListSerialization.propertyList(from: data, format: nil),
          let entitlements = list as? [String: Any]
        else { throw StoryReaderError("it is no property list") }
        return .init(
          identifier: partial(entitlements["application-identifier"] as? String),
          domains: entitlements["com.apple.developer.associated-domains"] as? [String] ?? [])
      })
  }

  static func partial(_ identifier: String?) -> PartialIdentifier {
    let halves = identifier?.split(separator: ".", maxSplits: 1).map(String.init) ?? []
    return PartialIdentifier(prefix: halves.first, bundle: halves.last)
  }

  static func example(_ name: String) throws -> Story {
    let examples = Fixtures.root.appending(path: "Examples")
    let folder = examples.appending(path: name).deletingLastPathComponent()
    return try story(SourceText(name: name, try exampleText(name)), reader: reader(folder))
  }

  static func exampleText(_ name: String) throws -> String {
    try String(contentsOf: Fixtures.root.appending(path: "Examples").appending(path: name), encoding: .utf8)
  }

  /// A story that was changed, with the files that lie beside the examples.
  static func besideExamples(_ text: String) throws -> Story {
    let folder = Fixtures.root.appending(path: "Examples/stories")
    return try story(SourceText(name: "story.json5", text), reader: reader(folder))
  }

  static func inline(_ text: String) throws -> Story {
    try story(SourceText(name: "story.json5", text), reader: .none)
  }

  private static func story(_ source: SourceText, reader: StoryReader) throws -> Story {
    switch StoryParser.parse(source, reader: reader) {
    case .story(let story): return story
    case .findings(let findings):
      for finding in findings { Issue.record("\(finding.text())") }
      throw StoryReaderError("\(source.name) has findings")
    }
  }
}

extension Stories {
  static let app = "ABCDE12345.com.example.app"

  /// A file in the old form, which every release reads.
  static func file(_ paths: [String]) -> String {
    let list = paths.map { "\"\($0)\"" }.joined(separator: ", ")
    return "{ applinks: { apps: [], details: [{ appID: \"\(app)\", paths: [\(list)] }] } }"
  }

  /// Plays a story of the app `app`, and of another one that claims nothing.
  static func run(
    sites: String, domains: String, build: String = "app-store", network: String = "", devices: String,
    switches: String = "", seed: UInt64 = 1, script: String
  ) throws -> SimulationResult {
    let story = try inline(
      """
      {
        start: "2026-09-14T08:00:00Z", sites: { \(sites) }, network: { \(network) }, switches: { \(switches) },
        apps: {
          app: { identifier: "\(app)", build: "\(build)", domains: [\(domains)] },
          other: { identifier: "ABCDE12345.com.example.other" },
        },
        devices: { \(devices) }, script: [\(script)],
      }
      """)
    return try Simulation.run(story, seed: seed)
  }

  /// `app through ENTRY`, or `browser STEP`.
  static func words(_ verdict: LinkVerdict) -> String {
    guard verdict.app != nil else { return "browser \(verdict.step.rawValue)" }
    return "app through \(verdict.domain?.canonicalText ?? "-")"
  }
}
