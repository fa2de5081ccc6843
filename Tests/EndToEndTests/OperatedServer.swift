import Foundation
import Testing

/// A running `linkspan serve` with a listener for operators.
final class OperatedServer {
  let tool: Tool
  let process: Process
  let output = Pipe()
  private(set) var port = 0
  private(set) var adminPort = 0
  /// Empty without a console.
  private(set) var consoleURL = ""

  /// What the server says on standard error goes to `errors.txt` in the tool's folder.
  init(
    _ tool: Tool, _ arguments: [String], environment: [String: String] = [:], isPlain: Bool = true,
    launcher: ((Process) -> Void)? = nil
  ) throws {
    self.tool = tool
    process = tool.process(
      ["serve"] + arguments + ["--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--json"]
        + (isPlain ? ["--plain"] : []))
    process.environment = Tool.environment.merging(environment) { $1 }
    process.standardOutput = output
    try tool.write("", to: "errors.txt")
    process.standardError = try FileHandle(forWritingTo: tool.folder.appending(path: "errors.txt"))
    launcher?(process)
    try process.run()
    let listening = try next("listening")
    port = try #require(listening["port"] as? Int)
    adminPort = listening["admin_port"] as? Int ?? 0
    consoleURL = listening["console_url"] as? String ?? ""
    // Stand-ins say it so, under the same type.
    #expect(listening["admin_url"] as? String == "http://127.0.0.1:\(adminPort)")
  }

  deinit { if process.isRunning { process.terminate() } }

  /// The next line of this type; others are passed over.
  @discardableResult
  func next(_ type: String) throws -> [String: Any] {
    while true {
      var line = Data()
      while let byte = try output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty, byte != Data([0x0A])
      {
        line += byte
      }
      let object = try #require(JSONSerialization.jsonObject(with: line) as? [String: Any])
      if object["type"] as? String == type { return object }
    }
  }

  func signal(_ number: Int32) { kill(process.processIdentifier, number) }

  func end(_ number: Int32 = SIGTERM) -> Int32 {
    signal(number)
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// What the public listener answers, with its status on a line of its own.
  func ask(_ path: String, _ arguments: String...) throws -> String {
    try tool.curl(
      ["-H", "Host: example.com", "-w", "\n%{http_code}", "http://127.0.0.1:\(port)\(path)"] + arguments)
  }

  /// What the listener for operators answers.
  func admin(_ path: String) throws -> String { try tool.curl(["http://127.0.0.1:\(adminPort)\(path)"]) }

  func readiness() throws -> [String: Any] {
    try #require(JSONSerialization.jsonObject(with: Data(admin("/readyz").utf8)) as? [String: Any])
  }

  var errors: String {
    get throws { try String(contentsOf: tool.folder.appending(path: "errors.txt"), encoding: .utf8) }
  }
}

extension Tool {
  /// Runs a program of the system in the tool's folder.
  func program(_ path: String, _ arguments: [String], input: String = "") throws -> (
    status: Int32, output: String
  ) {
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    process.currentDirectoryURL = folder
    let file = folder.appending(path: ".input-\(UUID().uuidString)")
    try Data(input.utf8).write(to: file)
    process.standardInput = try FileHandle(forReadingFrom: file)
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }

  func curl(_ arguments: [String]) throws -> String {
    try program("/usr/bin/curl", ["-s", "--max-time", "20", "--noproxy", "*"] + arguments).output
  }

  func text(_ name: String) throws -> String {
    try String(contentsOf: folder.appending(path: name), encoding: .utf8)
  }

  /// Takes the right to read a file from everybody but its owner.
  func restrict(_ name: String) throws {
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o600], ofItemAtPath: folder.appending(path: name).path)
  }

  /// The program of the system, or nil where it is not installed.
  static func installed(_ name: String) -> String? {
    ["/usr/bin/\(name)", "/usr/local/bin/\(name)"].first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}
