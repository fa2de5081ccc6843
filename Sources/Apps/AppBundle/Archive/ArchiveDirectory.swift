internal import LinkspanCore

/// What the directory of a zip archive says, read by us before any library touches the archive.
///
/// Sizes, overlaps, links and paths are judged here, from a few bytes an entry, so that a hostile archive costs
/// nothing. The library then reads the same directory on its own, and the two have to agree.
///
/// - Source: PKWARE, "APPNOTE.TXT - .ZIP File Format Specification", sections 4.3.7 to 4.3.16.
struct ArchiveDirectory {
  struct Entry {
    var name: [UInt8]
    var flags: Int
    var method: Int
    var checksum: UInt32
    var compressedBytes: Int
    var uncompressedBytes: Int
    var headerOffset: Int
    /// The mode that Unix gives a file, or 0 where another system made the entry.
    var mode: Int

    var isFolder: Bool { name.last == UInt8(ascii: "/") }
  }

  private(set) var entries: [Entry] = []
  private let bytes: any RandomAccessBytes
  private let file: String
  private let limits: ArchiveLimits
  /// Where the directory begins, which is where the last entry has to have ended.
  private var start = 0

  /// - Throws: What is wrong with the archive, with the entry's name where it is one.
  init(_ bytes: any RandomAccessBytes, file: String, limits: ArchiveLimits) throws(BundleError) {
    self.bytes = bytes
    self.file = file
    self.limits = limits
    let end = try endRecord()
    start = end.offset
    try readEntries(try bytes.bytes(end.offset..<end.offset + end.size), count: end.count)
    try checkSizes()
    try checkNames()
    try checkPlaces()
  }

  private func damaged(_ reason: String) -> BundleError {
    BundleError(
      .damaged, in: file, "The archive is damaged: \(reason).",
      help: "Look whether it was copied whole, or make it again.")
  }

  // MARK: - The record at the end

  private static let endBytes = 22
  private static let locatorBytes = 20

  private func endRecord() throws(BundleError) -> (offset: Int, size: Int, count: Int) {
    let tailStart = max(0, bytes.count - Self.endBytes - 0xFFFF)
    let tail = NumberReader(try bytes.bytes(tailStart..<bytes.count))
    var place = tail.bytes.count - Self.endBytes
    while place >= 0 {
      if tail.bytes[place...].starts(with: [0x50, 0x4B, 0x05, 0x06]),
        tail.little16(place + 20) == tail.bytes.count - place - Self.endBytes
      {
        break
      }
      place -= 1
    }
    guard place >= 0 else { throw try withoutEnd(tail) }
    guard tail.little16(place + 4) == 0, tail.little16(place + 6) == 0 else {
      throw damaged("it is one part of several")
    }
    let position = tailStart + place
    let short = (
      offset: tail.little32(place + 16), size: tail.little32(place + 12), count: tail.little16(place + 10)
    )
    let long = try longEndRecord(before: position)
    let found = long?.found ?? short
    let limit = long?.position ?? position
    guard found.count <= limits.entryCount else { throw tooMany(found.count) }
    guard found.size <= limits.directoryBytes else {
      throw BundleError(
        .tooLarge, in: file,
        "The archive's directory has \(found.size) bytes; at most \(limits.directoryBytes) are read.",
        help: "No app has so many files with such long names.")
    }
    guard found.size >= 0, found.offset >= 0, found.size <= limit, found.offset == limit - found.size else {
      throw damaged("its directory is not where its end says (bytes may be missing, or precede it)")
    }
    return found
  }

  private func tooMany(_ count: Int) -> BundleError {
    BundleError(
      .tooLarge, in: file, "The archive has \(count) entries; at most \(limits.entryCount) are read.",
      help: "No app has so many files.")
  }

  /// The record of archives above 4 GB or 65,535 entries (4.3.14, 4.3.15).
  private func longEndRecord(
    before position: Int
  ) throws(BundleError) -> (found: (offset: Int, size: Int, count: Int), position: Int)? {
    guard position >= Self.locatorBytes else { return nil }
    let locator = NumberReader(try bytes.bytes(position - Self.locatorBytes..<position))
    guard locator.bytes.starts(with: [0x50, 0x4B, 0x06, 0x07]) else { return nil }
    guard let place = Int(exactly: locator.little64(8)), place >= 0,
      place <= position - Self.locatorBytes - 56
    else { throw damaged("the locator of its long end record leads nowhere") }
    let record = NumberReader(try bytes.bytes(place..<place + 56))
    guard record.bytes.starts(with: [0x50, 0x4B, 0x06, 0x06]), record.little32(16) == 0,
      record.little32(20) == 0, let count = Int(exactly: record.little64(32)),
      let size = Int(exactly: record.little64(40)), let offset = Int(exactly: record.little64(48))
    else { throw damaged("its ZIP64 end record is invalid") }
    return ((offset, size, count), place)
  }

  /// - Parameter tail: Where a record has to end with the file.
  private func withoutEnd(_ tail: NumberReader) throws(BundleError) -> BundleError {
    let head = try bytes.bytes(0..<min(4, bytes.count))
    if head == [0x50, 0x4B, 0x03, 0x04] {
      for place in stride(from: tail.bytes.count - Self.endBytes, through: 0, by: -1)
      where tail.bytes[place...].starts(with: [0x50, 0x4B, 0x05, 0x06]) {
        let behind = tail.bytes.count - place - Self.endBytes - tail.little16(place + 20)
        if behind > 0 { return damaged("it goes on for \(behind.counted("byte")) behind its end") }
      }
      return BundleError(
        .truncated, in: file, "The archive ends before its directory, after \(bytes.count.counted("byte")).",
        help: "Look whether it was copied or downloaded whole.")
    }
    return BundleError(
      .otherFormat, in: file, "This is not a zip archive, as an .ipa is one.",
      help: "Check that this is the right file.")
  }

  // MARK: - Entries

  private mutating func readEntries(_ directory: [UInt8], count: Int) throws(BundleError) {
    let reader = NumberReader(directory)
    var place = 0
    entries.reserveCapacity(min(count, directory.count / 46))
    while place < directory.count {
      guard directory.count - place >= 46, directory[place...].starts(with: [0x50, 0x4B, 0x01, 0x02]) else {
        throw damaged("its directory breaks off after entry \(entries.count)")
      }
      let (nameBytes, extraBytes) = (reader.little16(place + 28), reader.little16(place + 30))
      let next = place + 46 + nameBytes + extraBytes + reader.little16(place + 32)
      guard next <= directory.count else { throw damaged("an entry of its directory runs beyond it") }
      let extra = place + 46 + nameBytes
      var entry = Entry(
        name: Array(directory[place + 46..<extra]), flags: reader.little16(place + 8),
        method: reader.little16(place + 10), checksum: UInt32(reader.little32(place + 16)),
        compressedBytes: reader.little32(place + 20), uncompressedBytes: reader.little32(place + 24),
        headerOffset: reader.little32(place + 42), mode: 0)
      // 3 is Unix, 19 macOS (4.4.2).
      if [3, 19].contains(Int(directory[place + 5])) { entry.mode = reader.little16(place + 40) }
      try readLongNumbers(of: &entry, reader, extra..<extra + extraBytes)
      entries.append(entry)
      guard entries.count <= limits.entryCount else { throw tooMany(entries.count) }
      place = next
    }
    guard entries.count == count else {
      throw damaged("its directory has \(entries.count) of the entries that its end counts: \(count)")
    }
  }

  /// Numbers that do not fit 32 bits stand in an extra field (4.5.3).
  private func readLongNumbers(
    of entry: inout Entry, _ reader: NumberReader, _ extra: Range<Int>
  ) throws(BundleError) {
    let isLong = 0xFFFF_FFFF
    guard entry.compressedBytes == isLong || entry.uncompressedBytes == isLong || entry.headerOffset == isLong
    else { return }
    var place = extra.lowerBound
    while extra.upperBound - place >= 4 {
      let size = reader.little16(place + 2)
      let end = place + 4 + size
      guard end <= extra.upperBound else { break }
      if reader.little16(place) == 1 {
        var number = place + 4
        for path in [\Entry.uncompressedBytes, \.compressedBytes, \.headerOffset]
        where entry[keyPath: path] == isLong {
          guard end - number >= 8, let value = Int(exactly: reader.little64(number)) else {
            throw damaged("a long number of the entry '\(ArchivePath.shown(entry.name))' is missing")
          }
          entry[keyPath: path] = value
          number += 8
        }
        return
      }
      place = end
    }
  }
}

// MARK: - Rules

extension ArchiveDirectory {
  private func checkSizes() throws(BundleError) {
    var total = 0
    var packed = 0
    for entry in entries {
      let name = ArchivePath.shown(entry.name)
      guard entry.flags & 0x2041 == 0 else {
        throw BundleError(
          .encrypted, in: file, "The entry '\(name)' is encrypted.",
          help: "An app's archive never is; unpack it with its password and pack it again.")
      }
      guard entry.method == 0 || entry.method == 8 else {
        throw BundleError(
          .unsupportedCompression, in: file,
          "The entry '\(name)' is compressed by method \(entry.method); expected 0 (stored) or 8 (deflate).",
          help: "Export the app again, or pack it with 'zip'.")
      }
      guard entry.compressedBytes <= bytes.count else {
        throw damaged("the entry '\(name)' lies outside the file")
      }
      if entry.method == 0, entry.compressedBytes != entry.uncompressedBytes {
        throw damaged("the stored entry '\(name)' has two different sizes")
      }
      if isBomb(entry.uncompressedBytes, entry.compressedBytes) {
        throw bomb("The entry '\(name)' would unpack", entry.compressedBytes, entry.uncompressedBytes)
      }
      total = total.addingReportingOverflow(entry.uncompressedBytes).partialValue
      packed = packed.addingReportingOverflow(entry.compressedBytes).partialValue
      guard total >= 0, total <= limits.totalBytes else {
        throw BundleError(
          .tooLarge, in: file, "The archive unpacks to more than \(limits.totalBytes >> 20) MB.",
          help: "An app may have 4 GB. Check that it is the right file.")
      }
    }
    if isBomb(total, packed) { throw bomb("The archive would unpack", packed, total) }
  }

  private func isBomb(_ unpacked: Int, _ packed: Int) -> Bool {
    unpacked > limits.ratioFloorBytes && unpacked / limits.ratio > packed
  }

  private func bomb(_ subject: String, _ packed: Int, _ unpacked: Int) -> BundleError {
    BundleError(
      .bomb, in: file,
      "\(subject) from \(packed) to \(unpacked) bytes, more than \(limits.ratio) for one.",
      help: "No app's files do. It is refused before anything is unpacked.")
  }

  private func checkNames() throws(BundleError) {
    // Texts and not bytes: file systems of iOS take both ways of writing an 'ä' for one.
    var files: Set<String> = []
    /// All folders, also those that only a file's path names.
    var folders: Set<String> = []
    var folderEntries: Set<String> = []
    for entry in entries {
      let shown = ArchivePath.shown(entry.name)
      if let problem = ArchivePath.problem(entry.name, limit: limits.pathBytes) {
        throw BundleError(
          .unsafePath, in: file, "The entry '\(shown)' \(problem).",
          help: "Unpacking it could write outside of the folder. Make the archive again.")
      }
      // The upper four bits of a mode say what a file is; 0 is 'not said'.
      let type = entry.mode >> 12
      guard [0, 0o04, 0o10].contains(type) else {
        throw BundleError(
          .link, in: file,
          type == 0o12
            ? "The entry '\(shown)' is a symbolic link." : "The entry '\(shown)' is a device, not a file.",
          help: "An iOS app has none. Pack the file itself in its place.")
      }
      let path = String(decoding: entry.isFolder ? entry.name.dropLast() : entry.name[...], as: UTF8.self)
      let isNew = entry.isFolder ? !files.contains(path) : files.insert(path).inserted
      guard isNew, entry.isFolder || !folders.contains(path) else {
        throw duplicate(shown)
      }
      if entry.isFolder {
        guard folderEntries.insert(path).inserted else { throw duplicate(shown) }
        folders.insert(path)
      }
      // Whatever a file lies in is a folder.
      var rest = path[...]
      while let slash = rest.utf8.lastIndex(of: UInt8(ascii: "/")) {
        rest = rest[..<slash]
        let parent = String(rest)
        if files.contains(parent) { throw duplicate(ArchivePath.shown(Array(parent.utf8))) }
        guard folders.insert(parent).inserted else { break }
      }
    }
  }

  private func duplicate(_ name: String) -> BundleError {
    BundleError(
      .duplicateEntry, in: file, "The path '\(name)' occurs twice.",
      help: "Which of the two a device takes is documented nowhere. Make the archive again.")
  }

  /// Entries lie one after the other, and every byte that looks like one belongs to one.
  private func checkPlaces() throws(BundleError) {
    var end = 0
    var last: Entry?
    for entry in entries.sorted(by: { $0.headerOffset < $1.headerOffset }) {
      let name = ArchivePath.shown(entry.name)
      guard entry.headerOffset >= end else {
        let other = last.map { ArchivePath.shown($0.name) } ?? ""
        throw BundleError(
          .overlappingEntries, in: file, "The entries '\(other)' and '\(name)' share bytes.",
          help: "Such an archive unpacks to more than it holds. Make it again.")
      }
      guard entry.headerOffset <= start - 30 else {
        throw damaged("the entry '\(name)' lies outside the file")
      }
      try checkGap(end..<entry.headerOffset, after: last)
      let header = NumberReader(try bytes.bytes(entry.headerOffset..<entry.headerOffset + 30))
      let nameEnd = entry.headerOffset + 30 + header.little16(26)
      guard header.bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]), nameEnd <= start,
        try bytes.bytes(entry.headerOffset + 30..<nameEnd) == entry.name
      else { throw damaged("the entry '\(name)' has another name in its local header") }
      end = nameEnd + header.little16(28) + entry.compressedBytes
      guard end <= start else { throw damaged("the entry '\(name)' runs into the directory") }
      last = entry
    }
    try checkGap(end..<start, after: last)
  }

  /// A gap may hold the sizes that a streaming writer puts behind an entry, or nothing of meaning.
  private func checkGap(_ gap: Range<Int>, after entry: Entry?) throws(BundleError) {
    guard gap.count >= 4 else { return }
    // Four bytes of signature, then checksum and sizes; the signature may be left out (4.3.9).
    let head = try bytes.bytes(gap.lowerBound..<min(gap.upperBound, gap.lowerBound + 28))
    let places = entry.map { $0.flags & 8 != 0 ? [0, 12, 16, 20, 24] : [0] } ?? [0]
    for place in places where head.dropFirst(place).starts(with: [0x50, 0x4B, 0x03, 0x04]) {
      throw BundleError(
        .hiddenEntry, in: file,
        "At byte \(gap.lowerBound + place) the archive has an entry that its directory does not list.",
        help: "A program that unpacks while it downloads would see it. Make the archive again.")
    }
  }
}
