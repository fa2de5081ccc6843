internal import HTTPEngine
internal import HTTPTransport

/// The requests that a client's loop has begun, by their numbers, and their deadlines. Confined to the loop's thread.
struct ExchangeTable {
  private var places: [ClientExchange?] = []
  private var free: [Int] = []
  private var wheel: DeadlineWheel

  init(now: Int64) { wheel = DeadlineWheel(now: now) }

  var all: [ClientExchange] { places.compactMap(\.self) }

  subscript(number: Int) -> ClientExchange? { places[number] }

  /// Begins a request under a number that is free.
  mutating func add(_ exchange: ClientExchange, to origin: ClientOrigin, deadline: Int64) {
    let number = free.popLast() ?? places.count
    if number == places.count { places.append(nil) }
    exchange.begin(origin, number: number, deadline: deadline)
    places[number] = exchange
    setDeadline(of: exchange, to: deadline)
  }

  /// - Returns: False when it had ended before.
  mutating func remove(_ exchange: ClientExchange) -> Bool {
    guard places[exchange.number] === exchange else { return false }
    places[exchange.number] = nil
    free.append(exchange.number)
    wheel.cancel(Int32(exchange.number))
    return true
  }

  /// One that lies beyond all time is none.
  mutating func setDeadline(of exchange: ClientExchange, to deadline: Int64) {
    guard deadline <= Int64.max - DeadlineWheel.tickNanoseconds else { return }
    wheel.set(Int32(exchange.number), to: deadline)
  }

  /// The numbers of requests whose deadline has passed.
  mutating func advance(to now: Int64) -> [Int] { wheel.advance(to: now).map(Int.init) }

  func timeoutMilliseconds(now: Int64) -> Int32? { wheel.timeoutMilliseconds(now: now) }
}
