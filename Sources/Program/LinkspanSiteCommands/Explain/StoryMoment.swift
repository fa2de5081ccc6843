import LinkExplanation
internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanSimulator
import LinkspanStories
import SimulatedDevices

/// The moment of a story at which a link is explained, and the device.
struct StoryMoment {
  let story: Story
  private let device: Int
  private let way: WayOfFollowing
  /// How many steps of the script come before it; nil for all.
  private let steps: Int?
  /// Where in the story it is.
  let remark: String

  init(_ path: String, _ arguments: Arguments, link: String, _ console: Console) throws(LinkspanError) {
    let file = try StoryFile(path, console)
    var story = file.story
    if let seed: UInt64 = try arguments.number("--seed", atLeast: 0) { story.seed = seed }
    self.story = story
    guard !story.devices.isEmpty else { throw LinkspanError("the story '\(file.path)' has no device.") }
    let result: SimulationResult
    do throws(SimulationError) {
      result = try Simulation.run(story)
    } catch {
      throw LinkspanError("'\(file.path)': \(error)")
    }
    var named: Int?
    if let name = arguments.value("--device") { named = try file.device(name) }
    let asked = try file.moment(arguments.value("--at"))
    let isAsked = arguments.has("--at")
    let taps = result.taps.filter { tap in
      tap.row.link == link && (named.map { story.devices[$0].name == tap.row.device.name } ?? true)
        && (!isAsked || tap.step < asked ?? Int.max)
    }
    let decisive = taps.last { $0.row.verdict.app == nil } ?? taps.last
    device =
      named ?? decisive.flatMap { tap in story.devices.firstIndex { $0.name == tap.row.device.name } } ?? 0
    way = decisive?.row.way ?? .messages
    steps = isAsked ? asked : decisive?.row.verdict.app == nil ? decisive.map { $0.step + 1 } : nil
    let count = story.script.count
    var remark = "\(file.path), device \(story.devices[device].name), "
    remark += steps.map { "after step \($0) of \(count)" } ?? "at the end"
    if !isAsked, steps != nil { remark += ", the last time it opened no app; '--at end' asks at the end" }
    self.remark = remark
  }

  /// The question at that moment.
  ///
  /// - Parameter way: nil follows the link as the story does there.
  func situation(link: String, way: WayOfFollowing?) -> Situation {
    Situation(story, device: device, link: link, way: way ?? self.way, after: steps)
  }
}
