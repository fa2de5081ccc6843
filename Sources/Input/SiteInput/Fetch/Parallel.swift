internal import Dispatch
internal import LinkspanCore

/// Work that waits for others, done several pieces at a time on threads of its own.
enum Parallel {
  private struct State<Output: Sendable>: Sendable {
    var next = 0
    var outputs: [Int: Output] = [:]
    var runningCount: Int
  }

  /// - Parameters:
  ///   - width: How many pieces are in work at once.
  ///   - everySecond: Called on this thread with the number of finished pieces, each second while work goes on.
  /// - Returns: What the body gave for each item, in the items' order.
  static func map<Item: Sendable, Output: Sendable>(
    _ items: [Item], width: Int, everySecond: (Int) -> Void, _ body: @escaping @Sendable (Item) -> Output
  ) -> [Output] {
    let count = min(width, items.count)
    let state = LockedState(State<Output>(runningCount: count))
    let queue = DispatchQueue(label: "linkspan.parallel", attributes: .concurrent)
    for _ in 0..<count {
      queue.async {
        while true {
          let index = state.withLock { state in
            defer { state.next += 1 }
            return state.next
          }
          guard index < items.count else { break }
          let output = body(items[index])
          state.withLock { $0.outputs[index] = output }
        }
        state.withLock { $0.runningCount -= 1 }
        state.signal(all: true)
      }
    }
    while state.wait(atMost: .seconds(1), for: { $0.runningCount == 0 ? true : nil }) == nil {
      everySecond(state.withLock { $0.outputs.count })
    }
    return state.withLock { state in items.indices.compactMap { state.outputs[$0] } }
  }
}
