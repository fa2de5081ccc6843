import LinkspanCore
import LinkspanFiles
import TestSupport
import Testing

/// What a command may write over.
@Suite struct OutputFileTests {
  let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private static let page = Array("<html><meta charset=\"utf-8\"><p>".utf8)
  private static let vector = Array("<svg><g/></svg>".utf8)
  private static let picture = [UInt8](repeating: 7, count: 34)
  private static let document = Array("{a: 1}\n".utf8)

  private static let kinds: [(String, OutputKind, OutputKind, [UInt8])] = [
    ("page", .page(of: "linkspan a"), .page(of: "linkspan b"), page),
    ("vector", .vector(of: "linkspan a"), .vector(of: "linkspan b"), vector),
    ("picture", .picture(of: "linkspan a"), .picture(of: "linkspan b"), picture),
    ("document", .document(of: "linkspan a"), .document(of: "linkspan b"), document),
  ]

  @Test func aMarkIsPutOnceAndNamesTheCommand() throws {
    for (name, kind, other, bytes) in Self.kinds {
      func isOwn(_ kind: OutputKind, _ bytes: [UInt8]) throws -> Bool {
        try kind.isOwn(head: Array(bytes.prefix(OutputKind.headBytes))) { () throws(LinkspanError) in bytes }
      }
      let marked = kind.marked(bytes)
      #expect(marked.count > bytes.count && kind.marked(marked) == marked, "\(name)")
      #expect(try isOwn(kind, marked) && !isOwn(kind, bytes) && !isOwn(other, marked), "\(name)")
      #expect(kind.isKnownByItself && kind.otherwise.hasPrefix("is not "), "\(name)")
    }
    let edited = OutputKind.document(of: "linkspan a").marked(Self.document) + [0x20]
    #expect(try !OutputKind.document(of: "linkspan a").isOwn(head: []) { () throws(LinkspanError) in edited })
    #expect(try !OutputKind.document(of: "linkspan a").isOwn(head: []) { () throws(LinkspanError) in nil })
    #expect(!OutputKind.common.isKnownByItself && OutputKind.common.otherwise == "holds something else")
  }

  /// Where a form has no place for the mark, the bytes stay.
  @Test func bytesWithoutAPlaceStay() {
    let short = Array(Self.picture.dropLast())
    #expect(OutputKind.page(of: "a").marked([1, 2]) == [1, 2])
    #expect(OutputKind.vector(of: "a").marked([1, 2]) == [1, 2])
    #expect(OutputKind.picture(of: "a").marked(short) == short)
    #expect(OutputKind.common.marked([1, 2]) == [1, 2])
    let late =
      [UInt8](repeating: 0x20, count: OutputKind.headBytes) + OutputKind.page(of: "a").marked(Self.page)
    #expect(OutputKind.page(of: "a").marked(late).count > late.count)
  }

  @Test func aPageBeginsWithATagAndAVectorWithItsName() throws {
    for (kind, bytes) in [
      (OutputKind.page(of: "a"), OutputKind.page(of: "a").marked(Self.page)),
      (.vector(of: "a"), OutputKind.vector(of: "a").marked(Self.vector)),
    ] {
      #expect(try !kind.isOwn(head: [0x20] + bytes) { () throws(LinkspanError) in nil })
    }
    let form = OutputKind.beginning("ab", "text of ab")
    #expect(try form.isOwn(head: Array("abc".utf8)) { () throws(LinkspanError) in nil })
    #expect(try !form.isOwn(head: Array("ac".utf8)) { () throws(LinkspanError) in nil })
  }

  @Test func whatIsThereIsMissedUnlessItIsTheCommands() throws {
    for (name, kind, other, bytes) in Self.kinds {
      let file = OutputFile(folder.path(name), kind)
      #expect(try file.objection() == nil && file.objection(to: bytes) == nil)
      try file.write(bytes)
      #expect(try FileReader.bytes(file.path) == kind.marked(bytes))
      try file.write(bytes + [0x20])
      let stranger = OutputFile(file.path, other)
      #expect(try stranger.objection() != nil && stranger.objection(to: bytes) != nil, "\(name)")
      #expect(throws: LinkspanError.self) { try stranger.write(bytes) }
      #expect(try stranger.forced.objection() == nil)
      try stranger.forced.write(bytes)
      #expect(try FileReader.bytes(file.path) == other.marked(bytes), "\(name)")
    }
  }

  @Test func aCommonFormIsWrittenOverTheSameBytesAlone() throws {
    let file = OutputFile(folder.path("a.csv"), .common)
    try folder.write("", to: "a.csv")
    try file.write([1, 2])
    #expect(try file.objection(to: [1, 2]) == nil && file.objection() == nil)
    for other in [[1, 3], [1], [1, 2, 3]] as [[UInt8]] {
      #expect(try file.objection(to: other) != nil, "\(other)")
      #expect(throws: LinkspanError.self) { try file.write(other) }
    }
    #expect(try FileReader.bytes(file.path) == [1, 2])
    #expect(throws: LinkspanError.self) { try OutputFile(folder.path(""), .common).write([1]) }
    let error = #expect(throws: LinkspanError.self) {
      try OutputFile(folder.path("no/a"), .common).write([1])
    }
    #expect(error?.message.contains("there is no directory") == true)
    try OutputFile("/dev/null", .common).write([1])
  }

  @Test func aLinkOfOnesOwnStaysOne() throws {
    try folder.write("", to: "target")
    try folder.link("link", to: "target")
    try OutputFile(folder.path("link"), .common).write([0x61])
    #expect(try folder.text("target") == "a")
    #expect(try OpenFolder(folder.path("")).kind(of: "link") == .link)
    try folder.link("nowhere", to: "missing")
    #expect(throws: LinkspanError.self) { try OutputFile(folder.path("nowhere"), .common).write([1]) }
  }
}
