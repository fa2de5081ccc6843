import LinkspanCore
import SimulatedDevices

/// What goes wrong by chance.
extension StoryParser {
  private static let faultExample = "faults: { loss: [1, 20] }"

  mutating func faults(_ node: JSONNode) -> FaultOptions {
    var faults = FaultOptions()
    let knobs = FaultOptions.knobs
    let keys = knobs.map(\.name) + ["clock_drift_ppm"]
    for member in context.members(node, "faults", keys: keys, example: Self.faultExample) ?? [] {
      if let knob = knobs.first(where: { $0.name == member.name }) {
        faults[keyPath: knob.path] = likelihood(member.value, member.name) ?? .never
      } else if member.name == "clock_drift_ppm" {
        faults.clockDrift_ppm = Int64(context.int(member.value, member.name, in: 0...100_000) ?? 0)
      }
    }
    return faults
  }

  private mutating func likelihood(_ node: JSONNode, _ name: String) -> Likelihood? {
    for end in node.array ?? [] { context.expects(.integer(0...Int(Likelihood.largest)), at: end.range) }
    let numbers = (node.array ?? []).compactMap(\.int)
    guard node.array?.count == 2, numbers.count == 2, (1...Likelihood.largest).contains(numbers[1]),
      (0...numbers[1]).contains(numbers[0])
    else {
      context.report(
        "likelihood", node, "'\(name)' is not a likelihood.",
        "Write [occurrences, trials], as in \(name): [1, 20]; each at most \(Likelihood.largest).")
      return nil
    }
    return Likelihood(Int64(numbers[0]), in: Int64(numbers[1]))
  }
}
