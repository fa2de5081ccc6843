internal import Glibc
internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanFiles
internal import LinkspanForecast
internal import LinkspanSystem
internal import LoadGenerator

/// What a new TLS connection with one request costs 'linkspan serve' on this machine.
enum Calibration {
  private static let seconds = 3
  private static let rate = 1_000

  static func run(_ arguments: Arguments, _ console: Console) throws(LinkspanError) -> ExitStatus {
    let others = [
      "--target", "--scale", "--before", "--seconds", "--retry-after", "--patience", "--host", "--path",
      "--seed", "--elsewhere", "--i-run-this-server",
    ]
    for name in others where arguments.has(name) {
      throw arguments.usage("'\(name)' does not go with --calibrate, which starts a server of its own")
    }
    let server = try MeasuredServer()
    defer { server.stop() }
    var target = LoadTarget()
    target.tls = true
    target.usesLeanTLS = true
    target.port = server.port
    target.serverProcesses = [Int(server.process)]
    do throws(LoadError) {
      let processor = ServerProcessor(processes: target.serverProcesses)
      // The server's tables grow, and the processor wakes up.
      var warm = try Rehearsal(Rehearsal.Plan(connections: [rate / 2]), at: target)
      _ = try warm.run { _, _ in }
      let before = try processor.nanoseconds()
      var rehearsal = try Rehearsal(
        Rehearsal.Plan(connections: Array(repeating: rate, count: seconds)), at: target)
      let report = try rehearsal.run { second, _ in
        console.progress("calibrating: second \(second + 1) of \(seconds)")
      }
      let used = try processor.nanoseconds() - before
      guard report.held == report.offered else {
        throw LoadError("\(report.offered - report.held) of \(report.offered) connections failed")
      }
      let cost = Double(used) / 1e6 / Double(report.held)
      if arguments.has("--json") {
        console.print(
          .object([
            ("type", .string("calibration")), ("connection_ms", .decimal(cost)),
            ("connections", .int(report.held)), ("connections_per_core_s", .int(Int(1000 / cost))),
          ]))
      } else {
        console.print(
          "\(Decimals.text(cost)) ms of one core for a new TLS connection with one request: write connection_ms: "
            + "\(Decimals.text(cost)) under 'server' in the fleet; a core takes about \(Int(1000 / cost)) a second"
        )
      }
      return .yes
    } catch {
      throw LinkspanError(
        "the cost cannot be measured: \(error.reason).", help: "Try again on a quiet machine.")
    }
  }
}

/// A server of this program in a process of its own, on a free port of loopback.
private struct MeasuredServer {
  let process: pid_t
  let port: UInt16
  private let folder: String

  private static let file =
    "{\"applinks\":{\"details\":[{\"appIDs\":[\"ABCDE12345.com.example.app\"],\"components\":[{\"/\":\"/*\"}]}]}}"

  init() throws(LinkspanError) {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? ""
    let place = parent.isEmpty ? "/tmp" : parent
    var template = Array("\(place)/linkspan-calibrate-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Self.failure("a folder below \(place)", errno) }
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let site = folder + "/apple-app-site-association"
    try FileWriter.writeNew(Array(Self.file.utf8), to: site)
    var ends: [CInt] = [0, 0]
    guard pipe(&ends) == 0 else { throw Self.failure("a pipe", errno) }
    defer { close(ends[0]) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 2)
    let words = [
      "linkspan", "serve", site, "--host", "localhost", "--listen", "127.0.0.1:0",
      "--max-connections-per-address", "16384",
    ]
    var pointers: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    var child = pid_t()
    let code = posix_spawn(&child, "/proc/self/exe", &actions, nil, &pointers, environ)
    close(ends[1])
    guard code == 0 else { throw Self.failure("a server of this program", code) }
    process = child
    guard let port = Self.port(from: ends[0]) else {
      kill(child, SIGTERM)
      waitpid(child, nil, 0)
      throw LinkspanError(
        "the server that was started said no address.", help: "Try: linkspan serve --listen 127.0.0.1:0")
    }
    self.port = port
  }

  /// The port in the line "serving … on https://127.0.0.1:PORT"; nil when the server ends without one.
  private static func port(from descriptor: CInt) -> UInt16? {
    var text: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4096)
    while text.count < 1 << 16 {
      let count = read(descriptor, &piece, piece.count)
      guard count > 0 else { return nil }
      text += piece[..<count]
      let words = String(decoding: text, as: UTF8.self).split(whereSeparator: \.isNewline)
      for line in words {
        guard let mark = line.firstRange(of: "https://127.0.0.1:") else { continue }
        let digits = line[mark.upperBound...].prefix { $0.isNumber }
        if let port = UInt16(digits) { return port }
      }
    }
    return nil
  }

  func stop() {
    kill(process, SIGTERM)
    waitpid(process, nil, 0)
    unlink(folder + "/apple-app-site-association")
    rmdir(folder)
  }

  private static func failure(_ what: String, _ code: CInt) -> LinkspanError {
    LinkspanError(
      "\(what) cannot be made: \(SystemError.text(code)).",
      help: "Free what it lacks, and try again.")
  }
}
