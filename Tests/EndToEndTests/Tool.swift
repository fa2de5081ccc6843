import Foundation
import TestSupport

/// The built binary, run as a person runs it: in a folder of its own that goes away with it.
final class Tool: Sendable {
  let folder: URL

  struct Outcome {
    var status: Int32
    var output: String
    var errors: String

    var lines: [String] {
      output.utf8.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The only document, or one of the objects, of `--json`.
    func json(line: Int = 0) throws -> [String: Any] {
      try JSONSerialization.jsonObject(with: Data(lines[line].utf8)) as? [String: Any] ?? [:]
    }
  }

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "linkspan-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// The test runner lies beside what was built.
  static var binary: URL {
    let runner = URL(filePath: CommandLine.arguments[0])
    let beside = runner.deletingLastPathComponent().appending(path: "linkspan")
    if FileManager.default.isExecutableFile(atPath: beside.path) { return beside }
    return Fixtures.root.appending(path: ".build/debug/linkspan")
  }

  /// Whole or not at all: a server that watches the folder never reads half of it.
  @discardableResult
  func write(_ text: String, to name: String) throws -> String {
    let file = folder.appending(path: name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    let aside = folder.appending(path: ".\(UUID().uuidString)")
    try Data(text.utf8).write(to: aside)
    if let mode = try? FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: aside.path)
    }
    try FileManager.default.moveIntoPlace(aside, file)
    return name
  }

  /// Nothing of the tests' own but where programs are, and which mutant `Scripts/mutate` tries. Under the address
  /// sanitizer a program that ends is not asked for what it still held: the system takes it back.
  static let environment = ["PATH": "/usr/bin:/bin", "ASAN_OPTIONS": "detect_leaks=0"].merging(
    ProcessInfo.processInfo.environment.filter { $0.key.hasPrefix("LINKSPAN_MUTANT") }
  ) { $1 }

  func run(_ arguments: String..., input: String = "", environment: [String: String] = [:]) throws -> Outcome
  {
    try run(arguments, input: input, environment: environment)
  }

  /// - Parameter program: Another one than `linkspan`.
  func run(
    program: URL? = nil, _ arguments: [String], input: String = "", environment: [String: String] = [:]
  ) throws -> Outcome {
    let process = process(arguments)
    if let program { process.executableURL = program }
    process.environment = Self.environment.merging(environment) { $1 }
    // Files rather than pipes: no reader has to keep up, whatever the size.
    let names = ["in", "out", "err"].map { folder.appending(path: ".std\($0)-\(UUID().uuidString)") }
    try Data(input.utf8).write(to: names[0])
    for name in names.dropFirst() { try Data().write(to: name) }
    process.standardInput = try FileHandle(forReadingFrom: names[0])
    process.standardOutput = try FileHandle(forWritingTo: names[1])
    process.standardError = try FileHandle(forWritingTo: names[2])
    try process.run()
    process.waitUntilExit()
    return Outcome(
      status: process.terminationStatus, output: try String(contentsOf: names[1], encoding: .utf8),
      errors: try String(contentsOf: names[2], encoding: .utf8))
  }

  /// Runs it with a standard output that nobody reads.
  func runUnread(_ arguments: [String]) throws -> (status: Int32, errors: String) {
    let process = process(arguments)
    let (output, errors) = (Pipe(), Pipe())
    try output.fileHandleForReading.close()
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, text)
  }

  func process(_ arguments: [String]) -> Process {
    let process = Process()
    process.executableURL = Self.binary
    process.arguments = arguments
    process.currentDirectoryURL = folder
    return process
  }
}

extension FileManager {
  /// Like rename(2), which replaces what is there.
  fileprivate func moveIntoPlace(_ old: URL, _ new: URL) throws {
    guard rename(old.path, new.path) == 0 else {
      throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: new.path])
    }
  }
}
