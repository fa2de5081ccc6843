import LinkspanCore
import PushDelivery
internal import PushProvider
internal import PushTerms

/// What a story says about pushes.
extension StoryWriter {
  static func members(_ push: AppPush?) -> [(String, JSON)] {
    guard let push else { return [] }
    var members: [(String, JSON)] = [
      ("environment", .string(push.environment?.entitlement ?? "none")),
      ("modes", .array(push.modes.map(JSON.string))),
    ]
    if push.plan != HandlerPlan() { members.append(("handler", json(push.plan))) }
    if push.permission != .authorized {
      members.append(("notifications", .string(push.permission.rawValue)))
    }
    if let interval = push.fetchInterval {
      let text = interval == .zero ? "minimum" : StoryDuration.text(interval)
      members.append(("fetch", .string(text)))
    }
    if let plan = push.fetchPlan { members.append(("fetch_handler", json(plan))) }
    if let service = push.service {
      let takes = service.duration_ms.map { StoryDuration.text(.milliseconds($0)) } ?? "forever"
      members.append(
        ("service_extension", .object([("takes", .string(takes)), ("text", .string(service.text))])))
    }
    return [("push", .object(members))]
  }

  private static func json(_ plan: HandlerPlan) -> JSON {
    let takes = plan.duration_ms.map { StoryDuration.text(.milliseconds($0)) } ?? "forever"
    var members: [(String, JSON)] = [("takes", .string(takes)), ("result", .string(plan.result.rawValue))]
    if let badge = plan.badge { members.append(("badge", .int(badge))) }
    if let text = plan.notification { members.append(("notification", .string(text))) }
    return .object(members)
  }

  func members(_ step: PushStep) -> [(String, JSON)] {
    switch step {
    case .send(let sending): members(sending)
    case .app(let change): members(change)
    case .device(let change): members(change)
    case .expect(let expectations): [("expect_push", .array(expectations.map(json)))]
    }
  }

  private func members(_ sending: PushSending) -> [(String, JSON)] {
    let push = sending.push
    var members: [(String, JSON)] = [
      ("push", sending.payload), ("app", .string(story.apps[sending.app].name)),
      ("type", .string(push.kind.rawValue)), ("priority", .int(push.priority.rawValue)),
      ("server", .string(push.server.rawValue)), on(sending.devices),
    ]
    if let lifetime = sending.lifetime {
      members.append(("expires", lifetime == .zero ? .int(0) : .string(StoryDuration.text(lifetime))))
    }
    if let collapse = push.collapseIdentifier { members.append(("collapse", .string(collapse))) }
    if let topic = push.topic { members.append(("topic", .string(topic))) }
    if !sending.expectations.isEmpty {
      members.append(("expect", .array(sending.expectations.map(json))))
    }
    return members
  }

  private func members(_ change: PushAppChange) -> [(String, JSON)] {
    var members: [(String, JSON)] = [
      ("app_state", .string(story.apps[change.app].name)), on(change.devices),
    ]
    if let life = change.life { members.append(("to", .string(life.rawValue))) }
    if change.tapsNotification { members.append(("taps_notification", .bool(true))) }
    if let permission = change.permission { members.append(("notifications", .string(permission.rawValue))) }
    if let allows = change.allowsBackgroundRefresh { members.append(("background_refresh", .bool(allows))) }
    if let plan = change.plan { members.append(("handler", Self.json(plan))) }
    return members
  }

  private func members(_ change: PushDeviceChange) -> [(String, JSON)] {
    var state: [(String, JSON)] = []
    if let isOnline = change.isOnline { state.append(("online", .bool(isOnline))) }
    if let power = change.power { state.append(("power", .string(power.rawValue))) }
    if let isInUse = change.isInUse { state.append(("in_use", .bool(isInUse))) }
    if let hasDebugger = change.hasDebugger { state.append(("debugger", .bool(hasDebugger))) }
    return [("device_state", .object(state)), on(change.devices)]
  }

  private func json(_ expectation: PushExpectation) -> JSON {
    var members: [(String, JSON)] = [
      ("app", .string(story.apps[expectation.app].name)), on(expectation.devices),
    ]
    if let fate = expectation.fate { members.append(("fate", .string(fate.rawValue))) }
    if let reason = expectation.reason { members.append(("reason", .string(reason.rawValue))) }
    if let isShown = expectation.isShown { members.append(("shown", .bool(isShown))) }
    if let badge = expectation.badge { members.append(("badge", .int(badge))) }
    if let text = expectation.notification { members.append(("notification", .string(text))) }
    if let content = expectation.content {
      let values = content.sorted { $0.key < $1.key }.map { name, text in
        (name, JSONParser.parse(Array(text.utf8)).root?.json ?? .null)
      }
      members.append(("content", .object(values)))
    }
    return .object(members)
  }
}
