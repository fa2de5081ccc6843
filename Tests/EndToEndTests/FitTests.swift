import Foundation
import TestSupport
import Testing

/// `linkspan forecast --fit`, from log to forecast.
@Suite struct FitTests {
  /// Two days of a request every ten seconds, from 2026-03-02, with a stampede of 2,000 devices at the second midnight.
  static let log: String = {
    func moment(_ second: Int) -> String {
      func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
      return
        "\(two(2 + second / 86_400))/Mar/2026:\(two(second / 3_600 % 24)):\(two(second / 60 % 60)):\(two(second % 60)) +0000"
    }
    var lines: [String] = []
    for second in 0..<2 * 86_400 where second / 600 != 50 && (second.isMultiple(of: 10) || second == 86_401) {
      lines.append("192.0.2.1 - - [\(moment(second))] \"GET /a HTTP/1.1\" 200 5 \"-\" \"Mozilla/5.0\"")
      guard second == 86_400 || second == 86_401 else { continue }
      let file = "GET /.well-known/apple-app-site-association HTTP/1.1"
      let agent = "com.apple.swcd (unknown version) CFNetwork/1 Darwin/1"
      lines += Array(
        repeating: "192.0.2.2 - - [\(moment(second))] \"\(file)\" 200 5 \"-\" \"\(agent)\"", count: 1_000)
    }
    lines.insert("garbage", at: 1_000)
    return lines.joined(separator: "\n") + "\n"
  }()

  /// Under one name, another one, a link, and a hard link.
  @Test(arguments: [
    ("access.log", "named twice"), ("./access.log", "the same file as 'access.log'"),
    ("link", "the same file as 'access.log'"), ("hard", "the same file as 'access.log'"),
  ]) func aFileThatIsNamedTwiceCountsOnce(again: String, words: String) throws {
    let tool = try Tool()
    try tool.write(Self.log, to: "access.log")
    try FileManager.default.createSymbolicLink(
      at: tool.folder.appending(path: "link"), withDestinationURL: tool.folder.appending(path: "access.log"))
    try FileManager.default.linkItem(
      at: tool.folder.appending(path: "access.log"), to: tool.folder.appending(path: "hard"))
    let once = try tool.run("forecast", "--fit", "access.log", "--json")
    let twice = try tool.run("forecast", "--fit", "access.log", again, "--json")
    #expect(twice.status == 0 && twice.output == once.output)
    #expect(
      twice.errors.contains("linkspan forecast: warning: '\(again)' is \(words); it is counted once.\n"),
      "\(twice.errors)")
    let part = try tool.run("forecast", "--fit", "access.log", "--partial")
    try tool.write(part.output, to: "part")
    let merged = try tool.run("forecast", "--fit", "--merge", "part", "./part", "--json")
    #expect(merged.output == once.output && merged.errors.contains("it is counted once"), "\(merged.errors)")
  }

  @Test func theLogGivesBackWhatIsInIt() throws {
    let tool = try Tool()
    try tool.write(Self.log, to: "access.log")
    let run = try tool.run("forecast", "--fit", "access.log", "--fleet-out", "fleet.json5", "--json")
    #expect(run.status == 0, "\(run.errors)")
    let fit = try run.json()
    #expect(fit["type"] as? String == "fit" && fit["unread_lines"] as? Int == 1)
    #expect(abs((fit["baseline_rps"] as? Double ?? 0) - 0.1) < 0.002)
    let stampedes = try #require(fit["stampedes"] as? [[String: Any]])
    #expect(stampedes.count == 1)
    #expect(
      stampedes[0]["at"] as? String == "2026-03-03T00:00:00Z" && stampedes[0]["peak_rps"] as? Int == 1_001)
    #expect(abs((stampedes[0]["requests"] as? Int ?? 0) - 2_000) < 20)
    let gaps = try #require(fit["gaps"] as? [[String: Any]])
    #expect(gaps.count == 1 && (600...610).contains(gaps[0]["length_s"] as? Int ?? 0))
    #expect(fit["direct_share"] as? Double ?? Double(fit["direct_share"] as? Int ?? 0) == 1)
    // The fleet is one that a forecast takes.
    let forecast = try tool.run("forecast", "fleet.json5", "--json")
    #expect(forecast.status == 0, "\(forecast.errors)")
    #expect(try forecast.json()["type"] as? String == "forecast")
    let text = try tool.run("forecast", "--fit", "access.log")
    #expect(text.output.contains("2026-03-03T00:00:00Z") && text.output.contains("1 unread line\n"))
    try tool.write(Self.log.replacing("garbage\n", with: ""), to: "good.log")
    let good = try tool.run("forecast", "--fit", "good.log")
    #expect(good.output.contains("2026-03-03T00:00:00Z") && !good.output.contains("unread"))
    #expect(!good.output.contains("left out"))
  }

  /// Two days by turns, an hour each: the list of what is odd ends with how much more there is.
  @Test func whatIsNotListedIsCounted() throws {
    let tool = try Tool()
    let hours = (0..<24).flatMap { hour in ["03", "02"].map { ($0, hour < 10 ? "0\(hour)" : "\(hour)") } }
    let lines = hours.flatMap { day, hour in
      (10..<30).map { "1.2.3.4 - - [\(day)/Mar/2026:\(hour):\($0):00 +0000] \"GET / HTTP/1.1\" 200 1" }
    }
    try tool.write(lines.joined(separator: "\n") + "\n", to: "access.log")
    let text = try tool.run("forecast", "--fit", "access.log").output
    #expect(text.components(separatedBy: "\n  lines are not in order: ").count == 1 + 20, "\(text)")
    #expect(text.contains("\n  … and 4 more clock changes\n"), "\(text)")
  }

  @Test func partsMergeToTheWhole() throws {
    let tool = try Tool()
    let lines = Self.log.split(separator: "\n")
    try tool.write(Self.log, to: "access.log")
    for part in 0..<4 {
      let piece = lines[lines.count * part / 4..<lines.count * (part + 1) / 4].joined(separator: "\n")
      try tool.write(piece + "\n", to: "part")
      let run = try tool.run("forecast", "--fit", "part", "--partial")
      #expect(run.status == 0, "\(run.errors)")
      try tool.write(run.output, to: "counts-\(part)")
    }
    let merged = try tool.run(
      "forecast", "--fit", "--merge", "counts-0", "counts-1", "counts-2", "counts-3", "--json")
    #expect(merged.output == (try tool.run("forecast", "--fit", "access.log", "--json")).output)
  }

  @Test func aPartThatIsCutIsRefused() throws {
    let tool = try Tool()
    try tool.write(Self.log, to: "access.log")
    let whole = try tool.run("forecast", "--fit", "access.log", "--partial")
    try tool.write(whole.lines.dropLast(10).joined(separator: "\n") + "\n", to: "cut")
    try tool.write("", to: "empty")
    let cut = try tool.run("forecast", "--fit", "--merge", "cut")
    #expect(cut.status == 2)
    #expect(
      cut.errors.contains("'cut': the file announces 48 hours and holds 38, so it is cut off."),
      "\(cut.errors)")
    #expect(cut.errors.contains("count a piece again whose file is not whole"))
    let empty = try tool.run("forecast", "--fit", "--merge", "empty")
    #expect(empty.status == 2 && empty.errors.contains("'empty': the file has no line of type 'fit-part'"))
  }

  /// Traffic that falls does not grow by less than nothing.
  @Test func fallingTrafficIsCalledSo() throws {
    let tool = try Tool()
    var log = ""
    for day in 1...12 {
      for request in 0..<(1440 - day * 100) {
        let minute = request * 1440 / (1440 - day * 100)
        log +=
          "{\"time\":\"2026-03-\(day < 10 ? "0" : "")\(day)T\(minute / 60 < 10 ? "0" : "")\(minute / 60):"
          + "\(minute % 60 < 10 ? "0" : "")\(minute % 60):00Z\",\"method\":\"GET\",\"path\":\"/\",\"status\":200}\n"
      }
    }
    try tool.write(log, to: "log")
    let run = try tool.run("forecast", "--fit", "log")
    let line = /0\.\d+ requests a second normally, falling by \d[\d.]* % a day to 0\.\d+/
    #expect(run.lines.first?.wholeMatch(of: line) != nil, "\(run.lines.first ?? run.errors)")
  }

  @Test func whatCannotBeFittedIsSaid() throws {
    let tool = try Tool()
    try tool.write("garbage\n", to: "log")
    let run = try tool.run("forecast", "--fit", "log")
    #expect(
      run.status == 2 && run.errors.contains("no line of the log is a request with its time"), "\(run.errors)"
    )
    #expect(try tool.run("forecast", "--fit", "--merge", "log").status == 2)
    #expect(try tool.run("forecast", "--partial", "log").status == 2)
  }
}
