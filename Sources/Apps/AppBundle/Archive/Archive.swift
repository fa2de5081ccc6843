internal import CZip
internal import LinkspanCore

/// A zip archive of strangers, such as an .ipa: judged whole, unpacked entry by entry, never written anywhere.
package final class Archive {
  package struct Entry: Sendable {
    /// With slashes; a folder's has none at its end.
    package let path: String
    package let isFolder: Bool
    package let sizeBytes: Int
    package let compressedBytes: Int
    /// CRC-32 of the unpacked bytes, as the directory says.
    package let checksum: UInt32
  }

  package let entries: [Entry]
  /// The archive itself.
  package let sizeBytes: Int
  fileprivate let library: ZipLibrary
  fileprivate let limits: ArchiveLimits
  package let file: String

  /// - Parameter file: What the person calls the archive; errors carry it.
  /// - Throws: Why the archive is refused; nothing has been unpacked then.
  package init(
    _ bytes: any RandomAccessBytes, file: String, limits: ArchiveLimits = ArchiveLimits()
  ) throws(BundleError) {
    let directory = try ArchiveDirectory(bytes, file: file, limits: limits)
    let library = try ZipLibrary(bytes, file: file)
    for (index, entry) in directory.entries.enumerated() where library.name(index) != entry.name {
      throw BundleError(
        .damaged, in: file,
        "Two readers of the archive disagree about its entry '\(ArchivePath.shown(entry.name))'.",
        help: "Make the archive again.")
    }
    guard library.entryCount == directory.entries.count else {
      throw BundleError(
        .damaged, in: file, "Two readers of the archive count different numbers of entries.",
        help: "Make the archive again.")
    }
    self.library = library
    self.file = file
    self.limits = limits
    sizeBytes = bytes.count
    entries = directory.entries.map { entry in
      Entry(
        path: String(decoding: entry.isFolder ? entry.name.dropLast() : entry.name[...], as: UTF8.self),
        isFolder: entry.isFolder, sizeBytes: entry.uncompressedBytes,
        compressedBytes: entry.compressedBytes, checksum: entry.checksum)
    }
  }

  /// The unpacked bytes of an entry; they are unpacked as they are read.
  package func open(_ index: Int) throws(BundleError) -> any RandomAccessBytes {
    try ArchiveEntryBytes(self, index)
  }
}

/// The bytes of one entry, unpacked forwards; going back begins again, some few times.
private final class ArchiveEntryBytes: RandomAccessBytes {
  private let archive: Archive
  private let index: Int
  private var stream: OpaquePointer
  private var position = 0
  private var rewinds = 0
  /// Our choice: what is skipped goes through here.
  private static let skipBytes = 1 << 16

  init(_ archive: Archive, _ index: Int) throws(BundleError) {
    self.archive = archive
    self.index = index
    stream = try archive.library.open(index)
  }

  deinit { zip_fclose(stream) }

  var count: Int { archive.entries[index].sizeBytes }

  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(BundleError) {
    if offset < position {
      rewinds += 1
      guard rewinds <= archive.limits.rewindCount else {
        throw BundleError(
          .damaged, in: place, "Its parts lie in an order that would unpack it again and again.",
          help: "No linker writes such a file. Build it again.")
      }
      let again = try archive.library.open(index)
      zip_fclose(stream)
      stream = again
      position = 0
    }
    if position < offset {
      let skip = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.skipBytes, alignment: 16)
      defer { skip.deallocate() }
      while position < offset {
        try fill(UnsafeMutableRawBufferPointer(rebasing: skip[..<min(skip.count, offset - position)]))
      }
    }
    try fill(buffer)
    // The library compares the checksum when it comes to the end.
    if position == count { try expectEnd() }
  }

  private var place: String { "\(archive.file)/\(archive.entries[index].path)" }

  private func fill(_ buffer: UnsafeMutableRawBufferPointer) throws(BundleError) {
    var filled = 0
    while filled < buffer.count {
      let got = zip_fread(stream, buffer.baseAddress! + filled, UInt64(buffer.count - filled))
      guard got >= 0 else { throw ZipLibrary.problem(zip_file_get_error(stream), file: place) }
      guard got > 0 else {
        throw BundleError(
          .damaged, in: place, "The entry unpacks to fewer bytes than the archive says.",
          help: "Look whether the archive was copied whole, or make it again.")
      }
      filled += Int(got)
      position += Int(got)
    }
  }

  private func expectEnd() throws(BundleError) {
    var byte: UInt8 = 0
    let got = zip_fread(stream, &byte, 1)
    if got < 0 { throw ZipLibrary.problem(zip_file_get_error(stream), file: place) }
    guard got == 0 else {
      throw BundleError(
        .damaged, in: place, "The entry unpacks to more bytes than the archive says.",
        help: "Look whether the archive was copied whole, or make it again.")
    }
  }
}
