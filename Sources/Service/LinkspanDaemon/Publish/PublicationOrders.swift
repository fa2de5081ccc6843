internal import CLinkspanPlatform
internal import DeviceRegistry
internal import Glibc
internal import LinkspanCore
internal import LinkspanFiles
internal import LinkspanServer
internal import LinkspanSystem

/// What people and clients of the API want done, for the thread that publishes.
///
/// They come from other threads of this process, and as files in `STATE/orders` from the command line, which runs as
/// another process. Each gets its answer when what is served has changed.
final class PublicationOrders: Sendable {
  /// What became of an order.
  struct Answer: Sendable {
    /// In a sentence, for the person.
    var words: String
    /// The publication that is served by a rollback or a pin.
    var number: Int?
    /// The hosts that the order is about.
    var outcomes: [PublicationOutcome] = []
    /// Other hosts, which the folder that was read for it had changed.
    var others: [PublicationOutcome] = []
    /// Whether what was asked for is served.
    var isServed = true
    /// The host whose files are checked before it is known what is served.
    var undecidedHost: String?
  }

  typealias Completion = @Sendable (Result<Answer, LinkspanError>) -> Void

  enum Work: Sendable {
    case order(PublicationOrder)
    /// Files that a client of the API sent.
    case publish(PublicationCandidate)
    /// What other servers of the registry were told.
    case obey([SiteOrder])
  }

  struct Item: Sendable {
    var work: Work
    /// Who, for audit logs.
    var actor: String
    /// Since when a client waits for the answer; nil for what waits as long as it takes.
    var awaitedSince: ContinuousClock.Instant?
    var completion: Completion
  }

  /// The command line, as audit logs name it.
  static let commandLine = "operator"

  /// How long a client's order waits here before it is refused. Ours: well before the server answers in its place, so that what
  /// was answered no is not done later.
  static let patience = Duration.seconds(15)

  /// Ours: people and CI jobs at the same time.
  private static let limit = 256

  private let items = LockedState<[Item]>([])
  private let now: @Sendable () -> ContinuousClock.Instant
  private let wakeup: Wakeup
  private let files: OrderFiles?

  /// - Parameters:
  ///   - state: Where the command line puts its orders; nil without a state.
  ///   - now: By which orders grow too old.
  init(
    state: String?, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) throws(LinkspanError) {
    self.now = now
    wakeup = try Wakeup()
    files = try state.map { state throws(LinkspanError) in try OrderFiles(state: state) }
  }

  /// One of them becomes readable when there is something to do.
  var descriptors: [Int32] { [wakeup.descriptor] + (files.map { [$0.descriptor] } ?? []) }

  /// Tells whether another server has the state; nil without one.
  var presence: ServerPresence? { files?.presence }

  /// Hands something to the thread that publishes.
  ///
  /// - Parameter completion: Called on that thread.
  func add(_ work: Work, actor: String, _ completion: @escaping Completion) {
    // What other servers were told is obeyed however late it is.
    let since: ContinuousClock.Instant? = if case .obey = work { nil } else { now() }
    let isTaken = items.withLock { items in
      guard items.count < Self.limit else { return false }
      items.append(Item(work: work, actor: actor, awaitedSince: since, completion: completion))
      return true
    }
    guard isTaken else {
      return completion(.failure(Self.refusal("Too many changes are under way.")))
    }
    wakeup.signal()
  }

  /// The same, and waits for the answer.
  func perform(_ order: PublicationOrder, actor: String) throws(LinkspanError) -> Answer {
    let answer = LockedState<Result<Answer, LinkspanError>?>(nil)
    add(.order(order), actor: actor) { result in
      answer.withLock { $0 = result }
      answer.signal(all: true)
    }
    return try answer.wait { $0 }.get()
  }

  private static func refusal(_ what: String) -> LinkspanError {
    .temporary(what, help: "Nothing was changed. Try again in a moment.")
  }

  /// Refuses an order that a client has waited for too long, since those before it took their time.
  ///
  /// - Returns: Whether it is refused, and answered.
  func refusesLate(_ item: Item) -> Bool {
    guard let since = item.awaitedSince, since + Self.patience <= now() else { return false }
    item.completion(.failure(Self.refusal("Other changes took too long.")))
    return true
  }

  /// Everything that waits, the command line's among it.
  func take() -> [Item] {
    wakeup.drain()
    let taken = items.withLock { items in
      defer { items = [] }
      return items
    }
    return taken + (files?.take() ?? [])
  }
}
