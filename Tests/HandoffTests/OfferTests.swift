import Handoff
import LinkspanCore
import Testing

/// What the other device offers, and by which condition (HO4 to HO11) it offers nothing.
@Suite struct OfferTests {
  private static let team = "ABCDE12345"
  private static let type = "com.example.recipes.viewing"
  private static let now = WallTime("2026-09-14T08:00:00Z")!

  /// A situation in which the app continues, to be broken in one place.
  struct Situation: Sendable {
    var activity = UserActivity(type: OfferTests.type)
    var sendingApp: HandoffApp? = HandoffApp(identifier: "ABCDE12345.com.example.mac", team: OfferTests.team)
    var sender = HandoffDevice(name: "mac", platform: .macOS, major: 14, minor: 4)
    var receiver = HandoffDevice(name: "phone", platform: .iOS, major: 17, minor: 4)
    var app: HandoffApp? = HandoffApp(
      identifier: "ABCDE12345.com.example.phone", team: OfferTests.team, activityTypes: [OfferTests.type])
    var association = DomainAssociation.unclaimed

    var offer: HandoffOffer {
      HandoffOffer(
        activity, of: sendingApp, from: sender, to: receiver, apps: [app].compactMap(\.self),
        at: OfferTests.now
      ) { _ in association }
    }
  }

  struct Breaking: Sendable, CustomTestStringConvertible {
    var name: HandoffObstacle.Condition
    var change: @Sendable (inout Situation) -> Void
    var testDescription: String { name.rawValue }
  }

  static let breakings: [Breaking] = [
    Breaking(name: .differentTeam) {
      $0.app?.team = "OTHER12345"; $0.app?.signer = "OTHER12345"
    },
    Breaking(name: .otherSigner) {
      $0.app?.isFromStore = false; $0.app?.signer = "OTHER12345"
    },
    Breaking(name: .otherSigner) {
      $0.sendingApp?.isFromStore = false; $0.sendingApp?.signer = "OTHER12345"
    },
    Breaking(name: .differentAccount) { $0.receiver.switches.account = "somebody else" },
    Breaking(name: .handoffOff) { $0.sender.switches.isHandoffOn = false },
    Breaking(name: .handoffOff) { $0.receiver.switches.isHandoffOn = false },
    Breaking(name: .bluetoothOff) { $0.receiver.switches.isBluetoothOn = false },
    Breaking(name: .tooFar) { $0.receiver.switches.isNear = false },
    Breaking(name: .lockedSinceBoot) { $0.receiver.switches.isUnlockedSinceBoot = false },
    Breaking(name: .restricted) { $0.sender.switches.isRestricted = true },
    Breaking(name: .lowPower) { $0.receiver.switches.isLowPower = true },
    Breaking(name: .release) { $0.receiver.major = 7 },
    Breaking(name: .release) {
      $0.sender.major = 10; $0.sender.minor = 9
    },
    Breaking(name: .typeNotDeclared) { $0.app?.activityTypes = ["com.example.recipes.editing"] },
    Breaking(name: .appAbsent) { $0.app = nil },
    Breaking(name: .notEligible) { $0.activity.isEligibleForHandoff = false },
    Breaking(name: .expired) { $0.activity.expires = OfferTests.now },
    Breaking(name: .webpageURLScheme) { $0.activity.webpageURL = "recipes://42" },
    Breaking(name: .valueClass) { $0.activity.userInfo = .array([.other(className: "UIImage")]) },
  ]

  @Test func continuesWhereEverythingHolds() {
    #expect(Situation().offer.outcome == .app("ABCDE12345.com.example.phone", via: "activity-type"))
    #expect(Situation().offer.obstacles.isEmpty)
  }

  @Test(arguments: breakings) func namesTheConditionThatIsMissing(_ breaking: Breaking) {
    var situation = Situation()
    breaking.change(&situation)
    #expect(situation.offer.outcome == .nothing)
    #expect(situation.offer.obstacles.map(\.condition) == [breaking.name])
    #expect(!breaking.name.help.isEmpty)
  }

  @Test(arguments: [
    (HandoffDevice.Platform.macOS, HandoffDevice.Platform.iOS), (.iOS, .macOS), (.iOS, .iOS),
    (.macOS, .macOS),
  ]) func goesBothWays(_ from: HandoffDevice.Platform, _ to: HandoffDevice.Platform) {
    var situation = Situation()
    situation.sender.platform = from
    situation.sender.major = 14
    situation.receiver.platform = to
    #expect(situation.offer.outcome == .app("ABCDE12345.com.example.phone", via: "activity-type"))
  }

  /// A.5: iOS 8 and OS X 10.10 were the first releases.
  @Test(arguments: [
    (HandoffDevice.Platform.iOS, 7, 1, false), (.iOS, 8, 0, true), (.iOS, 17, 0, true),
    (.macOS, 10, 9, false),
    (.macOS, 10, 10, true), (.macOS, 10, 15, true), (.macOS, 11, 0, true), (.macOS, 9, 10, false),
  ])
  func theFirstReleasesWithHandoff(
    platform: HandoffDevice.Platform, major: Int, minor: Int, hasHandoff: Bool
  ) {
    var situation = Situation()
    situation.receiver = HandoffDevice(name: "other", platform: platform, major: major, minor: minor)
    #expect(situation.offer.obstacles.map(\.condition) == (hasHandoff ? [] : [.release]))
  }

  private func page(_ association: DomainAssociation) -> Situation {
    var situation = Situation()
    situation.activity = .page("https://recipes.example.com/42")
    situation.sendingApp = nil
    situation.association = association
    return situation
  }

  @Test func aPageContinuesInTheAssociatedApp() {
    #expect(
      page(.associated(via: "applinks")).offer.outcome
        == .app("ABCDE12345.com.example.phone", via: "applinks"))
  }

  @Test func aPageContinuesInTheBrowserWithoutTheApp() {
    var situation = page(.unclaimed)
    situation.app = nil
    #expect(situation.offer.outcome == .browser)
    #expect(situation.offer.obstacles.map(\.condition) == [.appAbsent])
  }

  @Test func aRefusedFileNamesItsCause() {
    let offer = page(.refused(name: "expired", reason: "the certificate expired")).offer
    #expect(offer.outcome == .browser)
    #expect(offer.obstacles.map(\.condition) == [.domainNotAssociated])
    #expect(offer.obstacles.map(\.name) == ["expired"])
  }

  @Test func aPageDidNotContinueInAMacAppOfTheFirstPeriod() {
    var situation = page(.associated(via: "activitycontinuation"))
    situation.receiver = HandoffDevice(name: "mac", platform: .macOS, major: 10, minor: 10)
    #expect(situation.offer.outcome == .browser)
    #expect(situation.offer.obstacles.map(\.condition) == [.noWebToMac])
  }

  @Test func anAppsWebpageIsTheFallback() {
    var situation = Situation()
    situation.activity.webpageURL = "https://recipes.example.com/42"
    situation.app = nil
    #expect(situation.offer.outcome == .browser)
  }
}

/// The conversation of the two apps (HO8).
@Suite struct ContinuationSessionTests {
  private func activity() -> UserActivity {
    var activity = UserActivity(type: "com.example.draft")
    activity.needsSave = true
    activity.streamBytes = 10_000
    return activity
  }

  @Test func announcesAndContinues() {
    var session = ContinuationSession(activity(), usesScenes: false)
    #expect(
      session.handle(.taken)?.map(\.name) == [
        "application(_:willContinueUserActivityWithType:)", "userActivityWillSave(_:)",
      ])
    #expect(
      session.handle(.received)?.map(\.name) == [
        "application(_:continue:restorationHandler:)", "userActivityWasContinued(_:)",
      ])
    #expect(session.handle(.restores(2))?.count == 2)
    #expect(session.handle(.updated)?.map(\.name) == ["application(_:didUpdate:)"])
    #expect(session.handle(.opensStreams)?.map(\.party) == [.receiver, .sender])
    #expect(session.state == .continued)
  }

  @Test(arguments: ContinuationError.allCases) func failsOnceInPlaceOfContinuing(_ error: ContinuationError) {
    var session = ContinuationSession(activity(), usesScenes: true)
    _ = session.handle(.taken)
    #expect(
      session.handle(.failed(error))?.map(\.name) == ["scene(_:didFailToContinueUserActivityWithType:error:)"]
    )
    #expect(session.handle(.received) == nil)
    #expect(session.handle(.failed(error)) == nil)
    #expect(session.state == .failed)
    #expect((4608...4863).contains(error.rawValue))
    #expect(error.name.hasPrefix("NSUserActivity"))
  }

  @Test func nothingComesBeforeItsTurn() {
    var session = ContinuationSession(UserActivity(type: "a"), usesScenes: false)
    for event in [
      ContinuationSession.Event.received, .failed(.handoffFailed), .restores(1), .updated, .opensStreams,
    ] {
      #expect(session.handle(event) == nil)
    }
    _ = session.handle(.taken)
    #expect(session.handle(.taken) == nil)
    _ = session.handle(.received)
    // It has no streams.
    #expect(session.handle(.opensStreams) == nil)
  }

  @Test func troublesHaveTheirErrors() {
    let errors = TransferTrouble.allCases.map {
      UserActivity(type: "a").error(trouble: $0, limitBytes: nil)?.rawValue
    }
    #expect(errors == [4609, 4610, 4608])
    var large = UserActivity(type: "a")
    large.userInfo = .dictionary([.init(key: "draft", value: .data(4000))])
    #expect(large.error(trouble: nil, limitBytes: nil) == nil)
    #expect(large.error(trouble: nil, limitBytes: 3072)?.rawValue == 4611)
  }
}

/// What may be in `userInfo`, and how large it is (HO2, HO3).
@Suite struct ActivityValueTests {
  /// Sizes as Python's plistlib writes them, in binary.
  @Test(
    arguments: [
      (ActivityValue.dictionary([]), 42),
      (.dictionary([.init(key: "id", value: .integer(42))]), 51),
      (
        .dictionary([
          .init(key: "title", value: .string("Apfelstrudel")), .init(key: "step", value: .integer(3)),
        ]), 76
      ),
      // Header, the object, its offset, trailer.
      (.bool(true), 42), (.null, 42), (.other(className: "UIColor"), 42), (.real(0), 50),
      (.date(0), 50), (.uuid("6BA7B810-9DAD-11D1-80B4-00C04FD430C8"), 60), (.integer(-1), 50),
      (.integer(0), 43), (.integer(0xFF), 43),
      (.integer(0x100), 44), (.integer(0xFFFF), 44), (.integer(0x1_0000), 46), (.integer(0xFFFF_FFFF), 46),
      (.integer(0x1_0000_0000), 50), (.data(14), 56), (.data(15), 59), (.string("é"), 44),
      (.string("ab"), 44),
      (.dictionary([.init(key: "a", value: .data(300)), .init(key: "b", value: .bool(true))]), 364),
      (
        .dictionary([
          .init(key: "a", value: .string("Käse")), .init(key: "b", value: .array([.real(1.5), .real(1.5)])),
        ]), 76
      ),
    ] as [(ActivityValue, Int)]) func isTheSizeOfABinaryPropertyList(_ value: ActivityValue, size: Int)
  {
    #expect(value.serialisedBytes == size)
  }

  /// Up to 255, a count of objects, a length and the place of the offset table take one byte, from 256 on two.
  @Test(
    arguments: [
      // An array of so many integers, and itself; each reference to them, and their offsets.
      (ActivityValue.array((0..<254).map { .integer($0) }), 8 + (3 + 254) + 254 * 2 + 255 * 2 + 32),
      (.array((0..<255).map { .integer($0) }), 8 + (3 + 255 * 2) + 255 * 2 + 256 * 2 + 32),
      (.array((0..<256).map { .integer($0) }), 8 + (4 + 256 * 2) + 256 * 2 + 257 * 2 + 32),
      (.integer(255), 8 + 2 + 1 + 32), (.integer(256), 8 + 3 + 1 + 32),
      (.integer(65_535), 8 + 3 + 1 + 32), (.integer(65_536), 8 + 5 + 1 + 32),
      (.integer(4_294_967_295), 8 + 5 + 1 + 32), (.integer(4_294_967_296), 8 + 9 + 1 + 32),
      // The offset table begins at 255 and at 256.
      (.data(244), 8 + 3 + 244 + 1 + 32), (.data(245), 8 + 3 + 245 + 2 + 32),
      (.data(255), 8 + 3 + 255 + 2 + 32), (.data(256), 8 + 4 + 256 + 2 + 32),
      (.data(65_535), 8 + 4 + 65_535 + 4 + 32), (.data(65_536), 8 + 6 + 65_536 + 4 + 32),
      (.data(4_294_967_296), 8 + 10 + 4_294_967_296 + 8 + 32),
      (.data(14), 8 + 1 + 14 + 1 + 32), (.data(15), 8 + 3 + 15 + 1 + 32),
    ] as [(ActivityValue, Int)]) func aNumberTakesTheBytesItNeeds(_ value: ActivityValue, size: Int)
  {
    #expect(value.serialisedBytes == size)
  }

  @Test func warnsAboveThreeKilobytesOnly() {
    func warnings(_ count: Int) -> [String] {
      var activity = UserActivity(type: "a")
      activity.userInfo = .data(count)
      return activity.warnings
    }
    let overhead = ActivityValue.data(3000).serialisedBytes - 3000
    #expect(warnings(ActivityValue.advisedBytes - overhead).isEmpty)
    #expect(
      warnings(ActivityValue.advisedBytes - overhead + 1) == [
        "userInfo has at least 3073 bytes; Apple advises at most 3072, and more belongs into a continuation stream"
      ])
  }

  @Test func findsAClassThatIsNotAllowed() throws {
    let value = ActivityValue.dictionary([
      .init(key: "steps", value: .array([.null, .set([.other(className: "UIColor")])]))
    ])
    let found = try #require(value.foreignClass())
    #expect(found.path == "userInfo.steps[1][0]")
    #expect(found.className == "UIColor")
  }
}
