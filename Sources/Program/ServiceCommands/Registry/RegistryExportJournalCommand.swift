internal import DeviceRegistry
internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanDaemon
internal import LinkspanFiles
internal import PushSending

extension Command {
  static let bucketCredentialsFlag = Flag(
    "--bucket-credentials", "FILE", "The keys of the bucket's store, in a file as AWS's tools keep it")

  static let registryExportJournal = Command(
    name: "registry export-journal", summary: "Write each closed day of the journal of pushes to a file",
    operands: "FOLDER|URL",
    discussion: """
      A day is closed when it is over and all its notifications, or all its campaigns, have ended. Each becomes one file,
      linkspan-journal-2026-11-25-campaign.csv.gz, which names devices by the keyed hashes of the journal; a day is written
      once, also by 'linkspan serve --journal-export'. Receipts of erasures name the files, from which nothing is erased.
      FOLDER has to exist. URL is that of a bucket of an S3-like store, or of a part of it.
      """,
    flags: [registryFlag, bucketCredentialsFlag],
    examples: [
      "linkspan registry export-journal /srv/exports --registry sqlite:registry.db",
      "linkspan registry export-journal https://bucket.s3.eu-central-1.amazonaws.com/exports --bucket-credentials keys",
    ]
  ) { arguments, console throws(LinkspanError) in
    try arguments.expectOperands(1...1)
    let place = try JournalPlace(
      arguments.operands[0], of: "URL", credentials: arguments.value("--bucket-credentials"))
    // A mistyped name would be found out on the first day that has something to export.
    if case .folder(let folder) = place, try FileReader.kind(of: folder) == .missing {
      throw LinkspanError(
        "there is no folder '\(folder)'.", help: "Nothing was exported. Make the folder, or correct its name."
      )
    }
    let registry = try arguments.registry()
    defer { registry.stop() }
    let exporter = try JournalExporter(registry, to: place)
    var count = 0
    while let written = try exporter.exportNext() {
      count += 1
      if arguments.has("--json") {
        console.print(
          .object([
            ("type", .string("journal-export")), ("day", .string(written.day)),
            ("lane", .string(written.lane)),
            ("file", .string("\(place.path)/\(written.file)")), ("lines", .int(written.lines)),
          ]))
      } else {
        console.print("\(place.path)/\(written.file): \(written.lines.counted("line"))")
      }
    }
    if count == 0, !arguments.has("--json") { console.print("no closed day is left to export") }
    return .yes
  }
}
