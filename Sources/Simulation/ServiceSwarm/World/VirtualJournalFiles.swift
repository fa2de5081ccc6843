internal import LinkspanCore
internal import PushSending

/// The folder of exported journals, which no fault of the registry's disk reaches.
///
/// `@unchecked Sendable`: the one thread of a simulation has it.
final class VirtualJournalFiles: JournalFiles, @unchecked Sendable {
  /// By name.
  private(set) var texts: [String: String] = [:]

  func begin(_ name: String) -> any JournalFile { File(name, self) }

  /// `@unchecked Sendable`: the one thread of a simulation has it.
  private final class File: JournalFile, @unchecked Sendable {
    private let name: String
    private let folder: VirtualJournalFiles
    private var bytes: [UInt8] = []

    init(_ name: String, _ folder: VirtualJournalFiles) {
      self.name = name
      self.folder = folder
    }

    func write(_ bytes: [UInt8]) { self.bytes += bytes }

    func end() {}

    func publish() { folder.texts[name] = String(decoding: bytes, as: UTF8.self) }
  }
}
