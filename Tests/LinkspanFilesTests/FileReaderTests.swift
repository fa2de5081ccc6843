import Foundation
import LinkspanCore
import LinkspanFiles
import TestSupport
import Testing

/// What a person names, read whole, in pieces or line by line.
@Suite struct FileReaderTests {
  let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  @Test(
    arguments: [
      ("a", ".", "a"), ("a/", ".", "a"), ("a//", ".", "a"), ("/a", "/", "a"), ("/a/", "/", "a"),
      ("a/b", "a", "b"),
      ("/a/b", "/a", "b"), ("a//b", "a/", "b"), ("/", "/", ""), ("", ".", ""), (".", ".", "."),
    ] as [(String, String, String)])
  func aPathHasAFolderAndAName(path: String, parent: String, name: String) {
    let place = FileReader.place(of: path)
    #expect(place.folder == parent && place.name == name)
  }

  @Test(arguments: [0, 1, 16_383, 16_384, 16_385, 262_144, 262_145])
  func everyByteIsRead(count: Int) throws {
    let text = String(decoding: (0..<count).map { UInt8(0x61 + $0 % 23) }, as: UTF8.self)
    try folder.write(text, to: "a")
    #expect(try FileReader.bytes(folder.path("a")) == Array(text.utf8))
    let stream = try ByteStream(folder.path("a"))
    #expect(stream.sizeBytes == count)
    var read: [UInt8] = []
    while let piece = try stream.next() { read += piece }
    #expect(read == Array(text.utf8))
    let open = try OpenFolder(folder.path(""))
    #expect(try open.bytes(of: "a", limitBytes: count) == read)
    if count > 0 {
      let error = #expect(throws: LinkspanError.self) { try open.bytes(of: "a", limitBytes: count - 1) }
      #expect(error?.message.contains("more than \(count - 1) bytes") == true)
    }
  }

  /// Who reads ten thousand files one after the other has none of them open.
  @Test func aFileThatWasReadIsClosed() throws {
    try folder.write("a", to: "read")
    let path = folder.path("read")
    func isOpen() throws -> Bool {
      let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
      return open.contains {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
      }
    }
    let stream = try FileHandle(forReadingFrom: URL(filePath: path))
    #expect(try isOpen())
    try stream.close()
    _ = try FileReader.bytes(path)
    _ = try FileReader.read(path)
    #expect(try !isOpen())
  }

  @Test func whatIsNoFileIsNamed() throws {
    try folder.write("", to: "b/c")
    for path in [folder.path("b"), folder.path("missing"), folder.path("b/c/d")] {
      #expect(throws: LinkspanError.self) { try FileReader.bytes(path) }
      #expect(throws: LinkspanError.self) { _ = try ByteStream(path).sizeBytes }
    }
    let error = #expect(throws: LinkspanError.self) { _ = try ByteStream(folder.path("b")).sizeBytes }
    #expect(error?.message.contains("is a directory") == true)
    #expect(throws: LinkspanError.self) { try FileReader.bytes("/dev/zero") }
    #expect(try FileReader.bytes("/dev/null").isEmpty)
    #expect(try ByteStream("/dev/null").sizeBytes == nil)
    #expect(
      try FileReader.kind(of: folder.path("b")) == .folder && FileReader.kind(of: folder.path("b/c")) == .file
    )
    #expect(
      try FileReader.kind(of: folder.path("d")) == .missing
        && FileReader.kind(of: folder.path("b/c/d")) == .missing)
    #expect(try FileReader.kind(of: "/dev/null") == .special)
  }

  @Test func namesAreSortedAndLinksResolved() throws {
    for name in ["b", "a", ".c"] { try folder.write("", to: name) }
    try folder.link("d", to: "a")
    #expect(try FileReader.names(in: folder.path("")) == [".c", "a", "b", "d"])
    #expect(try OpenFolder(folder.path("")).names() == [".c", "a", "b", "d"])
    #expect(throws: LinkspanError.self) { try FileReader.names(in: folder.path("a")) }
    #expect(FileReader.resolved(folder.path("d"))?.hasSuffix("/a") == true)
    #expect(FileReader.resolved(folder.path("e")) == nil)
  }

  private func lines(_ text: String) throws -> [String] {
    try folder.write(text, to: "lines")
    var reader = try LineReader(folder.path("lines")) {}
    var lines: [String] = []
    while let line = try reader.next() {
      switch line {
      case .bytes(let bytes):
        lines.append(bytes.count > 20 ? "\(bytes.count)" : String(decoding: bytes, as: UTF8.self))
      case .tooLong: lines.append("too long")
      }
    }
    let isReady = reader.isReady()
    #expect(isReady)
    return lines
  }

  @Test(arguments: [
    ("", []), ("\n", [""]), ("a", ["a"]), ("a\n", ["a"]), ("a\n\nb", ["a", "", "b"]),
    ("a\r\nb\n", ["a\r", "b"]),
  ])
  func linesEndWithALineFeed(text: String, expected: [String]) throws { #expect(try lines(text) == expected) }

  /// "a\nb\n" and "c", packed one after the other.
  private static let packed: [UInt8] = [
    0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x4B, 0xE4, 0x4A, 0xE2, 0x02, 0x00, 0x97,
    0x2A,
    0x57, 0x18, 0x04, 0x00, 0x00, 0x00, 0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x4B,
    0x06,
    0x00, 0x6F, 0xDF, 0xB9, 0x06, 0x01, 0x00, 0x00, 0x00,
  ]

  @Test func linesMayBePacked() throws {
    #expect(try lines(Self.packed) == ["a", "b", "c"])
    #expect(try lines([0x1F]) == ["1F"] && lines([0x1F, 0x0A, 0x8B]) == ["1F", "8B"])
    for end in [2, 20, Self.packed.count - 1] {
      let error = #expect(throws: LinkspanError.self) { try lines(Array(Self.packed[..<end])) }
      #expect(error?.what == "'\(folder.path("lines"))' is broken gzip.")
    }
  }

  private func lines(_ bytes: [UInt8]) throws -> [String] {
    try folder.write(bytes, to: "lines")
    var reader = try LineReader(folder.path("lines")) {}
    var lines: [String] = []
    while case .bytes(let line) = try reader.next() {
      let hasControl = line.contains { $0 < 0x20 || $0 >= 0x80 }
      lines.append(
        hasControl
          ? line.map { String($0, radix: 16, uppercase: true) }.joined()
          : String(decoding: line, as: UTF8.self))
    }
    return lines
  }

  @Test func aLineHasALimit() throws {
    let limit = LineReader.lineLimitBytes
    #expect(limit == 8_388_608)
    let long = String(repeating: "a", count: limit)
    #expect(try lines("b\n\(long)\nc") == ["b", "\(limit)", "c"])
    // The last piece that is read has 64 KB: a line that is longer by more is passed over.
    #expect(try lines("b\n\(long)\(String(repeating: "a", count: 1 << 16))a\nc") == ["b", "too long", "c"])
    #expect(try lines("\(long)\(String(repeating: "a", count: 1 << 16))a") == ["too long"])
  }

  @Test func aLineIsReadyWhenItCanBeRead() throws {
    try folder.write("a\nb\n", to: "lines")
    var waits = 0
    var reader = try LineReader(folder.path("lines")) { waits += 1 }
    _ = try reader.next()
    let isReady = reader.isReady()
    #expect(isReady && waits == 0)
  }
}
