internal import LinkspanCore
internal import LinkspanFiles
internal import LinkspanServer

/// What publishing has from the world around it. A simulation has others.
struct PublicationSurroundings {
  /// Where publications are kept; nil for the folder that the settings name.
  var place: (any StatePlace)?
  /// Reads what lies in the folders of hosts; nil for the sites of the settings.
  var candidates: (() throws(LinkspanError) -> [PublicationCandidate])?
  /// Reads a file of a signer; nil for those of this machine.
  var files: Files?
  /// The time of a simulation, which makes checks itself; nil for threads.
  var now: (@Sendable () -> WallTime)?

  typealias Files = @Sendable (_ path: String) throws(LinkspanError) -> [UInt8]

  /// - Parameter state: The folder that the settings name.
  func history(_ state: String?, count: Int) -> PublicationHistory? {
    if let place { return PublicationHistory(in: place, count: count) }
    return state.map { PublicationHistory(state: $0, count: count) }
  }
}
