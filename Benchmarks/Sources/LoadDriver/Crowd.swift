import Glibc
import LoadGenerator

/// Many connections held open.
struct Crowd {
  private static let idleRole = 0
  private static let trickleRole = 1
  private static let askingRole = 2
  private static let askingCount = 64

  private let options: LoadOptions
  private let loop: LoadLoop

  init(_ options: LoadOptions) throws(LoadError) {
    self.options = options
    loop = try LoadLoop(options.target)
  }

  /// Opens connections, has one request answered on each, and holds them until stdin ends.
  func runHold() throws(LoadError) {
    let held = try open(options.connections)
    let text = Array("held \(held.count)\n".utf8)
    guard write(1, text, text.count) == text.count else { throw .system("stdout") }
    var byte: UInt8 = 0
    while read(0, &byte, 1) > 0 {}
    for connection in held { loop.end(connection) }
  }

  /// Measures requests at a fixed rate while a crowd is held, half of it sending a byte each second.
  func runBeside() throws(LoadError) {
    var held = try open(options.connections)
    for index in held.indices where index % 2 == 1 { held[index].role = Self.trickleRole }
    let trickling = held.filter { $0.role == Self.trickleRole }
    var idle = try Kept.open(Self.askingCount, role: Self.askingRole, on: loop)
    var latencies = Latencies()
    let request = options.target.request()
    // Far from the end of the head, however long it lasts.
    let head = Array(
      "GET \(options.target.path) HTTP/1.1\r\nHost: \(options.target.host)\r\nX-Padding: ".utf8)
    let start = LoadLoop.now() + 10_000_000
    let lasting = Int64(options.seconds * 1e9)
    var schedule = Schedule(start: start, rate: options.rate, lasting: lasting)
    var bytes = Schedule(
      start: start, rate: max(1, trickling.count), lasting: trickling.isEmpty ? 0 : lasting)
    var sent = 0
    var dropped = 0
    let before = try loop.processor.nanoseconds()
    while LoadLoop.now() < start + lasting + 10_000_000_000 {
      let now = LoadLoop.now()
      while !idle.isEmpty, let due = schedule.take(now) {
        let connection = idle.removeFirst()
        connection.dueAt = due
        if case .failed(let failure) = connection.send(request) { loop.fail(connection, failure) }
      }
      while bytes.take(now) != nil {
        let round = sent / trickling.count
        let byte = round < head.count ? head[round] : 0x78
        if !trickling[sent % trickling.count].trickle([byte]) { dropped += 1 }
        sent += 1
      }
      if latencies.count + loop.failures.values.reduce(0, +) >= schedule.count { break }
      try loop.turn(until: min(schedule.next, bytes.next, start + lasting)) {
        connection, news throws(LoadError) in
        switch (news, connection.role) {
        case (.answered, Self.askingRole):
          latencies.add(LoadLoop.now() - connection.dueAt)
          if connection.isClosedByServer {
            loop.end(connection)
            try loop.open(role: Self.askingRole, dueAt: LoadLoop.now())
          } else {
            idle.append(connection)
          }
        case (.ready, Self.askingRole): idle.append(connection)
        case (.failed(let failure), Self.askingRole): loop.fail(connection, failure)
        case (.failed, _):
          dropped += 1
          loop.end(connection)
        case (.none, _), (.ready, _), (.answered, _): break
        }
      }
    }
    let used = try loop.processor.nanoseconds() - before
    loop.countUnanswered(schedule.count - latencies.count - loop.failures.values.reduce(0, +)) {
      $0.role == Self.askingRole
    }
    print(
      "{\"held\":\(held.count),\"trickled_bytes\":\(sent),\"dropped\":\(dropped),"
        + "\"requests\":\(latencies.count),\(latencies.json()),"
        + "\"cpu_ms\":\(Decimal.text(Double(used) / 1e6)),\(loop.failuresJSON)}")
    held = []
  }

  /// Connections that had one answer each.
  private func open(_ count: Int) throws(LoadError) -> [LoadConnection] {
    let request =
      options.target.http2
      ? HTTP2Answer.request(host: options.target.host, path: options.target.path) : options.target.request()
    return try Kept.open(count, role: Self.idleRole, asking: request, on: loop)
  }
}
