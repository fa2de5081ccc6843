package import LinkspanCore
package import LinkspanFiles
internal import LinkspanSimulator
package import SimulatedDevices

/// Writes exchanges for other tools.
package enum ArchiveFile {
  package static let kind = OutputKind.beginning(
    #"{"log":{"version":"1.2","creator":{"name":"linkspan""#, "a HAR archive of linkspan")

  /// - Parameters:
  ///   - start: The moment in the calendar at which the first one may begin.
  ///   - version: The program's.
  /// - Throws: Why the file cannot be written.
  package static func write(
    _ exchanges: [Exchange], start: WallTime, version: String, to file: OutputFile
  ) throws(LinkspanError) {
    let archive = HTTPArchive.json(exchanges, start: start, creator: ("linkspan", version))
    try file.write(archive.bytes + [0x0A])
  }
}
