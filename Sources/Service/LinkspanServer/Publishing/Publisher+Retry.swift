internal import LinkspanCore

/// Good files that could not be kept: on a disk that was full, or in a registry that did not answer.
extension Publisher {
  /// Whether there are any.
  package var isHindered: Bool { !hindered.isEmpty }

  /// What became of their hosts, sorted.
  package var hinderedOutcomes: [PublicationOutcome] { hindered.keys.sorted().compactMap { refusals[$0] } }

  /// Has them checked again: those of one host, of another one each time, or of all.
  package mutating func retry(all: Bool) -> [Step] {
    let keys = hindered.keys.sorted()
    guard let next = keys.first(where: { $0 > lastRetried }) ?? keys.first else { return [] }
    lastRetried = next
    return (all ? keys : [next]).compactMap { key in
      hindered.removeValue(forKey: key).flatMap { check($0) }
    }
  }
}
