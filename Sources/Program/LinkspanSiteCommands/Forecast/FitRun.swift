internal import AccessLogs
internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanFiles
internal import LinkspanForecast
internal import LinkspanServer

/// `linkspan forecast --fit`.
struct FitRun {
  private let arguments: Arguments
  private let console: Console
  private let fleetOutput: OutputPlace?

  init(_ arguments: Arguments, _ console: Console) throws(LinkspanError) {
    for name in ["--seed", "--agents", "--csv", "--svg", "--html"] where arguments.has(name) {
      throw arguments.usage("'\(name)' does not go with '--fit'; forecast the fleet that --fleet-out writes")
    }
    if arguments.has("--partial"), arguments.has("--merge") || arguments.has("--fleet-out") {
      throw arguments.usage("'--partial' goes with neither '--merge' nor '--fleet-out'")
    }
    try arguments.expectOperands(1...Int.max)
    fleetOutput = try arguments.output("--fleet-out", .document(of: "linkspan forecast --fit"))
    self.arguments = arguments
    self.console = console
  }

  func run() throws(LinkspanError) -> ExitStatus {
    let counts = arguments.has("--merge") ? try merged() : try readUntilStopped()
    if counts.isInterrupted, arguments.has("--partial") {
      throw LinkspanError(
        "reading was ended early; nothing is printed, as '--merge' would take it for the whole log.")
    }
    if arguments.has("--partial") {
      counts.writePart { console.print($0) }
      return .yes
    }
    let fit: LogFit
    do throws(LogFit.Problem) {
      fit = try LogFit(counts)
    } catch {
      throw LinkspanError(
        "\(error.message) (\(counts.requests.counted("request")), \(counts.unreadLines.counted("unread line"))).",
        help: error.help)
    }
    try fleetOutput?.write(Array(fit.fleet.document.utf8), console)
    if arguments.has("--json") {
      console.print(fit.json)
    } else {
      console.print(FitText(fit, console.style).text, terminator: "")
    }
    return .yes
  }

  /// Reads the logs; the first Ctrl-C ends the reading, the second one the program.
  private func readUntilStopped() throws(LinkspanError) -> LogCounts {
    Interruption.watch()
    defer { Interruption.leave() }
    return try read()
  }

  private func read() throws(LinkspanError) -> LogCounts {
    let reader = FitReader()
    var files = CountedFiles()
    var lastProgress = ContinuousClock.now
    for path in arguments.operands where try files.takes(path, "forecast", console) {
      reader.counts.beginLog()
      let input = try ByteStream(path)
      let began = ContinuousClock.now
      var bytes = 0
      let stream = LogStream(reader.take)
      while let piece = try input.next() {
        try Self.unpacked(path) { () throws(LogStream.BrokenGzip) in try stream.feed(piece) }
        bytes += piece.count
        if Interruption.isAskedFor {
          reader.counts.isInterrupted = true
          return reader.counts
        }
        let now = ContinuousClock.now
        guard now - lastProgress >= .seconds(1) else { continue }
        lastProgress = now
        tellProgress(path, bytes, input.sizeBytes, (now - began).components.seconds, reader.counts)
      }
      try Self.unpacked(path) { () throws(LogStream.BrokenGzip) in try stream.finish() }
    }
    return reader.counts
  }

  private static func unpacked(
    _ path: String, _ work: () throws(LogStream.BrokenGzip) -> Void
  ) throws(LinkspanError) {
    do throws(LogStream.BrokenGzip) {
      try work()
    } catch {
      throw .brokenGzip("'\(path)'")
    }
  }

  private func tellProgress(
    _ path: String, _ bytes: Int, _ size: Int?, _ elapsed_s: Int64, _ counts: LogCounts
  ) {
    var text = "linkspan forecast: \(path): \(bytes / 1_000_000) MB"
    if let size, size > bytes {
      let rest_s = Int64(size - bytes) * max(1, elapsed_s) / Int64(max(1, bytes))
      text += " of \(size / 1_000_000) MB, about \(rest_s) s left"
    }
    console.note(
      text + ", \(counts.requests.counted("request")), \(counts.unreadLines.counted("unread line"))")
  }

  private static let partHelp =
    "Give whole files that 'linkspan forecast --fit --partial' wrote; count a piece again whose file is not whole."

  private func merged() throws(LinkspanError) -> LogCounts {
    var total = LogCounts()
    var files = CountedFiles()
    for path in arguments.operands where try files.takes(path, "forecast", console) {
      var reader = try LineReader(path, beforeWaiting: {})
      var number = 0
      var part = LogPart()
      while let line = try reader.next() {
        number += 1
        do throws(LogCounts.PartProblem) {
          guard case .bytes(let bytes) = line else {
            throw LogCounts.PartProblem(message: "the line is too long")
          }
          if bytes.allSatisfy({ $0 <= 0x20 }) { continue }
          try part.add(bytes, to: &total)
        } catch {
          throw LinkspanError("'\(path)', line \(number): \(error.message).", help: Self.partHelp)
        }
      }
      do throws(LogCounts.PartProblem) {
        try part.finish()
      } catch {
        throw LinkspanError("'\(path)': \(error.message).", help: Self.partHelp)
      }
    }
    return total
  }
}

/// Counts requests as they are read.
private final class FitReader {
  var counts = LogCounts()

  func take(_ item: LogStream.Item) {
    guard case .entry(let entry) = item else { return counts.addUnreadLine() }
    var fetch: LogCounts.Client?
    if entry.isForAssociationFile {
      fetch =
        switch ClientClass(userAgent: entry.userAgent) {
        case .device: .device
        case .crawler: .crawler
        case .browser, .other: .other
        }
    }
    counts.add(entry.time, offset: entry.offset, fetch: fetch)
  }
}
