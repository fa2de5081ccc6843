package import LinkspanCore
import LinkspanStories
package import PushDelivery

extension PushExpectation {
  func isHeld(by record: PushRecord, _ app: PushApp?) -> Bool {
    (fate == nil || fate == Fate(record.state)) && (reason == nil || reason == record.reason)
      && (isShown == nil || isShown == record.wasShown) && (badge == nil || badge == app?.badge)
      && (notification == nil || app?.notifications.contains { $0.text == notification } == true)
      && (content == nil || content == app?.contentAtOpen)
  }

  /// What is expected, so that it reads on after "expected ".
  var words: String {
    var words: [String] = []
    if let fate { words.append(fate.rawValue) }
    if let reason { words.append(reason.rawValue) }
    if let isShown { words.append(isShown ? "shown" : "not shown") }
    if let badge { words.append("badge \(badge)") }
    if let notification { words.append("the notification '\(notification)'") }
    if let content { words.append("the content \(Self.text(content)) at the first look") }
    return words.isEmpty ? "a push" : words.joined(separator: ", ")
  }

  static func text(_ content: [String: String]) -> String {
    "{" + content.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ") + "}"
  }
}

extension PushRecord {
  /// What happened, as far as the expectation asks, so that it reads on after "it ".
  func words(_ app: PushApp?, _ expectation: PushExpectation) -> String {
    var words = "was " + (PushExpectation.Fate(state)?.rawValue ?? state.rawValue)
    if state == .woke { words = "woke the app" }
    if let reason { words += " (\(reason.rawValue): \(reason.facts.sentence))" }
    if expectation.isShown != nil { words += wasShown ? ", shown" : ", not shown" }
    if expectation.badge != nil { words += ", badge \(app?.badge ?? 0)" }
    if expectation.notification != nil {
      let texts = app?.notifications.map { "'\($0.text)'" } ?? []
      words += ", notifications: \(texts.isEmpty ? "none" : texts.suffix(5).joined(separator: ", "))"
    }
    if expectation.content != nil {
      words += ", the content at the first look was \(PushExpectation.text(app?.contentAtOpen ?? [:]))"
    }
    return words
  }
}

extension PushDeviceChange {
  func apply(to conditions: inout DeviceConditions) {
    if let isOnline { conditions.isOnline = isOnline }
    if let power { conditions.power = power }
    if let isInUse { conditions.isInUse = isInUse }
    if let hasDebugger { conditions.hasDebugger = hasDebugger }
  }
}

extension SimulationResult {
  /// What came of one push on one device.
  package struct PushRow: Sendable {
    /// From 1, in the order they were sent.
    package var number: Int
    package var name: String
    /// What the story calls the app.
    package var app: String
    package var device: String
    package var record: PushRecord
  }
}

extension SimulationResult.PushRow {
  /// `{"type":"push",…}`
  package var json: JSON {
    .object(
      [
        ("type", .string("push")), ("push", .int(number)), ("name", .string(name)), ("app", .string(app)),
        ("device", .string(device)), ("fate", .string(fate)), ("shown", .bool(record.wasShown)),
        ("reason", .init(record.reason?.rawValue)), ("why", .init(record.reason?.facts.sentence)),
      ] + record.provenance.members + [("change", .init(record.reason?.facts.change))])
  }

  /// `woke`, `dropped` and the like; `stored` and `held` for one that still waits.
  package var fate: String { PushExpectation.Fate(record.state)?.rawValue ?? record.state.rawValue }
}
