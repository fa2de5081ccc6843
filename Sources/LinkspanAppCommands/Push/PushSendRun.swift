internal import HTTPEngine
internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanDaemon
internal import PushProvider

/// One run of `push send`: the push client's loop.
struct PushSendRun {
  private static let usualPatienceSeconds = 60

  private let pushes: [PushNotification]
  private let transport: PushTransport
  private var client: PushClient
  private var counts: [String: Int] = [:]
  private var lastProgress: WallTime

  init(_ pushes: [PushNotification], _ server: PushServer, _ arguments: Arguments) throws(CommandError) {
    let now = CurrentTime.now
    let seconds = try arguments.number("--patience", atLeast: 1) ?? Self.usualPatienceSeconds
    let patience = Duration.seconds(min(seconds, 24 * 60 * 60))
    let signer = try AuthKeyReader.signer(arguments)
    client = PushClient(
      .init(authority: server.authority, deadline: now.advanced(by: patience)), .token(signer),
      generator: SeededGenerator(seed: .random(in: .min ... .max)))
    transport = PushTransport(scheme: server.scheme, trust: try arguments.trust(), patience: patience)
    self.pushes = pushes
    lastProgress = now
    for push in pushes { _ = client.submit(push) }
  }

  mutating func run(_ arguments: Arguments, _ console: Console) -> ExitStatus {
    take(client.advance(to: CurrentTime.now), arguments, console)
    while client.unfinishedCount > 0 {
      let now = CurrentTime.now
      let wait = min(1_000, max(0, (client.wakeUp ?? now).milliseconds - now.milliseconds))
      for event in transport.events(within: .milliseconds(wait)) {
        take(client.handle(event, at: CurrentTime.now), arguments, console)
      }
      take(client.advance(to: CurrentTime.now), arguments, console)
      showProgress(console)
    }
    transport.shutdown()
    let (accepted, rejected, later) = (
      counts["accepted"] ?? 0, counts["rejected"] ?? 0, counts["not-now"] ?? 0
    )
    if arguments.has("--json") {
      console.print(
        .object([
          ("type", .string("push-summary")), ("accepted", .int(accepted)), ("rejected", .int(rejected)),
          ("not_now", .int(later)),
        ]))
    } else if pushes.count > 1 {
      console.print("\(accepted) accepted, \(rejected) rejected, \(later) not now")
    }
    return rejected > 0 ? .no : later > 0 ? .failed : .yes
  }

  private mutating func take(_ actions: [PushClient.Action], _ arguments: Arguments, _ console: Console) {
    transport.perform(actions)
    for case .finished(let ticket, let result) in actions {
      counts[PushReport.name(result.outcome), default: 0] += 1
      PushReport.print(result, of: pushes[ticket], arguments, console)
    }
  }

  private mutating func showProgress(_ console: Console) {
    let now = CurrentTime.now
    guard pushes.count > 1, client.unfinishedCount > 0, now >= lastProgress.advanced(by: .seconds(1)) else {
      return
    }
    lastProgress = now
    console.note("\(pushes.count - client.unfinishedCount) of \(pushes.count) pushes have ended")
  }
}
