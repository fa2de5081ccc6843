/// Where the tasks begin that a deadline needs beside the caller's own.
///
/// An unstructured task does not inherit the executor that its creator prefers. Whoever runs code on an executor of its own,
/// such as a test or a simulation that decides which task is next, names it here, so that no task leaves it.
public struct TaskStart: Sendable {
  /// Holds `any TaskExecutor`, which is a type only from iOS 18 on.
  private let executor: (any Sendable)?

  /// As `Task { }` begins: what apps want.
  public static let plain = TaskStart(executor: nil)

  /// On an executor.
  @available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
  public static func on(_ executor: any TaskExecutor) -> TaskStart { TaskStart(executor: executor) }

  func callAsFunction<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) -> Task<Value, any Error> {
    if #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *),
      let executor = executor as? any TaskExecutor
    {
      return Task(executorPreference: executor) { try await body() }
    }
    return Task { try await body() }
  }

  /// For work that has no error: where a callback of the system begins a task of its own.
  func callAsFunction(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    if #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *),
      let executor = executor as? any TaskExecutor
    {
      return Task(executorPreference: executor) { await body() }
    }
    return Task { await body() }
  }
}
