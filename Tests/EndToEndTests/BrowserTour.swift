import Foundation
import TestSupport
import Testing

/// A script that drives pages in Chromium, where a Python with Playwright is there.
enum BrowserTour {
  /// - Parameters:
  ///   - name: Of a script in `Scripts`, which gets the path of the program.
  ///   - result: What it prints when nothing is wrong.
  static func run(_ name: String, result: String) throws {
    let python = ProcessInfo.processInfo.environment["LINKSPAN_TOUR_PYTHON"] ?? "/usr/bin/python3"
    let process = Process()
    process.executableURL = URL(filePath: python)
    process.arguments = [Fixtures.root.appending(path: "Scripts/\(name)").path, Tool.binary.path]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    if output.contains("\(name): skipped") {
      print("\(output.split(separator: "\n").last ?? ""); set LINKSPAN_TOUR_PYTHON to a Python that has them")
      return
    }
    #expect(process.terminationStatus == 0, "\(output)")
    #expect(output.contains(result), "\(output)")
  }
}
