import LinkspanConsole
import LinkspanCore
import Testing

@testable import LinkspanDaemon

/// What every page of the console says beside the hosts.
@Suite struct ConsoleNoticesTests {
  private static let now = WallTime("2026-09-14T08:00:00Z")!

  private static func notices(_ registryProblem: String?) -> [String] {
    ServeRun.notices(OperatorState.Snapshot(), "/nothing", registryProblem, at: now).map(\.text)
  }

  /// A form would wait for the lock, and nothing on the page would say why.
  @Test func aRegistryThatTakesNoChangesIsAmongThem() {
    #expect(
      Self.notices("Another process keeps it locked.") == [
        "The registry takes no changes: Another process keeps it locked."
      ])
    #expect(Self.notices(nil).isEmpty)
  }
}
