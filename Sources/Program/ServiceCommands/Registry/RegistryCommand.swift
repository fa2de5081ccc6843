internal import DeviceRegistry
package import LinkspanCommand
internal import LinkspanCore
internal import LinkspanDaemon
internal import LinkspanFiles
internal import PushSending
internal import PushTerms
internal import RegistryRequests

extension Command {
  package static let registry = Command(
    name: "registry", summary: "Export, import and erase devices of the registry, and read its audit log",
    operands: "COMMAND",
    discussion: "Works on the registry's store itself, while 'linkspan serve' uses it or before.",
    flags: [],
    examples: [
      "linkspan registry export --registry sqlite:registry.db > devices.jsonl",
      "linkspan registry import devices.jsonl --registry postgres://registry@db.example/registry",
    ],
    subcommands: [
      .registryCount, .registryExport, .registryImport, .registryErase, .registryAudit,
      .registryDoctor, .registryBackup, .registryExportJournal,
    ]
  ) { arguments, _ throws(LinkspanError) in
    throw arguments.usage("COMMAND is missing")
  }

  private static let registryCount = Command(
    name: "registry count", summary: "Count all devices, or those that match", operands: "",
    discussion: "Every flag that is given has to fit. Devices whose token APNs has called dead are left out.",
    flags: [
      registryFlag,
      Flag("--topic", "BUNDLE", "Of this app"),
      Flag(
        "--environment", "NAME", choices: PushEnvironment.names,
        "Of this environment: production or sandbox"),
      Flag("--tag", "TAG", repeats: true, "With this tag; with several, with every one of them"),
      Flag("--any-tag", "TAG", repeats: true, "With at least one of these tags"),
      Flag("--without-tag", "TAG", repeats: true, "Without this tag; with several, without any of them"),
      Flag("--locale", "LOCALE", repeats: true, "With this locale, or a region of it: de fits de_AT"),
      Flag("--time-zone", "ZONE", repeats: true, "In this time zone"),
      Flag("--from-version", "VERSION", "Of this version of the app or a later one"),
      Flag("--below-version", "VERSION", "Of an earlier version of the app"),
      Flag("--seen-within", "SECONDS", "That registered in the last SECONDS, such as 2592000 for 30 days"),
      Flag("--not-seen-for", "SECONDS", "That last registered more than SECONDS ago"),
    ],
    examples: ["linkspan registry count --registry sqlite:registry.db --topic com.example.app --locale de"]
  ) { arguments, console throws(LinkspanError) in
    try arguments.expectOperands(0...0)
    var filter = DeviceFilter()
    filter.isActive = true
    filter.topic = arguments.value("--topic")
    if let topic = filter.topic, !DeviceReader.isTopic(topic) {
      throw LinkspanError("'--topic' \(DeviceReader.topicProblem)")
    }
    filter.environment = arguments.choice("--environment")
    filter.choose(try arguments.audience(), at: CurrentTime.now)
    let registry = try arguments.registry(for: .questions)
    defer { registry.stop() }
    let count = try registry.askNow { [filter] store throws(RegistryError) in try store.count(filter) }
    if arguments.has("--json") {
      console.print(.object([("type", .string("count")), ("devices", .int(Int(count)))]))
    } else {
      console.print("\(count)")
    }
    return .yes
  }

  private static let registryExport = Command(
    name: "registry export", summary: "Print every device, one JSON object a line", operands: "",
    discussion: """
      The lines are those that 'linkspan registry import' reads. They contain neither credentials nor the audit log.
      """,
    flags: [registryFlag],
    examples: ["linkspan registry export --registry sqlite:registry.db > devices.jsonl"]
  ) { arguments, console throws(LinkspanError) in
    try arguments.expectOperands(0...0)
    let registry = try arguments.registry(for: .questions)
    defer { registry.stop() }
    var last: Int64 = 0
    while true {
      let page = try registry.askNow { [last] store throws(RegistryError) in
        try store.devices(DeviceFilter(), after: last, limit: RegistryTransfer.pageLength)
      }
      for device in page {
        console.printRaw(String(decoding: RegistryTransfer.line(device), as: UTF8.self), terminator: "\n")
      }
      guard let end = page.last?.identifier else { return .yes }
      last = end
    }
  }

  private static let registryImport = Command(
    name: "registry import", summary: "Read devices as 'registry export' or another service prints them",
    operands: "FILE",
    discussion: """
      FILE is '-' for standard input. An existing device is replaced if the line's last registration is later.
      Lines with errors are reported and skipped. With --from FILE is an export of Parse ('_Installation', JSON or CSV), the
      answer of Firebase's 'iid/v1:batchImport', the output of 'aws sns list-endpoints-by-platform-application', or
      OneSignal's CSV. FILE may be compressed with gzip. Rows of other platforms are skipped, and devices that the service
      has disabled.
      """,
    flags: [
      Flag(
        "--from", "SERVICE", choices: ForeignExport.allCases.map(\.rawValue),
        "The service that FILE comes from"),
      Flag("--topic", "BUNDLE", "The app's bundle identifier, where the export has none"),
      Flag(
        "--environment", "NAME", choices: PushEnvironment.names,
        "Where the export has none: production or sandbox"), registryFlag,
    ],
    examples: [
      "linkspan registry import devices.jsonl --registry sqlite:registry.db",
      "linkspan registry import users.csv --from onesignal --topic com.example.app --environment production"
        + " --registry sqlite:registry.db",
    ],
    exitStatus: "0 every line was read, 1 some lines have errors, 2 no line is a device, or could not answer"
  ) { arguments, console throws(LinkspanError) in
    try arguments.expectOperands(1...1)
    var run = try RegistryImport(arguments, console)
    defer { run.stop() }
    try run.read(arguments.operands[0])
    return try run.report(arguments.operands[0])
  }

  private static let registryBackup = Command(
    name: "registry backup", summary: "Copy an SQLite registry to a new file while a server uses it",
    operands: "FILE",
    discussion: """
      The copy is consistent: everything that was acknowledged before is in it. To restore, stop the server and put the copy
      in the place of the registry's file; remove the files that end in -wal and -shm. PostgreSQL has tools of its own.
      """,
    flags: [registryFlag],
    examples: ["linkspan registry backup registry-2026-09-14.db --registry sqlite:registry.db"]
  ) { arguments, console throws(LinkspanError) in
    try arguments.expectOperands(1...1)
    let path = arguments.operands[0]
    guard path != "-" else {
      throw arguments.usage("the copy is a file; a registry cannot be copied to standard output")
    }
    let registry = try arguments.registry(for: .copies)
    defer { registry.stop() }
    try registry.backUpNow(to: path)
    if arguments.has("--json") {
      console.print(.object([("type", .string("registry-backup")), ("file", .string(path))]))
    } else {
      console.print("copied to \(path)")
    }
    return .yes
  }

  private static let registryErase = Command(
    name: "registry erase", summary: "Erase everything that is stored about a person", operands: "ALIAS",
    discussion: """
      Removes every device with the alias, cancels what was not sent, and removes the name, payload and collapse identifier of
      messages that no one else received. Devices that were deleted or moved to another alias before are found by keyed hash.
      Waits up to 10 seconds for pushes that servers are sending. The receipt lists what remains, such as backups. In SQLite
      the freed bytes are overwritten, in the file and in its write-ahead log.
      """,
    flags: [registryFlag],
    examples: ["linkspan registry erase ann@example.com --registry sqlite:registry.db"],
    exitStatus: "0 erased, 1 there was nothing, 2 could not answer"
  ) { arguments, console throws(LinkspanError) in
    try arguments.expectOperands(1...1)
    if let problem = DeviceReader.lookupProblem(arguments.operands[0]) {
      throw LinkspanError("'\(arguments.operands[0].onOneLine)' is not an alias. \(problem)")
    }
    let registry = try arguments.registry()
    defer { registry.stop() }
    let entry = AuditEntry(time: CurrentTime.now, actor: "operator", action: "alias.erase")
    let receipt = try registry.eraseNow(alias: arguments.operands[0], entry)
    if arguments.has("--json") {
      console.print(.object([("type", .string("erasure"))] + receipt.members))
    } else {
      console.print(words(receipt))
    }
    return receipt.didErase ? .yes : .no
  }

  private static func words(_ receipt: ErasureReceipt) -> String {
    func count(_ number: Int, _ one: String, _ many: String) -> String {
      "\(number) \(number == 1 ? one : many)"
    }
    let done =
      "erased \(count(receipt.erased, "device", "devices")), cancelled"
      + " \(count(receipt.cancelled, "delivery", "deliveries")), redacted"
      + " \(count(receipt.redacted, "message", "messages"))"
    let rest = receipt.remains.map { remainder in
      "remains in: \(remainder.place)" + (remainder.until.map { ", until \($0)" } ?? "")
    }
    return ([done] + rest).joined(separator: "\n")
  }

  private static let registryAudit = Command(
    name: "registry audit", summary: "Print the last changes: who changed what, and when", operands: "",
    discussion: "It names neither aliases nor device tokens; a device is the number that the store gave it.",
    flags: [registryFlag, Flag("--count", "N", "How many, the newest first, at most 1000000 (100)")],
    examples: ["linkspan registry audit --registry sqlite:registry.db --count 20"]
  ) { arguments, console throws(LinkspanError) in
    try arguments.expectOperands(0...0)
    let count = try arguments.number("--count", in: 1...1_000_000) ?? 100
    let registry = try arguments.registry(for: .questions)
    defer { registry.stop() }
    let entries = try registry.askNow { store throws(RegistryError) in try store.auditLog(limit: count) }
    for entry in entries {
      if arguments.has("--json") {
        console.print(
          .object([
            ("type", .string("audit")), ("at", .string("\(entry.time)")), ("actor", .string(entry.actor)),
            ("action", .string(entry.action)), ("subject", .string(entry.subject)),
            ("affected", .int(entry.affected)),
          ]))
      } else {
        let what = "\(entry.actor)  \(entry.action)  \(entry.subject)".onOneLine
        console.print("\(entry.time)  \(what)  \(entry.affected)")
      }
    }
    return .yes
  }
}
