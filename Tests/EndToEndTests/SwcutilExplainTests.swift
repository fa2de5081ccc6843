import Foundation
import TestSupport
import Testing

@Suite struct SwcutilExplainTests {
  static func path(_ name: String) -> String {
    Fixtures.root.appending(path: "Tests/Fixtures/device/\(name)").path
  }

  @Test func saysWhatIsWrongAndWhatToDo() throws {
    let outcome = try Tool().run(
      "swcutil", "explain", Self.path("swcutil_show.txt"), "-d", "www.example.com")
    #expect(outcome.status == 1)
    #expect(
      outcome.output == """
        applinks  ABCDE12345.com.example.app  www.example.com  not approved
          checked 2023-08-24T10:09:00.000Z, asks again 2023-08-29T10:00:00.000Z
          Apple's CDN has no usable copy of the file of 'www.example.com'.  [section 4, C6, observed]
            Run 'linkspan check www.example.com': it shows the responses of the host and the CDN. The CDN may cache the failure for up to an hour after the host is fixed.
          The device's next check is only at 2023-08-29T10:00:00.000Z.  [V1, V3, documented]
            Reinstall or update the app to check immediately.
        1 association, 0 in order; 0 log lines understood

        """)
  }

  @Test func aDeviceInOrderIsAYesAndAMissingAppANo() throws {
    let tool = try Tool()
    let show = """
      Service: applinks
      App ID: ABCDE12345.com.example.app
      Domain: example.com
      Site/Fmwk Approval: approved

      """
    let good = try tool.run("swcutil", "explain", "-", input: show)
    #expect(good.status == 0)
    #expect(
      good.output == """
        applinks  ABCDE12345.com.example.app  example.com  works
        1 association, 1 in order; 0 log lines understood

        """)
    let missing = try tool.run("swcutil", "explain", "-", "-a", "ABCDE12345.com.example.other", input: show)
    #expect(missing.status == 1)
    #expect(
      missing.output == """
          The device has no entry for ABCDE12345.com.example.other.  [E19, V1, observed]
            The app is not installed, or was signed without its associated domains: re-signing can replace them with '*'. Check the signed app's entitlements, then reinstall it.
        0 associations, 0 in order; 0 log lines understood

        """)
  }

  @Test func theReportIsOneDocument() throws {
    let tool = try Tool()
    let whole = try tool.run("swcutil", "explain", Self.path("swcutil_show.txt"), "--json").json()
    #expect(whole["type"] as? String == "device-state")
    let associations = try #require(whole["associations"] as? [[String: Any]])
    #expect(associations.count == 5)
    #expect(associations[1]["last_checked"] as? String == "2023-08-24T10:09:00.000Z")
    #expect(((associations[1]["error"] as? [String: Any])?["causes"] as? [[String: Any]])?.count == 1)
    let log = try tool.run("swcutil", "explain", Self.path("swcd.log"), "--json").json()
    #expect((log["log"] as? [[String: Any]])?.count == 7)
  }

  @Test func anotherFileIsNoAnswer() throws {
    let outcome = try Tool().run("swcutil", "explain", "-", input: "hello\n")
    #expect(outcome.status == 2)
    #expect(
      outcome.errors == """
        linkspan swcutil explain: error: '-' holds neither entries of 'swcutil show' nor lines of swcd's log.
          Take a sysdiagnose on the device and name the swcutil_show.txt in it.

        """)
  }
}
