internal import LinkspanCommand
internal import LinkspanCore
import LinkspanSimulator
import SimulatedDevices

extension SimulationResult {
  /// Each event on its line, with the rules it rests on; what `--events` prints.
  var eventLines: String {
    events.map { $0.line.onOneLine + ($0.provenance.map { "  [\($0.text)]" } ?? "") + "\n" }.joined()
  }
}

extension TimelinePage {
  /// Writes what `--html` asks for.
  ///
  /// - Throws: When there are too many events to draw, and when the page cannot be written.
  static func write(
    _ stories: [TimelineStory], to place: OutputPlace, _ console: Console
  ) throws(LinkspanError) {
    let bytes: [UInt8]
    do throws(TimelinePage.TooManyEvents) {
      bytes = try html(stories)
    } catch {
      throw LinkspanError("\(error)", help: "Let fewer devices take part, or play fewer stories at once.")
    }
    try place.write(bytes, console)
  }
}
