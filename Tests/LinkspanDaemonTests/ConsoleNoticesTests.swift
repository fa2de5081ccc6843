import LinkspanConsole
import LinkspanCore
import Testing

@testable import LinkspanDaemon

/// What every page of the console says beside the hosts.
@Suite struct ConsoleNoticesTests {
  private static let now = WallTime("2026-09-14T08:00:00Z")!

  @Test func aCertificateThatHasExpiredDoesNotExpire() {
    let (past, future) = (Self.now.advanced(by: .seconds(-1)), Self.now.advanced(by: .seconds(1)))
    let (expired, expires) = (
      ServeRun.warning(ofEnd: past, at: Self.now), ServeRun.warning(ofEnd: future, at: Self.now)
    )
    #expect(expired.hasPrefix("a certificate expired at \(past), so devices refuse"))
    #expect(expires.hasPrefix("warning: a certificate expires at \(future); renew it"))
  }

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
