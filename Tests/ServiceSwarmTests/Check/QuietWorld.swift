import LinkspanCore

@testable import ServiceSwarm
@testable import SimulatedStores

/// A world in which nothing has happened yet, and no step will.
enum QuietWorld {
  static func make(servers: Int = 1, shares: Bool = false, store: ServiceStory.Store = .sqlite)
    -> ServiceWorld
  {
    var story = ServiceStory(seed: 1)
    (story.store, story.serverCount, story.sharesSites, story.entries) = (store, servers, shares, [])
    return ServiceWorld(story, ServicePlayTests.key)
  }

  /// What a new one says of something that happens to it.
  static func violation(
    store: ServiceStory.Store = .sqlite, _ happening: (ServiceWorld) -> Void
  ) -> ServiceInvariant? {
    let world = make(store: store)
    happening(world)
    return world.violation?.invariant
  }

  static func json(_ text: String) -> JSONNode? { JSONParser.parse(Array(text.utf8)).root }

  static func flight(_ subject: Flight.Subject, sentAt: Int64 = 0) -> Flight {
    Flight(
      request: HTTPRequest(authority: "registry", target: "/"), subject: subject, server: 0, credential: 0,
      sentAt: sentAt, process: 1)
  }
}
