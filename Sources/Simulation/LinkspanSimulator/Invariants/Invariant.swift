package import LinkspanCore

/// A property that must hold after every step of every story, whatever faults strike. One that does not hold is a bug
/// in the simulator.
package struct Invariant: Sendable, HasProvenance {
  package var name: String
  /// The property in one sentence, with its full stop.
  package var sentence: String
  /// The rules that it follows from.
  package var rules: [String]
  /// That of the least certain of them.
  package var certainty: Certainty
  /// Makes a watcher for one run, which sees its steps in order.
  let watcher: @Sendable () -> any InvariantWatcher

  init(
    _ name: String, _ sentence: String, rules: [String], _ certainty: Certainty,
    watcher: @escaping @Sendable () -> any InvariantWatcher
  ) {
    self.name = name
    self.sentence = sentence
    self.rules = rules
    self.certainty = certainty
    self.watcher = watcher
  }

  /// One that remembers nothing from step to step.
  init(
    _ name: String, _ sentence: String, rules: [String], _ certainty: Certainty,
    check: @escaping @Sendable (StepRecord) -> [String]
  ) {
    self.init(name, sentence, rules: rules, certainty) { Stateless(check: check) }
  }

  private struct Stateless: InvariantWatcher {
    let check: @Sendable (StepRecord) -> [String]

    mutating func problems(_ step: StepRecord) -> [String] { check(step) }
  }

  /// In the order of the documentation.
  package static let all = links + fetches + records + checks + pushes + continuity
}

/// Checks the steps of one run in order.
protocol InvariantWatcher: Sendable {
  /// What does not hold after this step: one clause each, without capital letter and full stop.
  mutating func problems(_ step: StepRecord) -> [String]
}

/// An invariant that did not hold, with the step after which that was seen.
package struct Violation: Sendable {
  package var invariant: Invariant
  /// The step after which it was seen, from 0.
  package var step: Int
  package var location: Finding.Location
  package var detail: String
}

extension Violation {
  package var finding: Finding {
    Finding(
      rule: "invariant." + invariant.name, severity: .error, at: location,
      message: "after step \(step + 1): \(detail).",
      help: "\(invariant.sentence) [\(invariant.provenance.text)]. "
        + "This is a bug in the simulator, not in the story.")
  }

  /// `{"type":"invariant",…}`
  package var json: JSON {
    .object(
      [
        ("type", .string("invariant")), ("name", .string(invariant.name)), ("held", .bool(false)),
        ("sentence", .string(invariant.sentence)),
      ] + invariant.provenance.members + [
        ("step", .int(step + 1)),
        ("detail", .string(detail)), ("file", .string(location.file)), ("line", .init(location.start?.line)),
      ])
  }
}
