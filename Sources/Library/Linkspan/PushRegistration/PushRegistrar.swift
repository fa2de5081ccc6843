internal import Foundation

/// Sends requests; the adapters have one over `URLSession`, tests one of their own.
public protocol RegistrationTransport: Sendable {
  /// - Returns: The answer's status, and the seconds that its `Retry-After` asks for, where there is one. The field may have a
  ///   date instead of seconds.
  /// - Throws: When no answer came. The registration is then tried again.
  func send(_ request: PushRegistration.Request) async throws -> RegistrationAnswer
}

/// What a server answered.
public struct RegistrationAnswer: Sendable, Equatable {
  /// The status code.
  public var status: Int
  /// Seconds until the next attempt, by the server's `Retry-After`.
  public var retryAfter: Int?
  /// What the server says about it, for a log; nil when it says nothing.
  public var message: String?

  /// An answer with these parts.
  public init(status: Int, retryAfter: Int? = nil, message: String? = nil) {
    self.status = status
    self.retryAfter = retryAfter
    self.message = message
  }
}

/// Where the last successful registration is kept; `UserDefaults` in the adapters.
public protocol RegistrationMemory: Sendable {
  /// What was stored last; nil when nothing was.
  func load() -> [UInt8]?
  /// Stores, or forgets with nil.
  func store(_ bytes: [UInt8]?)
}

/// Registers a device, only when something changed since the last success, and again after failures.
///
/// Requests go out one at a time, in the order of the calls: one that overtook another would leave the server with what the
/// app no longer wants.
public actor PushRegistrar<C: Clock> where C.Duration == Duration {
  /// What came of a registration.
  public enum Outcome: Sendable, Equatable {
    /// The server has it.
    case registered
    /// It had it already; nothing was sent.
    case unchanged
    /// A later call of ``PushRegistrar/register(_:time:)`` or ``PushRegistrar/unregister(_:)`` took its place before it ended.
    case superseded
    /// The server refuses it; sending it again would not help. A wrong credential, or a wrong address.
    /// `message` is what the server says about it.
    case refused(status: Int, message: String?)
    /// No attempt succeeded; the next launch tries again. `reason` is that of the last attempt, for a log.
    case failed(attempts: Int, reason: String)
  }

  /// How often and how soon an attempt is repeated. All our choices.
  public struct Retry: Sendable {
    /// Attempts in all.
    public var attempts = 6
    /// Before the second attempt; doubled for each one after it.
    public var first = Duration.seconds(2)
    /// No wait is longer, whatever the server says. A `Retry-After` is obeyed up to two thirds of it: chance adds up to half,
    /// so that devices that were sent away together do not come back together.
    public var longest = Duration.seconds(450)

    /// The defaults.
    public init() {}
  }

  private struct Remembered: Codable, Equatable {
    var registration: PushRegistration
    var service: String
    var time: Double
  }

  private let service: PushRegistration.Service
  private let transport: any RegistrationTransport
  private let memory: any RegistrationMemory
  private let clock: C
  private let retry: Retry
  private let jitter: @Sendable () -> Double
  private var latest = 0
  private var isSending = false
  /// Calls that wait for the request on its way, in their order.
  private var turns: [CheckedContinuation<Void, Never>] = []

  /// Our choice: a registration is repeated after so many days although nothing changed, so that a server that lost it has
  /// it again.
  private static var freshDays: Double { 30 }
  private static var secondsOfDay: Double { 86_400 }

  /// - Parameters:
  ///   - jitter: A number from 0 to 1 for each wait, so that many devices do not come back together; `Double.random(in:)`.
  public init(
    service: PushRegistration.Service, transport: any RegistrationTransport, memory: any RegistrationMemory,
    clock: C,
    retry: Retry = Retry(), jitter: @escaping @Sendable () -> Double
  ) {
    self.service = service
    self.transport = transport
    self.memory = memory
    self.clock = clock
    self.retry = retry
    self.jitter = jitter
  }

  /// Registers the device, unless the server has exactly this.
  ///
  /// Call it at every launch: the system may hand out a new token at any time.
  ///
  /// - Parameter time: Seconds since 1970.
  /// - Throws: `CancellationError`.
  public func register(_ registration: PushRegistration, time: Double) async throws -> Outcome {
    latest += 1
    let own = latest
    let wanted = Remembered(registration: registration, service: address, time: time)
    var reason = ""
    for attempt in 1...max(1, retry.attempts) {
      var retryAfter: Int?
      do {
        await takeTurn()
        defer { endTurn() }
        guard own == latest else { return .superseded }
        if isFresh(wanted) { return .unchanged }
        // A call that was cancelled while it waited sends nothing, so the server still holds what it held.
        try Task.checkCancellation()
        // From here on the server may hold either this or what it held before, until it answers.
        memory.store(nil)
        let answer = try await transport.send(registration.request(to: service))
        if (200..<300).contains(answer.status) {
          // Texts and a finite number always have a form; without one the next launch would register again.
          memory.store((try? JSONEncoder().encode(wanted)).map(Array.init))
          return own == latest ? .registered : .superseded
        }
        // While the answer was on its way another registration may have begun.
        guard own == latest else { return .superseded }
        if !Self.isWorthRepeating(answer.status) {
          return .refused(status: answer.status, message: answer.message)
        }
        reason = "the server answers \(answer.status)" + (answer.message.map { ": \($0)" } ?? "")
        retryAfter = answer.retryAfter
      } catch is CancellationError {
        throw CancellationError()
      } catch {
        // A transport says in its own words that the task is cancelled.
        try Task.checkCancellation()
        guard own == latest else { return .superseded }
        reason = (error as? any LocalizedError)?.errorDescription ?? "\(error)"
      }
      guard attempt < retry.attempts else { break }
      try await clock.sleep(until: clock.now.advanced(by: wait(after: attempt, retryAfter)), tolerance: nil)
      guard own == latest else { return .superseded }
    }
    return .failed(attempts: max(1, retry.attempts), reason: reason)
  }

  /// Forgets the device, such as at a log-out. The next registration is sent in any case.
  ///
  /// A registration on its way ends first: its answer may come only after the transport's time-out.
  ///
  /// - Returns: The server's answer. Unless its status is one of 200 to 299 the server still has the device.
  /// - Throws: When no answer came.
  @discardableResult
  public func unregister(_ registration: PushRegistration) async throws -> RegistrationAnswer {
    latest += 1
    memory.store(nil)
    await takeTurn()
    defer { endTurn() }
    // What was on its way has succeeded in the meantime, perhaps.
    memory.store(nil)
    return try await transport.send(registration.removal(from: service))
  }

  /// Waits until every earlier call's request has ended; ``endTurn()`` lets the next one go.
  private func takeTurn() async {
    if isSending { await withCheckedContinuation { turns.append($0) } }
    isSending = true
  }

  /// Calls that wait for their turn.
  var waitingCount: Int { turns.count }

  private func endTurn() {
    // The turn is handed on: a call that begins before the next one resumes has to queue behind it.
    if turns.isEmpty { isSending = false } else { turns.removeFirst().resume() }
  }

  /// Whether the server has exactly this, by its last answer, and not for too long.
  private func isFresh(_ wanted: Remembered) -> Bool {
    guard let known = remembered, known.registration == wanted.registration, known.service == wanted.service
    else { return false }
    return known.time <= wanted.time && wanted.time - known.time < Self.freshDays * Self.secondsOfDay
  }

  private var address: String {
    switch service {
    case .registry(let base, _): "registry " + base
    case .legacy(let base): "legacy " + base
    }
  }

  private var remembered: Remembered? {
    // What cannot be read is of another version of the library, and the device is registered again.
    memory.load().flatMap { try? JSONDecoder().decode(Remembered.self, from: Data($0)) }
  }

  /// Time-outs, too many requests, and faults of the server pass; other refusals do not.
  private static func isWorthRepeating(_ status: Int) -> Bool {
    status == 408 || status == 425 || status == 429 || (500..<600).contains(status)
  }

  /// Half of it is chance, so that devices that failed together do not come back together; after a `Retry-After` a third.
  private func wait(after attempt: Int, _ retryAfter: Int?) -> Duration {
    let doubled = retry.first * (1 << min(attempt - 1, 20))
    let asked = retryAfter.map { Duration.seconds(max(0, $0)) } ?? .zero
    let share = Int64(min(max(jitter(), 0), 1) * 1_000)
    guard asked < doubled else {
      let least = min(asked, retry.longest * 2 / 3)
      return least + least * share / 2_000
    }
    let base = min(doubled, retry.longest)
    return base / 2 + base * share / 2_000
  }
}
