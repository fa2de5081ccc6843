internal import LinkspanCore

/// The requests of one loop that wait for an answer: computed off the loop, or by completion. Confined to the loop's thread.
///
/// A number stands for a request on its way and back, never a connection or a descriptor: an answer whose number is no
/// longer here is dropped, whoever may sit where its request came from.
final class PendingAnswers {
  /// Where an answer has to go.
  struct Place {
    var descriptor: CInt
    /// 0 in HTTP/1.1.
    var stream: Int32
  }

  private struct Entry {
    /// Nil for an answer by completion.
    var work: OffloadedWork?
    var place: Place
    var deadline: Int64
    var asked: AskedRequest?
  }

  private let patience: Int64
  private let arrived: ArrivedAnswers
  private let completionLimit: Int
  private var completionCount = 0
  private let counters: LoopCounters
  private var entries: [Int: Entry] = [:]
  /// Numbers in the order of their deadlines; those without an entry are over.
  private var order: [Int] = []
  private var lastNumber = 0
  /// Taken on in this turn, and not offloaded yet.
  private(set) var fresh: [OffloadedWork] = []

  /// - Parameters:
  ///   - patience: ``ServerDeadlines/handler``, in nanoseconds.
  ///   - completionLimit: ``OffloadLimits/completions``.
  init(
    _ arrived: ArrivedAnswers, patience: Int64, _ counters: LoopCounters, completionLimit: Int = .max
  ) {
    self.arrived = arrived
    self.completionLimit = completionLimit
    self.patience = patience
    self.counters = counters
  }

  var isEmpty: Bool { entries.isEmpty }

  var hasFresh: Bool { !fresh.isEmpty }

  /// Takes on work for the pool.
  ///
  /// - Parameter asked: For an observer and the form of refusals; nil without them.
  /// - Returns: The number under which the answer comes.
  func add(
    _ work: @escaping @Sendable () -> HTTPResponse, for place: Place, now: Int64, asked: AskedRequest?
  ) -> Int {
    let work = OffloadedWork(lastNumber + 1, arrived, work: work)
    fresh.append(work)
    return add(work, place, now, asked)
  }

  /// Has an answer come by completion.
  ///
  /// - Returns: The number under which it comes, and the completion; nil when too many are awaited already.
  func addCompletion(
    for place: Place, now: Int64, asked: AskedRequest?
  ) -> (number: Int, completion: @Sendable (HTTPResponse) -> Void)? {
    guard completionCount < completionLimit else { return nil }
    completionCount += 1
    let number = add(nil, place, now, asked)
    return (number, { [arrived] response in arrived.put(number, response) })
  }

  private func add(_ work: OffloadedWork?, _ place: Place, _ now: Int64, _ asked: AskedRequest?) -> Int {
    lastNumber += 1
    let (sum, overflow) = now.addingReportingOverflow(patience)
    entries[lastNumber] = Entry(work: work, place: place, deadline: overflow ? .max : sum, asked: asked)
    if order.count >= 64, order.count >= entries.count * 2 {
      order.removeAll { entries[$0] == nil }
    }
    order.append(lastNumber)
    counters.add(to: .pendingNow)
    return lastNumber
  }

  func takeFresh() -> [OffloadedWork] {
    defer { fresh.removeAll(keepingCapacity: fresh.count <= 64) }
    return fresh
  }

  /// The request that waits under a number; nil where it was not kept.
  func asked(_ number: Int) -> AskedRequest? { entries[number]?.asked }

  /// The answer is here, or will not be waited for.
  ///
  /// - Returns: Nil when nobody waits for it.
  func end(_ number: Int) -> (place: Place, asked: AskedRequest?)? {
    guard let entry = entries.removeValue(forKey: number) else { return nil }
    if let work = entry.work { work.forget() } else { completionCount -= 1 }
    counters.add(-1, to: .pendingNow)
    return (entry.place, entry.asked)
  }

  /// Numbers whose deadline has passed; they stay until ``end(_:)``.
  func expired(at now: Int64) -> [Int] {
    var expired: [Int] = []
    var count = 0
    for number in order {
      if let entry = entries[number] {
        guard entry.deadline <= now else { break }
        expired.append(number)
      }
      count += 1
    }
    order.removeFirst(count)
    return expired
  }
}

/// A request that waits for its answer, for an observer or a form of refusals, which are told of it then.
struct AskedRequest {
  var request: HTTPRequest
  var version: HTTPVersion
  var peer: SocketAddress?
  /// When it was whole, in monotonic nanoseconds.
  var start: Int64
}
