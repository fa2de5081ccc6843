package import Foundation

/// A folder for one test, which goes away with it.
package final class ScratchFolder: Sendable {
  package let url: URL

  /// - Parameter inMemory: Whether it lies where writing waits for no disk, where there is such a place.
  package init(inMemory: Bool = false) throws {
    let memory = URL(filePath: "/dev/shm")
    let home =
      inMemory && FileManager.default.isWritableFile(atPath: memory.path)
      ? memory : FileManager.default.temporaryDirectory
    url = home.appending(path: "linkspan-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  package func path(_ name: String) -> String { url.appending(path: name).path }

  /// Writes a file, and makes the folders it lies in.
  package func write(_ text: String, to name: String) throws { try write(Array(text.utf8), to: name) }

  package func write(_ bytes: [UInt8], to name: String) throws {
    let file = url.appending(path: name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: file)
  }

  package func text(_ name: String) throws -> String {
    try String(contentsOf: url.appending(path: name), encoding: .utf8)
  }

  /// Puts a symbolic link in the place of whatever is there.
  package func link(_ name: String, to target: String) throws {
    let place = url.appending(path: name)
    try? FileManager.default.removeItem(at: place)
    try FileManager.default.createSymbolicLink(atPath: place.path, withDestinationPath: target)
  }
}
