import AssociationCheck
import LinkspanCore
import Testing

/// What is advised where a value has another type than its key expects (6.2 to 6.4).
@Suite struct WrongTypeTests {
  static func help(_ text: String) -> [String] {
    AssociationChecker.findings(in: ReleaseRuleTests.source(text)).filter { $0.rule == "aasa.wrong-type" }
      .map { $0.help ?? "" }
  }

  static func entry(_ members: String) -> String {
    #"{"applinks":{"apps":[],"details":[{"appID":"\#(ReleaseRuleTests.app)",\#(members)}]}}"#
  }

  /// Only `applinks` has `details`; the other services list apps (J3).
  @Test(arguments: [
    (
      #"{"applinks":[]}"#,
      #"Write {"details": [{"appIDs": […], "components": […]}]}; as written, the service has no effect."#
    ),
    (
      #"{"applinks":null}"#,
      #"Write {"details": [{"appIDs": […], "components": […]}]}; as written, the service has no effect."#
    ),
    (
      #"{"applinks":[{"details":[]}]}"#,
      "Write the object without '[' and ']' around it; as written, the service has no effect."
    ),
    (#"{"webcredentials":[]}"#, #"Write {"apps": […]}; as written, the service has no effect."#),
    (#"{"appclips":"A.b"}"#, #"Write {"apps": […]}; as written, the service has no effect."#),
  ])
  func aServiceIsAnObjectWithItsOwnKeys(text: String, help: String) { #expect(Self.help(text) == [help]) }

  /// J10: an entry without rules may match every URL, whichever of the lists a device drops.
  @Test(arguments: [
    (
      #""paths":"/a/*""#,
      [#"Write ["…"]. If devices ignore it, the entry has no rules and may match every URL (J10)."#]
    ),
    (
      #""components":{"/":"/a"}"#,
      ["Write [{…}]. If devices ignore it, the entry has no rules and may match every URL (J10)."]
    ),
    (
      #""paths":"/a","components":[{"/":"/a"}]"#,
      [#"Write ["…"]. If devices ignore it, "components" decides."#]
    ),
    (#""paths":["/a"],"components":{"/":"/a"}"#, [#"Write [{…}]. If devices ignore it, "paths" decides."#]),
    (
      #""paths":"/a","components":"/a""#,
      [
        #"Write ["…"]. If devices ignore it, the entry has no rules and may match every URL (J10)."#,
        "Write [{…}]. If devices ignore it, the entry has no rules and may match every URL (J10).",
      ]
    ),
  ])
  func aListThatIsNoneMayLeaveNoRules(members: String, help: [String]) {
    #expect(Self.help(Self.entry(members)) == help)
  }
}
