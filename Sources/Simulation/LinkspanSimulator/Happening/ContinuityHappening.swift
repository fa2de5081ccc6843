package import AppLifecycle
package import Handoff
package import LinkspanCore
internal import SimulatedDevices

/// What happened about activities, arrivals and screens.
package struct ContinuityHappening: Happening {
  /// What the story calls the code that it is about.
  package enum Program: Hashable, Sendable {
    case app(String)
    case clip(String)
  }

  package enum What: Sendable {
    case arrived(Entrance, isCold: Bool, LifeCycle)
    case callback(Called)
    /// Code did something, such as `handled`.
    case did(String, detail: String? = nil)
    case screen(ScreenEvent)
    /// Something can be seen in a place.
    case visible(ScreenStep.Content, at: ScreenStep.Place)
    /// The system took the picture that the switcher shows later.
    case snapshot(ScreenStep.Content)
    case warning(String)
    case offered(HandoffOffer.Outcome, obstacles: [String])
    case advertised(type: String, ActivityHash, data: [UInt8])
    /// nil for a frame that could not be read.
    case heard(ActivityHash?)
    case streamed(bytes: Int)
    case failed(ContinuationError)
  }

  /// A function of the app that the system, or the sender's activity, calls.
  package struct Called: Sendable {
    /// As its declaration is written.
    package var name: String
    /// What it brings.
    package var carries: String?
    /// Whether a cover is put on or taken off in it.
    package var cover: Bool?
  }

  /// nil for the system.
  package var program: Program?
  package var what: What

  package var kind: String {
    switch what {
    case .arrived: "arrive"
    case .callback: "callback"
    case .did: "app"
    case .screen: "screen"
    case .visible: "visible"
    case .snapshot: "snapshot"
    case .warning: "warning"
    case .offered: "offer"
    case .advertised: "advertise"
    case .heard: "hear"
    case .streamed: "stream"
    case .failed: "error"
    }
  }

  package var fields: [(String, JSON)] {
    let name: [(String, JSON)] =
      switch program {
      case .app(let name)?: [("app", .string(name))]
      case .clip(let name)?: [("clip", .string(name))]
      case nil: []
      }
    return name + what.fields
  }
}

extension ContinuityHappening.What {
  fileprivate var fields: [(String, JSON)] {
    switch self {
    case .arrived(let entrance, let isCold, let lifeCycle):
      [
        ("entrance", .string(entrance.rawValue)), ("start", .string(isCold ? "cold" : "warm")),
        ("life_cycle", .string(lifeCycle.rawValue)),
      ]
    case .callback(let called):
      [("name", .string(called.name))] + (called.carries.map { [("carries", .string($0))] } ?? [])
        + (called.cover.map { [("cover", .string($0 ? "on" : "off"))] } ?? [])
    case .did(let what, let detail):
      [("what", .string(what))] + (detail.map { [("detail", .string($0))] } ?? [])
    case .screen(let event): [("event", .string(event.rawValue))]
    case .visible(let content, let place):
      [("at", .string(place.rawValue)), ("content", .string(content.rawValue))]
    case .snapshot(let content): [("content", .string(content.rawValue))]
    case .warning(let what): [("what", .string(what))]
    case .offered(let outcome, let obstacles):
      outcome.fields + [("obstacles", .array(obstacles.map(JSON.string)))]
    case .advertised(let type, let hash, let data):
      [
        ("activity_type", .string(type)), ("hash", .string(hash.description)),
        ("data", .string(ASCII.hexText(data))),
      ]
    case .heard(let hash): [("hash", .init(hash?.description))]
    case .streamed(let bytes): [("bytes", .int(bytes))]
    case .failed(let error): [("code", .int(error.rawValue)), ("name", .string(error.name))]
    }
  }
}

extension HandoffOffer.Outcome {
  fileprivate var fields: [(String, JSON)] {
    switch self {
    case .nothing: [("opens", .string("nothing")), ("via", .null)]
    case .browser: [("opens", .string("browser")), ("via", .string("webpageURL"))]
    case .app(let identifier, let via): [("opens", .string(identifier)), ("via", .string(via))]
    }
  }
}
