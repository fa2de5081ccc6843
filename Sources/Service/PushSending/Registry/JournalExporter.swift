package import DeviceRegistry
internal import HTTPEngine
package import LinkspanCore
internal import LinkspanFiles
package import LinkspanServer
internal import LinkspanSystem
internal import PushProvider
internal import RegistryRequests

/// Writes each closed day of the journal to a file, one for each lane. Of several processes over one registry each writes the
/// days that no other one does.
package final class JournalExporter: Sendable {
  /// A file that was written.
  package struct Written: Sendable {
    package var day: String
    package var lane: String
    package var file: String
    package var lines: Int
  }

  private struct State {
    var isClosed = false
    var hasThread = false
    var files = 0
    var failures = 0
  }

  /// Ours: lines of one question to the store; between two looks, and after a failure.
  private static let pageLength = 5_000
  private static let pause = Duration.seconds(60)

  private let registry: Registry
  private let files: any JournalFiles
  /// By which the store tells it from other servers.
  private let owner: String
  private let state = LockedState(State())

  /// - Throws: That nothing can be written there.
  package convenience init(_ registry: Registry, to place: JournalPlace) throws(LinkspanError) {
    self.init(
      registry, to: try place.files(), owner: (0..<12).map { _ in UInt8.random(in: .min ... .max) })
  }

  /// - Parameter owner: Random bytes.
  package init(_ registry: Registry, to files: any JournalFiles, owner: [UInt8]) {
    self.registry = registry
    self.files = files
    self.owner = ASCII.hexText(owner)
  }

  /// Writes the oldest closed day that is left.
  ///
  /// - Returns: nil when there is none.
  /// - Throws: Why it cannot be written; then it is left for later.
  package func exportNext(at now: () -> WallTime = { CurrentTime.now }) throws(LinkspanError) -> Written? {
    let begin = now()
    let owner = owner
    let taken = try registry.changeNow { store throws(RegistryError) in
      try store.takeExport(owner, at: begin)
    }
    guard let export = taken else { return nil }
    let lines: Int
    do throws(LinkspanError) {
      let whole = try write(export, now)
      lines = whole.lines
      let end = now()
      try registry.changeNow { store throws(RegistryError) in
        try store.note(export, lines: whole.lines, isWhole: true, at: end)
        // Until this transaction ends no other server can have taken it over.
        try Self.publish(whole.file)
      }
    } catch {
      do throws(LinkspanError) {
        try registry.changeNow { store throws(RegistryError) in try store.release(export) }
      } catch {
        // It is taken over after a while.
      }
      throw error
    }
    state.withLock { $0.files += 1 }
    return Written(day: export.day, lane: export.part.lane.rawValue, file: export.file, lines: lines)
  }

  private static func publish(_ file: any JournalFile) throws(RegistryError) {
    do throws(LinkspanError) {
      try file.publish()
    } catch {
      throw RegistryError(.cannotOpen, error.message, help: error.help)
    }
  }

  /// - Returns: The file, which has no name yet, and how many lines there are.
  private func write(
    _ export: JournalExport, _ now: () -> WallTime
  ) throws(LinkspanError) -> (file: any JournalFile, lines: Int) {
    let file = try files.begin(export.file)
    try file.write(Array(JournalExport.header.utf8))
    var place: JournalExport.Place?
    var lines = 0
    repeat {
      let page = try registry.askNow { [place] store throws(RegistryError) in
        try store.page(of: export, after: place, limit: Self.pageLength)
      }
      try file.write(Array(page.text.utf8))
      lines += page.lines
      place = page.end
      let time = now()
      try registry.changeNow { [lines] store throws(RegistryError) in
        try store.note(export, lines: lines, isWhole: false, at: time)
      }
      if place != nil, state.withLock({ $0.isClosed }) {
        throw LinkspanError(
          "the export of '\(export.file)' was interrupted.", help: "It begins anew with the next start.")
      }
    } while place != nil
    try file.end()
    return (file, lines)
  }

  // MARK: - Beside a server

  /// Writes each day when it is closed, on a thread of its own.
  ///
  /// - Parameters:
  ///   - tell: Takes that a file is there.
  ///   - fail: Takes why one is not.
  package func start(
    tell: @escaping @Sendable (Written) -> Void, fail: @escaping @Sendable (LinkspanError) -> Void
  ) throws(LinkspanError) {
    state.withLock { $0.hasThread = true }
    do throws(LinkspanError) {
      try DetachedThread.start { [self] in
        run(tell, fail)
        state.withLock { $0.hasThread = false }
        state.signal(all: true)
      }
    } catch {
      state.withLock { $0.hasThread = false }
      throw error
    }
  }

  private func run(_ tell: (Written) -> Void, _ fail: (LinkspanError) -> Void) {
    while !state.withLock({ $0.isClosed }) {
      do throws(LinkspanError) {
        while !state.withLock({ $0.isClosed }), let written = try exportNext() { tell(written) }
      } catch {
        if state.withLock({ $0.isClosed }) { return }
        state.withLock { $0.failures += 1 }
        fail(error)
      }
      _ = state.wait(atMost: Self.pause) { $0.isClosed ? true : nil }
    }
  }

  /// Ends the thread; a file that is being written is left for the next start.
  package func stop() {
    state.withLock { $0.isClosed = true }
    state.signal(all: true)
    while state.wait(atMost: Self.pause, for: { $0.hasThread ? nil : true }) == nil {}
  }

  /// Adds the export's families to a page of metrics.
  package func write(to page: inout MetricsPage) {
    let state = state.withLock { $0 }
    page.family(
      "linkspan_push_journal_exports_total", .counter, "Files of closed days that were written.", state.files)
    page.family(
      "linkspan_push_journal_export_failures_total", .counter, "Times that such a file could not be written.",
      state.failures)
  }
}
