internal import AppSiteAssociation
internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanSimulator
import LinkspanStories
import SimulatedDevices

extension Command {
  static let swcutilShow = Command(
    name: "swcutil show", summary: "The state of a simulated device, as Apple's tool prints a device's own",
    operands: "",
    discussion: """
      Runs a story up to a moment and prints what one of its devices has stored, in the form of 'swcutil show' and of
      swcutil_show.txt in a sysdiagnose; 'linkspan swcutil explain' reads it. The banners, keys and dates are the
      published ones; those under NETWORK and MEMORY USAGE are not, and a simulated device has no figures for them.
      """,
    flags: [
      Flag("--story", "STORY", "The story to run"),
      Flag("--device", "NAME", "The device, if the story has several"),
      Flag("--at", "MOMENT", "After this many steps of the script, or 'end' (end)"),
      Flag("--seed", "NUMBER", "The seed to use instead of the story's own"),
    ],
    examples: ["linkspan swcutil show --story Examples/stories/qa-behind-a-filter.json5 --device new --at 4"]
  ) { arguments, console throws(LinkspanError) in
    try arguments.expectOperands(0...0)
    guard let path = arguments.value("--story") else { throw arguments.usage("'--story' is missing") }
    let file = try StoryFile(path, console)
    var story = file.story
    if let steps = try file.moment(arguments.value("--at")) {
      story.script = Array(story.script.prefix(steps))
    }
    let place: Int
    if let name = arguments.value("--device") {
      place = try file.device(name)
    } else {
      guard story.devices.count == 1 else {
        throw arguments.usage("'--device' is missing: the story has \(story.devices.count) devices")
      }
      place = 0
    }
    let seed: UInt64? = try arguments.number("--seed", atLeast: 0)
    let result: SimulationResult
    do throws(SimulationError) {
      result = try Simulation.run(story, seed: seed)
    } catch {
      throw LinkspanError("'\(path)': \(error)")
    }
    let state = result.states[place]
    let listing = DeviceListing(state.device, state.records, start: story.start, elapsed: result.elapsed)
    if arguments.has("--json") {
      console.print(
        .object([
          ("type", .string("swcutil-show")), ("device", .string(state.device.name)),
          ("os", .string(state.device.os.description)), ("text", .string(listing.text)),
        ]))
    } else {
      console.printUnbroken(listing.text)
    }
    return .yes
  }
}
