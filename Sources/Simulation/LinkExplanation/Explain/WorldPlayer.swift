import AppSiteAssociation
package import LinkspanCore
package import LinkspanSimulator
import LinkspanStories
import SimulatedDevices

/// Plays the worlds of one explanation. They share the files that were read and one budget, so a file is compiled once
/// however many changes are tried.
package struct WorldPlayer: Sendable {
  /// What is left for further worlds.
  package private(set) var work: WorkBudget
  private let files = AssociationCache(limitBytes: Self.limitBytes)

  /// Ours: four of the largest files, and the four before them; compiled, each takes up to 10 MB.
  private static let limitBytes = 512 << 10
  // Measured.
  private static let costOfWorld = 20_000
  private static let costOfEvent = 2_000

  package init(_ work: WorkBudget = .answer) { self.work = work }

  /// How many files were compiled.
  package var readCount: Int {
    get async { await files.readCount }
  }

  /// Charges for what is done beside playing.
  ///
  /// - Returns: false when nothing is left.
  mutating func spend(_ steps: Int) -> Bool { work.spend(steps) }

  /// The same for something that counts its own steps, of which it may make so many.
  mutating func spending<Result>(_ steps: Int, _ body: (inout WorkBudget) -> Result) -> Result {
    var ranOut = false
    let result = work.withShare(of: steps) { share in
      let result = body(&share)
      ranOut = share.isExhausted
      return result
    }
    hasLeftOut = hasLeftOut || ranOut
    return result
  }

  /// Whether a part of the work ended at its share.
  private(set) var hasLeftOut = false

  /// Whether another world may be played.
  var hasWorkLeft: Bool { !work.isExhausted }

  /// Plays a world, charges for it, and answers its question.
  package mutating func play(_ situation: Situation) throws(SimulationError) -> LinkExplanation {
    let played = try Simulation.explain(
      situation.story, link: situation.url, way: situation.way, device: situation.device, files: files,
      steps: min(WorkLimits.decision, max(0, work.steps)))
    _ = work.spend(Self.costOfWorld + played.eventCount * Self.costOfEvent + played.spentSteps)
    return played.explanation
  }
}
