internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanFiles
internal import LinkspanSimulator
import LinkspanStories
import SimulatedDevices

/// A story that a person named, and the device and the moment in it that they mean.
struct StoryFile {
  let path: String
  let story: Story

  /// - Throws: When it is no story; what is wrong with it is told before.
  init(_ path: String, _ console: Console) throws(LinkspanError) {
    try self.init(path, console) { findings in
      for finding in findings { console.note(finding.text()) }
    }
  }

  /// - Parameter tell: Called with what is wrong with it, warnings of a story that can be played included.
  /// - Throws: When it is no story.
  init(_ path: String, _ console: Console, tell: ([Finding]) -> Void) throws(LinkspanError) {
    self.path = path
    switch StoryParser.parse(try FileReader.read(path), reader: .files(beside: path)) {
    case .story(let read):
      story = read
      if !read.warnings.isEmpty { tell(read.warnings) }
      for assumption in read.assumptions { console.note("\(path): \(assumption).") }
    case .findings(let findings):
      tell(findings)
      throw LinkspanError("'\(path)' is not a valid story; see the errors above.")
    }
  }

  /// The place of a device.
  func device(_ name: String) throws(LinkspanError) -> Int {
    if let place = story.devices.firstIndex(where: { $0.name == name }) { return place }
    let near = Arguments.nearest(to: name, among: story.devices.map(\.name))
    throw LinkspanError(
      "the story '\(path)' has no device '\(name)'." + (near.map { " Did you mean '\($0)'?" } ?? ""),
      help: "It has " + story.devices.prefix(12).map(\.name).joined(separator: ", ") + ".")
  }

  /// - Returns: After how many steps of the script, or nil for its end.
  func moment(_ text: String?) throws(LinkspanError) -> Int? {
    guard let text, text != "end" else { return nil }
    if let steps = Int(text), (0...story.script.count).contains(steps) { return steps }
    throw LinkspanError(
      "'\(text)' is not a moment of the story '\(path)'.",
      help: "Write 'end', or after how many steps: a number from 0 to \(story.script.count).")
  }
}
