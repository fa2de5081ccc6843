internal import LinkExplanation
internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanStories
internal import SimulatedDevices
internal import SiteInput

/// A moment of a story, which the module does not read.
struct StoryMoment {
  let story: Story
  let remark: String

  init(_ path: String, _ arguments: Arguments, link: String, _ console: Console) throws(LinkspanError) {
    throw .notInModule("'--story'")
  }

  func situation(link: String, way: WayOfFollowing?) -> Situation {
    Situation(story, device: 0, link: link, way: way ?? .messages)
  }
}
