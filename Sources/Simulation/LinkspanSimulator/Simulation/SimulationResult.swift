import AppSiteAssociation
internal import AssociatedDomains
package import LinkspanCore
package import SimulatedDevices

/// What a simulation did.
package struct SimulationResult: Sendable {
  /// The last verdict about one link on one device.
  package struct Row: Sendable {
    package var link: String
    package var device: DeviceTraits
    package var way: WayOfFollowing
    package var verdict: LinkVerdict
    /// What the story calls the app that opens, else its identifier; nil for the browser.
    package var appName: String?

    /// The link without user information, as it is shown.
    package var shownLink: String { link.withoutUserInformation }

    package var followed: FollowedLink { FollowedLink(link: link, way: way) }
  }

  /// A link as it is followed: a tap on a page of its own host is another one than a tap on a page of another host.
  package struct FollowedLink: Hashable, Sendable {
    package var link: String
    package var way: WayOfFollowing
  }

  /// One tap of one link on one device.
  package struct Tap: Sendable {
    /// The place of its step in the script, from 0.
    package var step: Int
    /// Virtual time since the story began.
    package var time: Duration
    package var row: Row
  }

  /// One expectation on one link and device.
  package struct Check: Sendable {
    package var link: String
    package var device: String
    /// `opens shop by rule 0/1`
    package var expected: String
    /// What the link did instead, with the reason; "was not tapped" when it was never followed.
    package var actual: String
    package var isHeld: Bool
    /// What would make the app open that was expected to; nil when that isn't what failed.
    package var change: String?
    /// Where it stands in the story.
    package var location: Finding.Location
    /// What ``link`` is.
    package var subject = Subject.url

    package enum Subject: String, Hashable, Sendable {
      case url, push, data
    }
  }

  /// The seed that was used, which need not be the story's own.
  package var seed: UInt64
  /// What the comment at the top of the story says; nil without one.
  package var comment: String?
  /// The moment the story begins, which events and exchanges are counted from.
  package var start: WallTime
  /// In order of time; among equals by step, party and lane.
  package var events: [Event]
  /// By link, then by device, in the order of the story; for each way in which the link was followed there its last verdict.
  package var rows: [Row]
  /// Every tap, in the order they happened.
  package var taps: [Tap]
  /// In the order they were looked at.
  package var checks: [Check]
  /// Of what each device knows, in the order of the story.
  package var states: [(device: DeviceTraits, records: [AssociationRecord])]
  /// By number, then by device, in the order of the story.
  package var pushes: [PushRow] = []
  /// By the moment each began.
  package var exchanges: [Exchange]
  /// Virtual time from the beginning to the end of the last step.
  package var elapsed: Duration
  /// Over the lines of the trace.
  package var digest: Digest

  /// Of the first step after which an invariant did not hold; the run ends there. Never with a live server.
  package var violations: [Violation] = []

  /// Whether every expectation held, and every invariant.
  package var allHeld: Bool { failures.isEmpty && violations.isEmpty }

  /// The expectations that did not hold.
  package var failures: [Check] { checks.filter { !$0.isHeld } }

  /// An error at its place in the story for each expectation that failed.
  package var findings: [Finding] {
    failures.map { check in
      Finding(
        rule: "story.expectation", severity: .error, at: check.location,
        message: "'\(check.link)' on \(check.device): expected \(check.expected); it \(check.actual).",
        help: check.change)
    }
  }

  /// The last line of a JSON stream.
  package var summary: JSON {
    .object([
      ("type", .string("summary")), ("seed", .seed(seed)),
      ("digest", .string(digest.text)),
      (
        "expectations",
        .object([("held", .int(checks.count - failures.count)), ("failed", .int(failures.count))])
      ), ("virtual_s", .int(Int(elapsed.components.seconds))),
    ])
  }
}

extension SimulationResult.Row {
  /// `{"type":"link",…}`
  package var json: JSON {
    .object(
      [
        ("type", .string("link")), ("url", .string(shownLink)), ("device", .string(device.name)),
        ("os", .string(device.os.description)), ("from", .string(way.name)), ("way", .string(way.title)),
        ("opens", .string(verdict.opens)), ("app", .init(verdict.app)),
        ("step", .string(verdict.step.rawValue)), ("rule", .init(verdict.ruleName)),
        ("domain", .init(verdict.domain?.canonicalText)), ("reason", .string(verdict.reason)),
      ] + verdict.sourceMembers + [("change", .init(verdict.change))])
  }
}

/// The trace has it as an event of the story.
extension SimulationResult.Check: Happening {
  package var kind: String { isHeld ? "held" : "failed" }

  package var fields: [(String, JSON)] {
    [
      (subject.rawValue, .string(link)), ("device", .string(device)), ("expected", .string(expected)),
      ("actual", .string(actual)), ("line", .init(location.start?.line)),
    ]
  }

  /// `{"type":"expectation",…}`
  package var json: JSON {
    .object([
      ("type", .string("expectation")), ("held", .bool(isHeld)), (subject.rawValue, .string(link)),
      ("device", .string(device)), ("expected", .string(expected)), ("actual", .string(actual)),
      ("change", .init(change)), ("file", .string(location.file)), ("line", .init(location.start?.line)),
      ("column", .init(location.start?.column)),
    ])
  }
}
