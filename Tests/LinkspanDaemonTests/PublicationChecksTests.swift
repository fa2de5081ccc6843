import Glibc
import LinkspanCore
import LinkspanServer
import Synchronization
import Testing

@testable import LinkspanDaemon

@Suite struct PublicationChecksTests {
  static let good =
    #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a"}]}]}}"#

  private static func checks(of hosts: String..., by publisher: inout Publisher) -> [PublicationCheck] {
    let candidates = hosts.map {
      PublicationCandidate(AssociationSite(host: $0, associationFile: Array(good.utf8)))
    }
    return publisher.note(candidates, at: WallTime(milliseconds: 0)).compactMap {
      if case .check(let check) = $0 { check } else { nil }
    }
  }

  /// A check that never ends by itself.
  private final class Spinning: Sendable {
    let isOver = Atomic(false)
    deinit { isOver.store(true, ordering: .relaxed) }

    func spin() -> PublicationVerdict {
      while !isOver.load(ordering: .relaxed) {}
      return .tooSlow("it was too slow")
    }
  }

  @Test func aCheckAboveItsLimitIsGivenUpAndTheOthersAreNotHeldUp() throws {
    let spinning = Spinning()
    defer { spinning.isOver.store(true, ordering: .relaxed) }
    let checks = try PublicationChecks(limitMilliseconds: 50) { check in
      check.candidate.site.host == "slow.example" ? spinning.spin() : check.verdict()
    }
    var publisher = Publisher()
    for check in Self.checks(of: "slow.example", "good.example", by: &publisher) {
      checks.add(check, keepingIn: nil)
    }
    var outcomes: [String?: PublicationOutcome] = [:]
    while checks.isBusy {
      checks.wait()
      for done in checks.take() {
        outcomes[done.check.candidate.site.host] = publisher.settle(
          done.check, done.verdict, at: WallTime(milliseconds: 0))
      }
    }
    #expect(outcomes["good.example"]?.kind == .published)
    #expect(outcomes["slow.example"]?.kind == .refused)
    #expect(publisher.sites.map(\.host) == ["good.example"])
  }

  @Test func aGivenUpCheckRefusesItsHostUntilTheFilesChange() throws {
    let spinning = Spinning()
    defer { spinning.isOver.store(true, ordering: .relaxed) }
    let checks = try PublicationChecks(limitMilliseconds: 20) { _ in spinning.spin() }
    var publisher = Publisher()
    for check in Self.checks(of: "slow.example", by: &publisher) { checks.add(check, keepingIn: nil) }
    #expect(publisher.undecided == ["slow.example"])
    var outcome: PublicationOutcome?
    while outcome == nil {
      checks.wait()
      for done in checks.take() {
        outcome = publisher.settle(done.check, done.verdict, at: WallTime(milliseconds: 0))
      }
    }
    #expect(outcome?.kind == .refused && outcome?.isServed == false)
    #expect(outcome?.problem?.contains("took more than 20 ms of processor time, and was given up") == true)
    #expect(Self.checks(of: "slow.example", by: &publisher).isEmpty, "the same files are not checked again")
    #expect(publisher.refused.map(\.host) == ["slow.example"])
  }

  /// Two at once would keep one in the other's place in the history, or the older one as the newer.
  @Test func twoVersionsOfAHostAreCheckedOneAfterTheOther() throws {
    let events = Mutex<[String]>([])
    let checks = try PublicationChecks { check in
      let host = check.candidate.site.host ?? ""
      events.withLock { $0.append("\(host) begins") }
      // The first one ends when a host that came last has been checked.
      while host == "a.example", !events.withLock({ $0.contains("b.example ends") }) {}
      events.withLock { $0.append("\(host) ends") }
      return check.verdict()
    }
    for host in ["a.example", "a.example", "b.example"] {
      var version = Publisher()
      for check in Self.checks(of: host, by: &version) { checks.add(check, keepingIn: nil) }
    }
    while checks.isBusy {
      checks.wait()
      _ = checks.take()
    }
    let ofHost = events.withLock { $0 }.filter { $0.hasPrefix("a.") }
    #expect(ofHost == ["a.example begins", "a.example ends", "a.example begins", "a.example ends"])
  }

  private static func isReadable(_ checks: PublicationChecks) -> Bool {
    var entry = pollfd(fd: checks.descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) == 1
  }

  /// Otherwise the thread that polls it never sleeps again.
  @Test func theDescriptorIsReadableWhileAVerdictWaitsAndNoLonger() throws {
    let checks = try PublicationChecks(stepping: { WallTime(milliseconds: 0) })
    var publisher = Publisher()
    for check in Self.checks(of: "a.example", "b.example", by: &publisher) {
      checks.add(check, keepingIn: nil)
    }
    #expect(!Self.isReadable(checks))
    #expect(checks.step() && checks.step())
    #expect(Self.isReadable(checks))
    #expect(checks.take().count == 2)
    #expect(!Self.isReadable(checks) && !checks.isBusy)
  }

  /// Its verdict is told of when it is given up, and not again when it ends.
  @Test func theEndOfACheckThatWasGivenUpTellsNothing() throws {
    let box = Mutex<PublicationChecks?>(nil)
    let taken = Mutex(0)
    let checks = try PublicationChecks(
      limitMilliseconds: -1,
      verdict: { check in
        let count = box.withLock { $0?.take().count ?? 0 }
        taken.withLock { $0 += count }
        return check.verdict()
      }, stepping: { WallTime(milliseconds: 0) })
    box.withLock { $0 = checks }
    defer { box.withLock { $0 = nil } }
    var publisher = Publisher()
    for check in Self.checks(of: "a.example", by: &publisher) { checks.add(check, keepingIn: nil) }
    #expect(checks.step())
    #expect(taken.withLock { $0 } == 1)
    #expect(!Self.isReadable(checks) && !checks.isBusy)
  }
}
