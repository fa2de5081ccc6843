import LinkspanCore
import LinkspanSimulator
import Testing

/// Steps about arrivals and screens on releases that do not have what they rehearse.
@Suite struct ArrivalStoryTests {
  /// `outcome: reason` of the step's expectation, on a device with the app.
  private func found(_ step: String, os: String) throws -> String? {
    let result = try Stories.run(
      sites: DeviceTests.site, domains: DeviceTests.domain, devices: "device: { os: \"\(os)\" }",
      script: "{ install: \"app\" }, { \(step) }")
    return result.checks.first?.actual
  }

  @Test(arguments: [
    ("universal-link", "ios:8.4", "iOS 8.4 has no universal links"),
    ("clip", "ios:13.7", "iOS 13.7 has no App Clips"),
    ("clip", "macos:14.4", "macOS 14.4 has no App Clips"), ("handoff", "ios:7.1", "device has no Handoff"),
    ("handoff", "watchos:10.0", "device has no Handoff"),
  ])
  func nothingArrivesByWhatTheReleaseLacks(entrance: String, os: String, reason: String) throws {
    let found = try found("arrive: \"\(entrance)\", app: \"app\", expect: \"once\"", os: os)
    #expect(found == "ended with nothing: \(reason)")
  }

  @Test(arguments: [
    ("universal-link", "ios:9.0"), ("clip", "ios:14.0"), ("handoff", "ios:8.0"), ("scheme", "ios:7.1"),
  ])
  func theFirstReleaseHasIt(entrance: String, os: String) throws {
    let found = try found("arrive: \"\(entrance)\", app: \"app\", expect: \"once\"", os: os)
    #expect(found == "ended with deliveries 1, handled 1, problem none")
  }

  @Test(arguments: [("macos:14.4", "macOS 14.4"), ("watchos:10.0", "watchOS 10.0")])
  func theSwitcherIsThatOfIOS(os: String, name: String) throws {
    let found = try found("screen: [\"home\", \"switcher\"], app: \"app\", expect: \"hidden\"", os: os)
    let reason = "the pictures of the switcher are known for iOS, and the device has \(name)"
    #expect(found == "ended with nothing: \(reason)")
  }
}
