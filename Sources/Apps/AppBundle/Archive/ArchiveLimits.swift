/// How much of an archive is taken. All of these are ours unless they say otherwise.
package struct ArchiveLimits: Sendable {
  /// Large apps have some ten thousand files.
  package var entryCount = 100_000
  /// The directory of the archive, which is read at once.
  package var directoryBytes = 32 << 20
  /// All entries unpacked. An app may have 4 GB (Apple, "Maximum build file sizes"); symbols come on top.
  package var totalBytes = 8 << 30
  /// Below this size an entry or archive may be as compressible as it likes.
  package var ratioFloorBytes = 16 << 20
  /// Unpacked bytes for each packed one. Deflate itself ends at 1032; resources of real apps stay below 50.
  package var ratio = 250
  /// A path, in bytes; file systems end at 1024.
  package var pathBytes = 1024
  /// How often an entry may be unpacked from its start again.
  package var rewindCount = 8

  package init() {}
}
