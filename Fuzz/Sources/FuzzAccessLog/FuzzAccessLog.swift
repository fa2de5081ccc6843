import AccessLogs
import FuzzSupport
import LinkCoverage
import LinkspanCore
import LinkspanForecast

/// The entry point that the package manager expects in an executable.
@_cdecl("FuzzAccessLog_main")
public func fuzzMain(_ argc: CInt, _ argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
  fuzz(argc, argv) { check($0) }
}

/// The laws: no input stops the readers; the cut of the input does not matter; counts that are written and read are the same.
private func check(_ input: [UInt8]) {
  let whole = counts(of: [input])
  let cut = input.count / 2
  let pieces = counts(of: [Array(input[..<cut]), Array(input[cut...])])
  guard let whole, let pieces else {
    precondition(whole == nil && pieces == nil, "broken in one cut only")
    return
  }
  precondition(text(of: whole) == text(of: pieces), "the cut matters")
  var (again, part) = (LogCounts(), LogPart())
  do throws(LogCounts.PartProblem) {
    var lines: [[UInt8]] = []
    whole.writePart { lines.append($0.bytes) }
    for line in lines { try part.add(line, to: &again) }
    try part.finish()
  } catch {
    preconditionFailure("what was written cannot be read: \(error.message)")
  }
  precondition(text(of: again) == text(of: whole), "what was written reads otherwise")
  if let fit = try? LogFit(whole) { precondition(fit.baseline > 0 && fit.baseline.isFinite, "no baseline") }
  let urls = URLStream { _ in }
  do { try urls.feed(input) } catch { return }
}

/// nil for broken gzip.
private func counts(of pieces: [[UInt8]]) -> LogCounts? {
  var counts = LogCounts()
  let stream = LogStream { item in
    if case .entry(let entry) = item {
      counts.add(entry.time, offset: entry.offset, fetch: entry.isForAssociationFile ? .device : nil)
    } else {
      counts.addUnreadLine()
    }
  }
  do {
    for piece in pieces { try stream.feed(piece) }
    try stream.finish()
  } catch {
    return nil
  }
  return counts
}

private func text(of counts: LogCounts) -> String {
  var text = ""
  counts.writePart { text += $0.text }
  return text
}
