internal import Dispatch
internal import LinkspanCore

/// Work that waits for others, done several pieces at a time on threads of its own.
enum Parallel {
  private struct State<Output: Sendable>: Sendable {
    var next = 0
    var outputs: [Int: Output] = [:]
  }

  /// - Parameters:
  ///   - width: How many pieces are in work at once.
  ///   - everySecond: Called on this thread with the number of finished pieces, each second while work goes on.
  /// - Returns: What the body gave for each item, in the items' order.
  static func map<Item: Sendable, Output: Sendable>(
    _ items: [Item], width: Int, everySecond: (Int) -> Void, _ body: @escaping @Sendable (Item) -> Output
  ) -> [Output] {
    let shared = Shared(State<Output>())
    let queue = DispatchQueue(label: "linkspan.parallel", attributes: .concurrent)
    let group = DispatchGroup()
    for _ in 0..<min(width, items.count) {
      queue.async(group: group) {
        while true {
          let index = shared.state.withLock { state in
            defer { state.next += 1 }
            return state.next
          }
          guard index < items.count else { return }
          let output = body(items[index])
          shared.state.withLock { $0.outputs[index] = output }
        }
      }
    }
    while group.wait(timeout: .now() + .seconds(1)) == .timedOut {
      everySecond(shared.state.withLock { $0.outputs.count })
    }
    return shared.state.withLock { state in items.indices.compactMap { state.outputs[$0] } }
  }

  /// A lock that closures of several threads hold on to.
  private final class Shared<Value: Sendable>: Sendable {
    let state: LockedState<Value>
    init(_ value: Value) { state = LockedState(value) }
  }
}
