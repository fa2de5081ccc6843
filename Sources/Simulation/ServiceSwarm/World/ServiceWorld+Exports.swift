internal import DeviceRegistry
internal import LinkspanCore
internal import PushSending

/// Days of the journal that a server writes to files.
extension ServiceWorld {
  /// A server writes the days that are over and that no other one has written.
  func exportJournal() {
    guard let index = anyServer(), let server = running(index) else { return }
    let before = journals.texts
    var names: [String] = []
    do throws(LinkspanError) {
      while let written = try server.exporter.exportNext(at: { [time] in time.now }) {
        names.append(written.file)
        check(written, server.registry)
      }
      record(party(index), "export", [("files", .array(names.map(JSON.string)))])
    } catch {
      record(party(index), "export-failed", [("reason", .string(error.message))])
    }
    if !names.isEmpty { reached.insert("export") }
    for (name, text) in before.sorted(by: { $0.key < $1.key }) where !names.contains(name) {
      require(
        journals.texts[name] == text || !isStoreCalm, .exportsWhole,
        "'\(name)' was written again, and no server says so")
    }
  }

  /// A file has a line for each delivery of its day, whose device only who has the key can name.
  private func check(_ written: JournalExporter.Written, _ registry: Registry) {
    let text = journals.texts[written.file] ?? ""
    let lines = text.split(separator: "\n")
    require(
      lines.first.map { "\($0)\n" } == JournalExport.header && lines.count == written.lines + 1,
      .exportsWhole,
      "'\(written.file)' has \(lines.count) lines with its head; \(written.lines) deliveries were told of")
    require(
      Set(lines).count == lines.count, .exportsWhole, "'\(written.file)' has one line twice")
    checkReport(text)
    checkMessages(lines.dropFirst(), written.file, registry)
  }

  /// Each message has as many lines as deliveries.
  private func checkMessages(_ lines: ArraySlice<Substring>, _ file: String, _ registry: Registry) {
    var counts: [Substring: Int64] = [:]
    for line in lines { counts[line.split(separator: ",", maxSplits: 2)[1], default: 0] += 1 }
    for (message, count) in counts.sorted(by: { $0.key < $1.key }) {
      guard let progress = progress(of: String(message), registry) else { continue }
      require(
        progress.open == 0 && Self.lines(progress) == count, .exportsWhole,
        "'\(file)' has \(count) lines of message \(message), which has \(Self.lines(progress)) deliveries")
    }
  }
}
