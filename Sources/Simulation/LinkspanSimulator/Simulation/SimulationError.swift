/// Why a story has no result.
package struct SimulationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What went wrong, to switch on.
  package enum Kind: Hashable, Sendable {
    /// A party waits for something outside the simulation, such as a transport that does not block.
    case stalled
    case tooManyEvents(limit: Int)
  }

  package var kind: Kind

  package init(kind: Kind) { self.kind = kind }

  /// The reason and what to do, as one line.
  package var description: String {
    switch kind {
    case .stalled:
      "the story stalled: a party waits for something outside the simulation. A live transport must block "
        + "until it has its answer."
    case .tooManyEvents(let limit):
      "the story has more than \(limit) events. Shorten its waits, or use fewer devices."
    }
  }
}
