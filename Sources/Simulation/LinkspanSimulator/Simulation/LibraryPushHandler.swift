import LinkspanCore
internal import LinkspanDecisions
import LinkspanStories
internal import PushDelivery

/// The handler for background pushes of an app whose code is the library.
///
/// The library's own handler runs, with its deadline, its race and its completion, on a virtual clock that shows the story's
/// time. It has an executor of its own, on the thread of the story: whatever the seed, the system sees the same.
struct LibraryPushHandler: Sendable {
  /// How long work takes that never ends by itself, and how long the system is watched for a second answer. Ours.
  private static let never = Duration.seconds(86_400)

  private let start: WallTime
  private let seed: UInt64

  init(_ story: Story) {
    start = story.start
    seed = story.seed
  }

  var code: @Sendable (HandlerPlan, WallTime) -> HandlerAnswer { { run($0, at: $1) } }

  private func run(_ plan: HandlerPlan, at moment: WallTime) -> HandlerAnswer {
    let began = Duration.milliseconds(moment.milliseconds - start.milliseconds)
    let executor = SeededExecutor(seed: seed, elapsed: began)
    let clock = VirtualClock(executor)
    let calls = Calls()
    let work = Work(plan: plan, clock: clock)
    _ = executor.run {
      await BackgroundPush.handle(clock: clock, tasks: .on(executor), work: work.fetch) { outcome in
        calls.note(outcome, clock.now.offset - began)
      }.value
      // Late work, and another call, would come now.
      try? await clock.sleep(for: Self.never)
    }
    let heard = calls.all
    var plan = plan
    plan.duration_ms = heard.first?.time.wholeMilliseconds
    plan.result = heard.first.map { HandlerPlan.Result($0.outcome) } ?? plan.result
    return HandlerAnswer(plan: plan, calls: heard.count)
  }

  /// What the app's own code does with the push.
  private struct Work: Sendable {
    var plan: HandlerPlan
    var clock: VirtualClock

    func fetch() async throws -> BackgroundFetchOutcome {
      guard let duration = plan.duration_ms else {
        // It does not care for its cancellation either: it answers when nobody listens any more.
        try? await clock.sleep(for: LibraryPushHandler.never)
        return .newData
      }
      if duration > 0 { try await clock.sleep(for: .milliseconds(duration)) }
      return BackgroundFetchOutcome(plan.result)
    }
  }

  /// What the system heard, and when.
  private final class Calls: Sendable {
    private let heard = LockedState<[(outcome: BackgroundFetchOutcome, time: Duration)]>([])

    var all: [(outcome: BackgroundFetchOutcome, time: Duration)] { heard.withLock { $0 } }

    func note(_ outcome: BackgroundFetchOutcome, _ time: Duration) {
      heard.withLock { $0.append((outcome, time)) }
    }
  }
}

extension BackgroundFetchOutcome {
  fileprivate init(_ result: HandlerPlan.Result) {
    switch result {
    case .newData: self = .newData
    case .noData: self = .noData
    case .failed: self = .failed
    }
  }
}

extension HandlerPlan.Result {
  fileprivate init(_ outcome: BackgroundFetchOutcome) {
    switch outcome {
    case .newData: self = .newData
    case .noData: self = .noData
    case .failed: self = .failed
    }
  }
}
