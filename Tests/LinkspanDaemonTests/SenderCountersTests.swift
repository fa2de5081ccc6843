import LinkspanCore
import LinkspanServer
import PushProvider
import PushTerms
import Testing

@testable import PushSending

/// What operators see of senders.
@Suite struct SenderCountersTests {
  /// What a sender does where nothing is set.
  @Test func aSenderHasItsDefaults() {
    let settings = SenderSettings(keys: [])
    #expect(settings.connections == 1 && settings.leaseSeconds == 20 && settings.retrySeconds == 900)
  }

  /// With one key the outages of all keys are its own.
  @Test func outagesOfAKeyAreToldWhereThereAreSeveral() throws {
    let counters = SenderCounters(uptime: { .seconds(100) })
    let keys = try ["A1B2C3D4E5", "K6L7M8N9P0"].map { try ProviderKeyIdentity(team: "F6G7H8I9J0", key: $0) }
    func hasFamily() -> Bool {
      var page = MetricsPage()
      counters.write(to: &page)
      return String(decoding: page.bytes, as: UTF8.self).contains("linkspan_push_key_outage{")
    }
    #expect(!hasFamily())
    counters.show(underWay: 0, nil, of: keys[0], .production)
    #expect(!hasFamily())
    counters.show(underWay: 0, nil, of: keys[1], .production)
    #expect(hasFamily())
    counters.forget(keys[1], .production)
    #expect(!hasFamily())
  }

  /// A sender that is stuck counts nothing and tells nothing, so that its silence has to show.
  @Test func aStuckSenderShows() throws {
    let clock = LockedState(Duration.seconds(100))
    let counters = SenderCounters(uptime: { clock.withLock { $0 } })
    let key = try ProviderKeyIdentity(team: "F6G7H8I9J0", key: "A1B2C3D4E5")
    func page() -> String {
      var page = MetricsPage()
      counters.write(to: &page)
      return String(decoding: page.bytes, as: UTF8.self)
    }
    counters.show(lag: .milliseconds(20))
    #expect(!page().contains("linkspan_push_turn_age_seconds{"))
    counters.show(underWay: 0, nil, of: key, .production)
    clock.withLock { $0 += .seconds(60) }
    #expect(counters.problem == nil)
    #expect(page().contains("linkspan_push_turn_age_seconds{environment=\"production\"} 60\n"))
    #expect(page().contains("linkspan_push_lag_seconds 0.020\n"), "\(page())")
    clock.withLock { $0 += .milliseconds(1_500) }
    #expect(
      counters.problem == "The sender to APNs (production) has been stuck for 61 s, so nothing goes out.")
    #expect(page().contains("linkspan_push_lag_seconds 61.500\n"), "\(page())")
    counters.show(underWay: 0, nil, of: key, .production)
    #expect(counters.problem == nil)
    counters.forget(key, .production)
    #expect(!page().contains("linkspan_push_turn_age_seconds{"))
  }
}
