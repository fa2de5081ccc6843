import AppBundle
import Testing

@Suite struct ArchiveTests {
  private static let good: [(String, [UInt8])] = [
    ("Payload/App.app/Info.plist", Array("one".utf8)), ("Payload/App.app/a", Array("two".utf8)),
  ]

  private func kind(_ bytes: [UInt8], limits: ArchiveLimits = ArchiveLimits()) -> BundleError.Kind? {
    error(bytes, limits: limits)?.kind
  }

  private func error(_ bytes: [UInt8], limits: ArchiveLimits = ArchiveLimits()) -> BundleError? {
    do throws(BundleError) {
      let archive = try Archive(MemoryBytes(bytes), file: "a.ipa", limits: limits)
      for index in archive.entries.indices {
        let content = try archive.open(index)
        _ = try content.bytes(0..<content.count)
      }
      return nil
    } catch {
      return error
    }
  }

  @Test func readsWhatItHolds() throws {
    let archive = try Archive(MemoryBytes(ZipFixture(Self.good).bytes), file: "a.ipa")
    #expect(archive.entries.map(\.path) == Self.good.map(\.0))
    let content = try archive.open(1)
    #expect(try content.bytes(0..<3) == Array("two".utf8))
    // Backwards again.
    #expect(try content.bytes(0..<1) == Array("t".utf8))
  }

  @Test func emptyArchiveHasNoEntries() throws {
    #expect(try Archive(MemoryBytes(ZipFixture([ZipFixture.Entry]()).bytes), file: "a.ipa").entries.isEmpty)
  }

  /// The directory begins right behind the name of an entry without content.
  @Test func theLastEntryMayBeEmpty() throws {
    let bytes = ZipFixture(Self.good + [("Payload/App.app/z", [])]).bytes
    #expect(kind(bytes) == nil)
    let archive = try Archive(MemoryBytes(bytes), file: "a.ipa")
    #expect(try archive.open(2).count == 0)
    #expect(kind(ZipFixture([("only", [])]).bytes) == nil)
  }

  static let refused: [(String, ZipFixture.Entry, BundleError.Kind)] = [
    ("traversal", .init(name: "Payload/../../etc/passwd"), .unsafePath),
    ("absolute", .init(name: "/etc/passwd"), .unsafePath),
    ("backslash", .init(name: "Payload\\a"), .unsafePath),
    ("empty part", .init(name: "Payload//a"), .unsafePath),
    ("dot", .init(name: "Payload/./a"), .unsafePath),
    ("control character", .init(name: "Payload/a\u{1}"), .unsafePath),
    ("long", .init(name: String(repeating: "a", count: 1025)), .unsafePath),
    ("link", .init(name: "Payload/link", content: Array("/etc".utf8), mode: 0o120777), .link),
    ("device", .init(name: "Payload/device", mode: 0o020644), .link),
    ("encrypted", .init(name: "a", content: [1, 2, 3], flags: 1), .encrypted),
    ("masked", .init(name: "a", content: [1, 2, 3], flags: 0x2000), .encrypted),
    ("lzma", .init(name: "a", content: [1, 2, 3], method: 14), .unsupportedCompression),
    (
      "bomb",
      .init(name: "a", content: [UInt8](repeating: 3, count: 4096), method: 8, claimedSize: 4_000_000_000),
      .bomb
    ),
    ("another name inside", .init(name: "a", localName: "b"), .damaged),
    ("same path", .init(name: "Payload/App.app/a"), .duplicateEntry),
    ("file as folder", .init(name: "Payload/App.app/a/b"), .duplicateEntry),
    ("folder as file", .init(name: "Payload/App.app"), .duplicateEntry),
    ("overlap", .init(name: "b", claimedOffset: 0), .overlappingEntries),
    ("hidden", .init(name: "b", isListed: false), .hiddenEntry),
    ("wrong checksum", .init(name: "b", content: [1], checksum: 7), .damaged),
    ("two sizes", .init(name: "b", content: [1], claimedSize: 2), .damaged),
  ]

  @Test(arguments: refused.map(\.0)) func refuses(_ name: String) throws {
    let row = try #require(Self.refused.first { $0.0 == name })
    let fixture = ZipFixture(ZipFixture(Self.good).entries + [row.1])
    #expect(kind(fixture.bytes) == row.2)
  }

  /// APFS of iOS keeps one file for both.
  @Test func pathsThatDifferInNormalizationAreOne() {
    #expect(kind(ZipFixture([("\u{E4}", []), ("a\u{308}", [])]).bytes) == .duplicateEntry)
  }

  @Test func nothingElseIsAnArchive() {
    #expect(kind(Array("<plist/>".utf8)) == .otherFormat)
    #expect(kind([]) == .otherFormat)
  }

  /// Whatever is cut off, it is said to be cut off or damaged; only the whole is read.
  @Test func everyTruncationIsRefused() throws {
    let bytes = ZipFixture(Self.good).bytes
    for count in bytes.indices {
      let found = kind(Array(bytes.prefix(count)))
      #expect(found == (count < 4 ? .otherFormat : .truncated), "after \(count) bytes")
    }
    #expect(kind(Array(bytes.dropFirst())) == .damaged)
    #expect(kind([0] + bytes) == .damaged)
    // The end is there, and not the last.
    let longer = try #require(error(bytes + [1, 2, 3, 4]))
    #expect(longer.kind == .damaged && "\(longer)".contains("it goes on for 4 bytes behind its end."))
  }

  /// Whichever byte is another, reading ends with an answer or an error.
  @Test func everyByteIsTaken() {
    let bytes = ZipFixture(Self.good).bytes
    for place in bytes.indices {
      for value in [0, 1, 0x7F, 0x80, 0xFF] as [UInt8] {
        var changed = bytes
        changed[place] = value
        if let error = error(changed) { #expect(!error.help.isEmpty) }
      }
    }
  }

  /// An end record of the long form, whose numbers are of any size.
  @Test func longNumbersAreChecked() {
    let huge = [UInt8](repeating: 0xFF, count: 8)
    let record = [0x50, 0x4B, 6, 6] + [UInt8](repeating: 0, count: 20) + huge + huge + huge + huge
    let locator = [0x50, 0x4B, 6, 7] + [UInt8](repeating: 0, count: 16)
    let end = [0x50, 0x4B, 5, 6] + [UInt8](repeating: 0xFF, count: 16) + [0, 0]
    #expect(kind(record + locator + end) == .damaged)
  }

  @Test func limitsHoldAtTheirEdges() {
    let bytes = ZipFixture(Self.good).bytes
    var limits = ArchiveLimits()
    limits.entryCount = 2
    limits.totalBytes = 6
    limits.pathBytes = 26
    #expect(kind(bytes, limits: limits) == nil)
    limits.entryCount = 1
    #expect(kind(bytes, limits: limits) == .tooLarge)
    limits.entryCount = 2
    limits.totalBytes = 5
    #expect(kind(bytes, limits: limits) == .tooLarge)
    limits.totalBytes = 6
    limits.directoryBytes = Int(bytes[bytes.count - 10]) | Int(bytes[bytes.count - 9]) << 8
    #expect(kind(bytes, limits: limits) == nil)
    limits.directoryBytes -= 1
    #expect(kind(bytes, limits: limits) == .tooLarge)
    limits.directoryBytes += 1
    limits.pathBytes = 25
    #expect(kind(bytes, limits: limits) == .unsafePath)
  }

  @Test func saysWhichEntryAndWhatToDo() {
    let fixture = ZipFixture([.init(name: "../up")])
    #expect(
      error(fixture.bytes)?.description
        == """
        a.ipa: error[bundle.unsafe-path]: The entry '../up' leads out of the archive.
          Unpacking it could write outside of the folder. Make the archive again.

        """)
  }

  @Test func whatTheWriterWritesTheReaderReads() throws {
    let files: [(String, [UInt8])] = [
      ("layouts/a.json", Array(String(repeating: "{\"a\":1}", count: 40_000).utf8)), ("empty", []),
      ("fonts/ä.ttf", (0..<100).map { UInt8($0) }),
    ]
    var bytes: [UInt8] = []
    var writer = ArchiveWriter { bytes += $0 }
    for file in files { try writer.add(path: file.0, MemoryBytes(file.1)) }
    writer.finish()
    #expect(writer.sizeBytes == bytes.count)
    #expect(bytes.count < 2000)
    let archive = try Archive(MemoryBytes(bytes), file: "a.zip")
    #expect(archive.entries.map(\.path) == files.map(\.0))
    for (index, file) in files.enumerated() {
      #expect(try archive.open(index).bytes(0..<file.1.count) == file.1)
    }
  }
}
