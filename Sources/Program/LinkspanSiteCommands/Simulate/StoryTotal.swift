internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanSimulator

/// What came of several stories together.
struct StoryTotal {
  private var stories = 0
  private var failedStories = 0
  private var held = 0
  private var failed = 0
  private var events = 0
  /// Stories that could not be run.
  var unplayed = 0

  mutating func add(_ result: SimulationResult) {
    stories += 1
    if !result.allHeld { failedStories += 1 }
    held += result.checks.count - result.failures.count
    failed += result.failures.count
    events += result.events.count
  }

  var status: ExitStatus { unplayed > 0 ? .failed : failedStories > 0 ? .no : .yes }

  var text: String {
    var text = "\(stories) \(stories == 1 ? "story" : "stories"), "
    text += failedStories == 0 ? "all held" : "\(failedStories) failed"
    if unplayed > 0 { text += ", \(unplayed) could not be run" }
    return text + ": \(held) of \(held + failed) expectations held, \(events.counted("event"))"
  }

  /// `{"type":"total",…}`, the last line of the stream.
  var json: JSON {
    .object([
      ("type", .string("total")), ("stories", .int(stories)), ("failed_stories", .int(failedStories)),
      ("unplayed_stories", .int(unplayed)),
      ("expectations", .object([("held", .int(held)), ("failed", .int(failed))])), ("events", .int(events)),
    ])
  }
}
