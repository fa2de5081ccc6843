import AppClips
import LinkspanCore

/// App Clips, as a story writes them.
extension StoryWriter {
  func json(_ clip: Story.Clip) -> JSON {
    .object(
      [
        ("app", .string(story.apps[clip.app].name)), ("identifier", .string(clip.identifier)),
        ("domains", .array(clip.domains.map(JSON.string))), ("groups", .array(clip.groups.map(JSON.string))),
        ("experiences", clip.experienceDocument),
      ] + members(clip.continuity))
  }

  /// Without 'code' the clip would have its app's.
  private func members(_ clip: AppContinuity) -> [(String, JSON)] {
    let members = Self.members(clip)
    let isMissing = clip.routes != nil && !members.contains { $0.0 == "code" }
    return isMissing ? members + [("code", .object([]))] : members
  }

  func json(_ step: ClipStep) -> [(String, JSON)] {
    let place = on(step.devices)
    switch step {
    case .invoke(let invocation):
      return [("invoke", .string(story.clips[invocation.clip].name))]
        + (invocation.url.map { [("url", .string($0))] } ?? [])
        + [("from", .string(invocation.entrance.rawValue))]
        + (invocation.start.map { [("start", .string($0.rawValue))] } ?? []) + [place]
        + (invocation.expectations.isEmpty
          ? [] : [("expect", .array(invocation.expectations.map(json)))])
    case .save(let data): return [("save", .string(data.key))] + json(data) + [place]
    case .read(let data):
      return [("read", .string(data.key))] + json(data) + [place]
        + (data.isExpected.map { [("expect", .string($0 ? "found" : "missing"))] } ?? [])
    case .remove(let clips, _):
      return [("remove_clip", .array(clips.map { .string(story.clips[$0].name) })), place]
    }
  }

  private func json(_ data: ClipData) -> [(String, JSON)] {
    let name =
      switch data.owner {
      case .clip(let place): story.clips[place].name
      case .app(let place): story.apps[place].name
      }
    return [("by", .string(name)), ("in", .string(data.store.text))]
  }

  private func json(_ expectation: ClipExpectation) -> JSON {
    func text(_ text: String) -> JSON { .string(text.isEmpty ? "nothing" : text) }
    return .object(
      [("opens", .string(expectation.name))] + (expectation.received.map { [("receives", text($0))] } ?? [])
        + (expectation.card.map { [("card", text($0))] } ?? [])
        + (expectation.shows.map { [("shows", .string($0))] } ?? []) + [on(expectation.devices)])
  }
}
