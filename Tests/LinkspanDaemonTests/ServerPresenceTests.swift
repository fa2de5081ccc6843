import LinkspanCore
import LinkspanFiles
import TestSupport
import Testing

@testable import LinkspanDaemon

/// Two servers on one state: the second one says so, and leaves orders to the first.
@Suite struct ServerPresenceTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder(inMemory: true) }

  @Test func theSecondServerIsToldAndTakesNoOrders() throws {
    let state = folder.path("state")
    var first: OrderFiles? = try OrderFiles(state: state)
    let second = try OrderFiles(state: state)
    #expect(first?.presence.isAlone == true && !second.presence.isAlone)
    #expect(second.presence.words.hasPrefix("another server has the state '\(state)'"))
    try folder.write(#"{"order":"release","hosts":["a.example"]}"#, to: "state/orders/1.order")
    #expect(second.take().isEmpty)
    #expect(first?.take().count == 1)
    first = nil
    #expect(second.presence.isAlone)
    try folder.write(#"{"order":"release","hosts":["a.example"]}"#, to: "state/orders/2.order")
    #expect(second.take().count == 1)
  }

  @Test func whatCannotBeToldIsNoProblem() { #expect(ServerPresence(-1, "").isAlone) }
}
