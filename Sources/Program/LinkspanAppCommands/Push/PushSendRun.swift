internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanFiles
internal import PushConnections
internal import PushProvider

/// One run of `push send`: the push client's loop. A class, since it says what is left when its output fails.
final class PushSendRun {
  private static let usualPatienceSeconds = 60
  /// Ours: a day.
  private static let mostPatienceSeconds = 86_400
  static let patienceFlag = Flag(
    "--patience", "SECONDS",
    "How long to retry, at most \(mostPatienceSeconds); then the rest is deferred (\(usualPatienceSeconds))")
  /// Ours: pushes that wait to be sent, several times what is under way.
  private static let readyLimitCount = 2_048
  /// Ours: pushes that have not ended, those included that APNs wants sent again later.
  private static let unfinishedLimitCount = 131_072
  /// How long answers to what is under way are waited for when somebody ends the program. Ours: APNs' usual ones take less.
  private static let stopPatience = Duration.seconds(5)

  /// The next push, or nil at the end.
  private let next: () throws(LinkspanError) -> PushNotification?
  /// Whether ``next`` does not wait.
  private let isReady: () -> Bool
  /// How many there are, where that is known.
  private let count: Int?
  private let line: PushLine
  private let deadline: WallTime
  /// Whether each outcome is a line of JSON. Asked once, since looking a flag up for each push took 7 % of the time of 100,000.
  private let asJSON: Bool
  private var hasEnded = false
  /// Whether reading stopped before the end.
  private var isCutShort = false
  private var submittedCount = 0
  /// Pushes that were not handed to the client any more.
  private var unreadCount = 0
  /// Why reading went no further.
  private var problem: LinkspanError?
  private var counts: [String: Int] = [:]
  private var lastProgress: WallTime
  /// Until when answers are waited for; nil while nobody has ended it.
  private var stopsAt: WallTime?

  /// - Parameter pushes: Few enough to be held.
  convenience init(
    _ pushes: [PushNotification], _ server: PushServer, _ proof: PushCredential, _ arguments: Arguments
  ) throws(LinkspanError) {
    var rest = pushes[...]
    try self.init(server, proof, arguments, connections: 1, count: pushes.count, isReady: { true }) {
      rest.popFirst()
    }
  }

  /// Reads the tokens while it sends.
  convenience init(_ draft: PushDraft, _ server: PushServer, _ arguments: Arguments) throws(LinkspanError) {
    let tokens = draft.tokens
    let connections = try Self.connectionCount(arguments)
    try self.init(
      server, try PushCredential(arguments), arguments, connections: connections, count: tokens.count,
      isReady: { tokens.isReady }
    ) {
      () throws(LinkspanError) in try draft.next()
    }
  }

  private init(
    _ server: PushServer, _ proof: PushCredential, _ arguments: Arguments, connections: Int, count: Int?,
    isReady: @escaping () -> Bool,
    next: @escaping () throws(LinkspanError) -> PushNotification?
  ) throws(LinkspanError) {
    let now = CurrentTime.now
    let patience = try Self.patience(arguments)
    deadline = now.advanced(by: patience)
    line = PushLine(
      proof.account(scheme: server.scheme, authority: server.authority, trust: try arguments.trust()),
      connections: connections, patience: patience)
    lastProgress = now
    asJSON = arguments.has("--json")
    self.count = count
    self.isReady = isReady
    self.next = next
  }

  private static func connectionCount(_ arguments: Arguments) throws(LinkspanError) -> Int {
    try arguments.number("--connections", in: 1...64) ?? 1
  }

  private static func patience(_ arguments: Arguments) throws(LinkspanError) -> Duration {
    .seconds(try arguments.number("--patience", in: 1...mostPatienceSeconds) ?? usualPatienceSeconds)
  }

  /// Prints the requests and sends nothing. A dry run needs no credential; every flag that it has is read as for sending.
  static func plan(
    _ draft: PushDraft, _ server: PushServer, _ arguments: Arguments, _ console: Console
  ) throws(LinkspanError) -> ExitStatus {
    _ = try connectionCount(arguments)
    _ = try patience(arguments)
    _ = try arguments.trust()
    if PushCredential.isNamed(arguments) { _ = try PushCredential(arguments) }
    while let push = try draft.next() {
      PushReport.printPlan(of: push, to: server.authority, arguments, console)
    }
    return .yes
  }

  /// - Throws: What is wrong with a token that could not be checked beforehand, once the others have ended.
  func run(_ console: Console) throws(LinkspanError) -> ExitStatus {
    console.leftover = { self.leftover() }
    Interruption.watch(alsoTermination: true)
    fill()
    take(line.advance(), console)
    while line.unfinishedCount > 0 || !hasEnded {
      // Whoever writes the tokens may be slow, and tells nobody when there are more.
      let mayRead = !hasEnded && line.readyCount < Self.readyLimitCount
      if let ended = line.results(within: .milliseconds(mayRead ? 20 : 1_000)) {
        take(ended, console)
      } else {
        // Whoever reads the outcomes is not kept waiting for more of them.
        console.flush()
      }
      fill()
      take(line.advance(), console)
      if Interruption.isAskedFor { stop(console) }
      showProgress(console)
    }
    line.shutdown()
    let (accepted, rejected, later) = (
      counts["accepted"] ?? 0, counts["rejected"] ?? 0, counts["not-now"] ?? 0
    )
    if asJSON {
      console.print(
        .object([
          ("type", .string("push-summary")), ("accepted", .int(accepted)), ("rejected", .int(rejected)),
          ("not_now", .int(later)),
        ]))
    } else if submittedCount > 1 {
      console.print("\(accepted) accepted, \(rejected) rejected, \(later) deferred")
    }
    if let problem {
      // What became of the others is said first: whoever fails leaves behind what is not written yet.
      console.flush()
      throw problem
    }
    return rejected > 0 ? .no : later > 0 ? .failed : .yes
  }

  /// Sends nothing more, and ends what is under way when APNs has had time to answer: what it accepts unheard would be sent again
  /// by whoever goes on with the rest.
  private func stop(_ console: Console) {
    let now = CurrentTime.now
    guard let stopsAt else {
      stopsAt = now.advanced(by: Self.stopPatience)
      take(line.endWaiting(because: "interrupted"), console)
      let rest = untried()
      if problem == nil, !rest.isEmpty { problem = LinkspanError("interrupted. \(rest)") }
      return
    }
    if now >= stopsAt { take(line.end(because: "interrupted"), console) }
  }

  /// Hands the client as many pushes as it can use, without waiting for them.
  private func fill() {
    var room = min(
      Self.readyLimitCount - line.readyCount, Self.unfinishedLimitCount - line.unfinishedCount)
    while !hasEnded, room > 0, isReady() {
      do throws(LinkspanError) {
        guard let push = try next() else {
          hasEnded = true
          return
        }
        line.submit(push, by: deadline)
        submittedCount += 1
        room -= 1
      } catch {
        problem = error
        hasEnded = true
        isCutShort = true
      }
    }
  }

  private func take(_ ended: [(ticket: PushClient.Ticket, result: PushResult)], _ console: Console) {
    for change in line.takeChanges() { tell(change, console) }
    // All are counted before the first is printed, which may be the end.
    for (_, result) in ended {
      counts[PushReport.name(result.outcome), default: 0] += 1
      if case .notNow(let delay) = result.outcome, delay.needsFix { give(up: delay) }
    }
    for (_, result) in ended { PushReport.print(result, asJSON: asJSON, console) }
  }

  /// Sends nothing more, since each further push would end the same way.
  private func give(up delay: PushOutcome.Delay) {
    guard problem == nil else { return }
    let rest = untried()
    let more = rest.isEmpty ? "" : " \(rest)"
    problem =
      delay.status == 403
      ? LinkspanError(
        "\(delay.reason).\(more)",
        help: "Every push would be refused. Compare the key, its identifier, the team and the environment.")
      : LinkspanError(
        "there is no trusted connection to the server: \(delay.reason).\(more)",
        help:
          "Sending again does not help. If the server is yours, name the authority of its certificate with '--ca'."
      )
  }

  /// What a person who waits should know: nothing goes out, and why; and that it goes on.
  private func tell(_ change: PushHealth.Change, _ console: Console) {
    switch change {
    case .began(let outage) where outage.cause == .service:
      console.note("APNs fails (\(outage.reason)); pushes wait, and one tries it from time to time")
    case .ended(let outage) where outage.cause == .service: console.note("APNs takes pushes again")
    // The pushes that end by it say so.
    case .began, .ended: break
    }
  }

  // MARK: - What is left

  /// What became of the pushes, for when the outcomes cannot be written; nil when all were accepted.
  private func leftover() -> String? {
    let ended = ["accepted", "rejected", "not-now"].map {
      "\(counts[$0] ?? 0) \($0.replacing("-", with: " "))"
    }
    let rest = untried()
    let open = line.unfinishedCount - line.untriedCount
    if rest.isEmpty, open == 0, counts["rejected"] == nil, counts["not-now"] == nil { return nil }
    return "Ended: \(ended.joined(separator: ", "))."
      + (open == 0 ? "" : " Sent and not answered yet: \(open); APNs may accept them.")
      + (rest.isEmpty ? " No push was left untried." : " \(rest)")
  }

  /// How many pushes were never sent, in a sentence; empty where there are none. Nothing is read after it.
  private func untried() -> String {
    // The tokens of a file were checked beforehand; those that come through a pipe are not waited for.
    if count != nil {
      while !hasEnded {
        do throws(LinkspanError) {
          if try next() == nil { hasEnded = true } else { unreadCount += 1 }
        } catch {
          hasEnded = true
          isCutShort = true
        }
      }
    } else if !hasEnded {
      isCutShort = true
    }
    hasEnded = true
    let number = line.untriedCount + unreadCount
    if number == 0 { return isCutShort ? "No push was tried for the tokens that were not read yet." : "" }
    let more = isCutShort ? ", nor any for the tokens that were not read yet" : ""
    return "\(number) push\(number == 1 ? " was" : "es were") not tried\(more)."
  }

  private func showProgress(_ console: Console) {
    let now = CurrentTime.now
    guard submittedCount > 1, line.unfinishedCount > 0, now >= lastProgress.advanced(by: .seconds(1)) else {
      return
    }
    lastProgress = now
    let all = count.map { " of \($0)" } ?? ""
    console.note("pushes that have ended: \(submittedCount - line.unfinishedCount)\(all)")
  }
}
