import LinkspanCore
import PushProvider
import PushTerms
import Testing

@testable import PushDelivery

/// Every reason can happen, and is said with its rules.
@Suite struct DeliveryReasonTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var reason: DeliveryReason
    var play: @Sendable () -> Phone

    var testDescription: String { reason.rawValue }

    init(_ reason: DeliveryReason, _ play: @escaping @Sendable () -> Phone) {
      self.reason = reason
      self.play = play
    }

    /// A push to a phone that is set up for it.
    init(
      _ reason: DeliveryReason, _ push: SentPush, _ phone: Phone = Phone(),
      _ prepare: @Sendable (inout Phone) -> Void = { _ in }
    ) {
      var phone = phone
      prepare(&phone)
      phone.send(push)
      self.init(reason) { [phone] in phone }
    }
  }

  static let large = SentPush.read(
    "{\"aps\":{\"alert\":\"" + String(repeating: "x", count: 4097) + "\"}}")

  static let rows: [Row] = [
    Row(.noEntitlement, .silent, Phone(Phone.traits(nil))),
    Row(.neverLaunched, .silent, Phone(life: nil)),
    Row(.wrongEnvironment, .silent, Phone(Phone.traits(.sandbox))),
    Row(.wrongTopic, .silent.about("com.example.other")),
    Row(.payloadTooLarge, large),
    Row(.wrongPriority, .read(#"{"aps":{"content-available":1}}"#, priority: .immediate)),
    Row(.refusedHeaders, .alert.about("com.example.steps.voip")),
    Row(.tokenGone, .silent) {
      $0.delete()
      $0.send(.silent)
    },
    Row(.uninstalled, .silent) { $0.delete() },
    Row(.notificationsOff, .alert) { $0.set { $0.permission = .notDetermined } },
    Row(.offline, .silent) { $0.conditions { $0.isOnline = false } },
    Row(.powerSaving, .silent) { $0.conditions { $0.power = .low } },
    Row(.grouped, .silent) { $0.device.groupsLowPriority = true },
    Row(.expired, .silent.expiring(.oneAttempt)) { $0.conditions { $0.isOnline = false } },
    Row(.storedTooLong) {
      var phone = Phone()
      phone.conditions { $0.isOnline = false }
      phone.send(.silent)
      phone.wait(31 * 86_400)
      return phone
    },
    Row(.overwritten, .silent) {
      $0.conditions { $0.isOnline = false }
      $0.send(.silent)
    },
    Row(.typeMismatch, .read(#"{"aps":{"content-available":1}}"#, kind: .alert)),
    Row(.otherType, .read(#"{"aps":{"content-changed":true}}"#)),
    Row(.payloadError, .read(#"{"aps":{"alert":"Hello","sound":{"critical":1,"volume":2}}}"#)),
    Row(.nothingToDo, .read(#"{"aps":{}}"#)),
    Row(.inForeground, .alert, Phone(life: .foreground)),
    Row(.forceQuit, .silent, Phone(life: .forceQuit)),
    Row(.noBackgroundMode, .silent, Phone(Phone.traits(modes: ["audio"]))),
    Row(.backgroundRefreshOff, .silent) { $0.set { $0.allowsBackgroundRefresh = false } },
    Row(.notOpenedLately, .silent) { $0.wait(20 * 86_400) },
    Row(.testFlight, .silent, Phone(Phone.traits(isTestFlight: true), profile: .field)),
    Row(.justStarted, .silent) { $0.reboot() },
    Row(.networkJustBack, .silent) {
      $0.conditions { ($0.isOnline, $0.isInUse) = (false, true) }
      $0.conditions { $0.isOnline = true }
    },
    Row(.appBudget, .silent) { for _ in 1...3 { $0.send(.silent) } },
    Row(.deviceBudget, .silent) { $0.device.deviceBudget.spend(at: $0.now, count: 60) },
    Row(.replaced, .silent) { for _ in 1...4 { $0.send(.silent) } },
    Row(.quitWhileHeld) { held { $0.move(.terminated) } },
    Row(.deletedWhileHeld) { held { $0.delete() } },
    Row(.restartedWhileHeld) { held { $0.reboot() } },
    Row(.handlerTimeout) {
      var phone = Phone()
      phone.plan(HandlerPlan(duration_ms: nil))
      phone.send(.silent)
      phone.wait(31)
      return phone
    },
  ]

  static func held(_ then: (inout Phone) -> Void) -> Phone {
    var phone = Phone()
    for _ in 1...4 { phone.send(.silent) }
    then(&phone)
    return phone
  }

  @Test(arguments: rows) func happens(_ row: Row) {
    let event = row.play().log.first { $0.reason == row.reason }
    #expect(event != nil)
    #expect(event?.provenance.rules.isEmpty == false)
  }

  @Test func everyReasonHasARow() {
    // An ordinary notification asks for no wake, so only an explanation says that it does not.
    let explained: Set<DeliveryReason> = [.notAskedFor]
    #expect(Set(Self.rows.map(\.reason)).union(explained) == Set(DeliveryReason.allCases))
    let alert = PushSituation(.alert, to: Phone.traits(), at: Phone.start).explained
    #expect(alert.wakes.reason == .notAskedFor)
  }

  @Test(arguments: DeliveryReason.allCases) func isSaidInASentence(_ reason: DeliveryReason) {
    let facts = reason.facts
    #expect(!facts.provenance.rules.isEmpty)
    for text in [facts.sentence, facts.change] {
      let isClause =
        ["APNs ", "TestFlight "].contains(where: text.hasPrefix) || text.first?.isLowercase == true
      #expect(text.count > 7 && isClause && text.last != ".")
    }
  }
}
