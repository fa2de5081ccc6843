internal import DeviceRegistry
internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanDaemon
internal import LinkspanFiles
internal import PushSending
internal import PushTerms
internal import RegistryRequests

/// One run of `registry import`.
struct RegistryImport {
  private let address: ServiceAddress
  /// Where there is none, it is made for the first devices: a mistake in the file or in a flag leaves nothing behind.
  private var registry: Registry?
  private let arguments: Arguments
  private let console: Console
  private var page: [Device] = []
  private var readCount = 0
  /// Devices of pages that are stored, those included that were there already.
  private var keptCount = 0
  private var changedCount = 0
  private var errorCount = 0
  private var otherCount = 0
  private var disabledCount = 0
  /// For JSON.
  private var problems: [JSON] = []
  /// Ours: further lines with errors are counted.
  private static let toldErrors = 20
  /// Ours: about 20 MB of them.
  private static let listedErrors = 100_000
  private var lastProgress = ContinuousClock.now

  /// - Throws: What is wrong with the address or the store.
  init(_ arguments: Arguments, _ console: Console) throws(LinkspanError) {
    address = try arguments.registryAddress()
    self.arguments = arguments
    self.console = console
    if try Registry.foundVersion(address) != nil { registry = try Registry.open(address, makesFile: false) }
  }

  func stop() { registry?.stop() }

  /// - Throws: What stopped it; standard error has said how much is stored by then.
  mutating func read(_ path: String) throws(LinkspanError) {
    do throws(LinkspanError) {
      try readAll(path)
    } catch {
      if readCount > 0 {
        console.note(
          "\(keptCount) of the \(readCount.counted("device")) read until then \(keptCount == 1 ? "is" : "are") in the registry;"
            + " the same command goes on with the others")
      }
      throw error
    }
  }

  private mutating func readAll(_ path: String) throws(LinkspanError) {
    if let service = arguments.choice("--from", ForeignExport.self) { return try read(path, from: service) }
    if let flag = ["--topic", "--environment"].first(where: { arguments.value($0) != nil }) {
      throw arguments.usage("'\(flag)' needs '--from': an export of the registry names its own")
    }
    var reader = try LineReader(path, beforeWaiting: {})
    var number = 0
    while let line = try reader.next() {
      number += 1
      guard case .bytes(let bytes) = line else {
        refuse(number, "The line is too long.")
        continue
      }
      if bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { continue }
      do throws(InputProblem) {
        page.append(try RegistryTransfer.device(bytes))
        readCount += 1
      } catch {
        refuse(number, Self.told(error))
      }
      try storeFullPage()
    }
    try store()
  }

  /// The sentence, after its place where it doesn't name the key itself.
  private static func told(_ problem: InputProblem) -> String {
    let key = problem.pointer.split(separator: "/").first.map { "'\($0)'" } ?? ""
    if key.isEmpty || problem.message.contains(key) { return problem.message }
    return "\(problem.pointer): \(problem.message)"
  }

  private mutating func read(_ path: String, from service: ForeignExport) throws(LinkspanError) {
    let place = ForeignExport.Place(
      topic: arguments.value("--topic"), environment: arguments.choice("--environment"))
    try require(place, of: service)
    var export = ForeignReader(service, place)
    var reader = try LineReader(path, beforeWaiting: {})
    while let line = try reader.next() {
      switch line {
      case .bytes(let bytes): export.add(bytes)
      case .tooLong: export.addTooLong()
      }
      try take(export.takeRows())
    }
    export.finish()
    try take(export.takeRows())
    try store()
  }

  /// What no row of an export says is asked for once, and not at each row.
  private func require(_ place: ForeignExport.Place, of service: ForeignExport) throws(LinkspanError) {
    if let topic = place.topic, !DeviceReader.isTopic(topic) {
      throw arguments.usage("'--topic': '\(topic)' is not a bundle identifier")
    }
    if place.topic == nil, !service.namesTopic {
      throw arguments.usage("'--topic' is required: an export with '--from \(service.rawValue)' names no app")
    }
    if place.environment == nil, !service.namesEnvironment {
      throw arguments.usage(
        "'--environment' is required, production or sandbox: an export with '--from \(service.rawValue)' does not name it"
      )
    }
  }

  private mutating func take(_ rows: [ForeignReader.Row]) throws(LinkspanError) {
    for row in rows {
      switch row.result {
      case .success(.device(let device)):
        page.append(device)
        readCount += 1
        try storeFullPage()
      case .success(.otherPlatform): otherCount += 1
      case .success(.disabled): disabledCount += 1
      case .failure(let problem): refuse(row.line, problem.message, entry: row.entry)
      }
    }
  }

  private mutating func refuse(_ number: Int, _ reason: String, entry: Int? = nil) {
    errorCount += 1
    if arguments.has("--json"), errorCount <= Self.listedErrors {
      let place = [("line", JSON.int(number))] + (entry.map { [("entry", JSON.int($0))] } ?? [])
      problems.append(.object(place + [("message", .string(reason))]))
    }
    guard errorCount <= Self.toldErrors else { return }
    console.note("line \(number)\(entry.map { ", entry \($0)" } ?? ""): \(reason)")
  }

  private mutating func storeFullPage() throws(LinkspanError) {
    guard page.count == RegistryTransfer.pageLength else { return }
    try store()
    let now = ContinuousClock.now
    guard now - lastProgress >= .seconds(1) else { return }
    lastProgress = now
    console.note("\(readCount) devices read, \(changedCount) of them stored")
  }

  private mutating func opened() throws(LinkspanError) -> Registry {
    if let registry { return registry }
    let opened = try Registry.open(address)
    registry = opened
    return opened
  }

  /// A page is one transaction, with its line in the audit log.
  private mutating func store() throws(LinkspanError) {
    let now = CurrentTime.now
    // No device was seen later than now: APNs would never be right about one that is gone.
    let devices = page.map { device in
      var device = device
      device.createdAt = min(device.createdAt, now)
      device.lastSeenAt = min(device.lastSeenAt, now)
      return device
    }
    page = []
    guard !devices.isEmpty else { return }
    let registry = try opened()
    changedCount += try registry.changeNow { store throws(RegistryError) in
      let count = try store.importDevices(devices, at: now)
      try store.audit([
        AuditEntry(time: now, actor: "operator", action: "device.import", affected: count)
      ])
      return count
    }
    keptCount += devices.count
  }

  /// - Throws: That there was nothing to import, which is more likely a mistake than a registry that is meant to stay as it is.
  func report(_ path: String) throws(LinkspanError) -> ExitStatus {
    if errorCount > Self.toldErrors {
      console.note("and \((errorCount - Self.toldErrors).counted("more line")) with errors")
    }
    let isForeign = arguments.value("--from") != nil
    let isRead = readCount + otherCount + disabledCount > 0
    if arguments.has("--json"), isRead || errorCount > 0 {
      let counts: [(String, JSON)] = [
        ("type", .string("import")), ("read", .int(readCount)), ("stored", .int(changedCount)),
        ("unchanged", .int(readCount - changedCount)), ("errors", .int(errorCount)),
      ]
      let skipped: [(String, JSON)] = [
        ("other_platforms", .int(otherCount)), ("disabled", .int(disabledCount)),
      ]
      console.print(.object(counts + (isForeign ? skipped : []) + [("problems", .array(problems))]))
    } else if isRead {
      console.print(
        "stored \(changedCount) of \(readCount.counted("device")); \(readCount - changedCount) were there already"
          + (otherCount == 0 ? "" : "; \(otherCount) of other platforms skipped")
          + (disabledCount == 0 ? "" : "; \(disabledCount) that the service has disabled not stored")
          + (errorCount == 0 ? "" : "; \(errorCount.counted("error"))"))
    }
    guard isRead else {
      console.flush()
      throw nothing(in: path)
    }
    return errorCount == 0 ? .yes : .no
  }

  /// That a file has no line of use, so that it is rather the wrong one.
  private func nothing(in path: String) -> LinkspanError {
    let expected =
      arguments.value("--from").map { "an export for '--from \($0)' with a device" }
      ?? "one device a line, as 'linkspan registry export' prints them; '--from' reads exports of other services"
    let errors = errorCount == 0 ? "" : "\(errorCount.counted("error")) and "
    return LinkspanError(
      "\(path == "-" ? "standard input" : "'\(path)'") has \(errors)no device, so nothing was imported.",
      help: "Expected \(expected).")
  }
}
