internal import AppLifecycle
package import LinkspanCore
import SimulatedDevices

/// Which callbacks bring the link into an app that opens, for one life cycle and start.
package struct ArrivalNote: Hashable, Sendable {
  /// `scene, cold`
  package var head: String
  /// The callbacks, or the options of the start, in order; none where nothing brings it.
  package var doors: [String]
  package var certainty: Certainty
  package var json: JSON

  package static func == (left: Self, right: Self) -> Bool { left.json.bytes == right.json.bytes }

  package func hash(into hasher: inout Hasher) { hasher.combine(json.bytes) }
}

extension Explanation {
  /// How the link arrives in the app; empty where no app opens.
  package var arrivals: [ArrivalNote] {
    guard chain.verdict.app != nil else { return [] }
    return LifeCycle.allCases.flatMap { lifeCycle in
      [true, false].map { isCold in note(AppShape(lifeCycle), isCold: isCold) }
    }
  }

  /// Whether the way has its own manner of arriving, which a reader of the text should see.
  package var hasOwnArrival: Bool {
    switch way {
    case .handoff, .spotlight, .clipCard, .qrCode, .nfcTag, .smartBanner: true
    default: false
    }
  }

  private func note(_ shape: AppShape, isCold: Bool) -> ArrivalNote {
    let arrival = Arrival.rehearsed(entrance, isCold: isCold, in: shape, code: .naive)
    let start = isCold ? "cold" : "warm"
    return ArrivalNote(
      head: "\(shape.lifeCycle.rawValue), \(start)", doors: arrival.doors, certainty: arrival.certainty,
      json: .object([
        ("life_cycle", .string(shape.lifeCycle.rawValue)), ("start", .string(start)),
        ("entrance", .string(entrance.rawValue)), ("deliveries", .array(arrival.doors.map(JSON.string))),
        ("steps", .array(arrival.steps.filter { $0.isOfSystem }.map { $0.json })),
        ("rules", .array([.string("LC1")])),
        ("certainty", .string(arrival.certainty.rawValue)),
      ]))
  }

  /// A web result of Spotlight is a universal link; only results of the app's own have Spotlight's type.
  private var entrance: Entrance {
    switch way {
    case .handoff: .handoff
    case .clipCard: .clip
    default: .universalLink
    }
  }
}
