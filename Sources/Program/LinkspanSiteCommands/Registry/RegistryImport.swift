internal import DeviceRegistry
internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanDaemon
internal import LinkspanFiles

/// One run of `registry import`.
struct RegistryImport {
  private let registry: Registry
  private let arguments: Arguments
  private let console: Console
  private var page: [Device] = []
  private var readCount = 0
  private var changedCount = 0
  private var errorCount = 0

  init(_ registry: Registry, _ arguments: Arguments, _ console: Console) {
    self.registry = registry
    self.arguments = arguments
    self.console = console
  }

  mutating func read(_ path: String) throws(LinkspanError) {
    var reader = try LineReader(path, beforeWaiting: {})
    var number = 0
    while let line = try reader.next() {
      number += 1
      guard case .bytes(let bytes) = line else {
        refuse(number, "The line is too long.")
        continue
      }
      if bytes.isEmpty { continue }
      do throws(InputProblem) {
        page.append(try RegistryTransfer.device(bytes))
        readCount += 1
      } catch {
        refuse(number, error.message)
      }
      if page.count == RegistryTransfer.pageLength { try store() }
    }
    try store()
  }

  private mutating func refuse(_ number: Int, _ reason: String) {
    errorCount += 1
    console.note("line \(number): \(reason)")
  }

  /// A page is one transaction, with its line in the audit log.
  private mutating func store() throws(LinkspanError) {
    let (devices, now) = (page, CurrentTime.now)
    page = []
    guard !devices.isEmpty else { return }
    changedCount += try registry.changeNow { store throws(RegistryError) in
      let count = try store.importDevices(devices, at: now)
      try store.audit([
        AuditEntry(time: now, actor: "operator", action: "device.import", affected: count)
      ])
      return count
    }
  }

  func report() -> ExitStatus {
    if arguments.has("--json") {
      console.print(
        .object([
          ("type", .string("import")), ("read", .int(readCount)), ("stored", .int(changedCount)),
          ("unchanged", .int(readCount - changedCount)), ("errors", .int(errorCount)),
        ]))
    } else {
      console.print(
        "stored \(changedCount) of \(readCount) devices; \(readCount - changedCount) were there already"
          + (errorCount == 0 ? "" : "; \(errorCount) lines have errors"))
    }
    return errorCount == 0 ? .yes : .no
  }
}
