import AppBundle
import FuzzSupport
import LinkspanCore

/// The entry point that the package manager expects in an executable.
@_cdecl("FuzzArchive_main")
public func fuzzMain(_ argc: CInt, _ argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
  fuzz(argc, argv) { check($0) }
}

/// Small limits, chosen so that the fuzzer can reach them.
private let limits: ArchiveLimits = {
  var limits = ArchiveLimits()
  limits.totalBytes = 1 << 20
  limits.ratioFloorBytes = 1 << 12
  return limits
}()

/// The laws: no input stops the program; an accepted archive obeys the rules for paths and sizes; an entry has as many
/// bytes as its archive says; every refusal says what to do.
private func check(_ input: [UInt8]) {
  do throws(BundleError) {
    let archive = try Archive(MemoryBytes(input), file: "a", limits: limits)
    var paths: Set<String> = []
    var total = 0
    for (index, entry) in archive.entries.enumerated() {
      precondition(
        !entry.path.hasPrefix("/") && !entry.path.split(separator: "/").contains(".."), "a path leads out")
      precondition(entry.isFolder || paths.insert(entry.path).inserted, "a path occurs twice")
      total += entry.sizeBytes
      let content = try archive.open(index)
      _ = try content.bytes(0..<content.count)
    }
    precondition(total <= limits.totalBytes, "more is taken than the limit")
    _ = try BundleReader(FileIndex(ArchiveTree(archive))).read()
  } catch {
    precondition(!error.message.isEmpty && !error.help.isEmpty, "a silent refusal")
  }
}
