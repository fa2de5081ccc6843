import AppBundle
import Testing

/// Archives in archives, as 42.zip has them: five layers of a few kilobytes that unpack to petabytes.
@Suite struct NestedBombTests {
  private static func archive(_ files: [(String, [UInt8])]) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var writer = ArchiveWriter { bytes += $0 }
    for file in files { try writer.add(path: file.0, MemoryBytes(file.1)) }
    writer.finish()
    return bytes
  }

  /// 32 MB of zeros, sixteen of it in an archive, and sixteen of those in the next.
  private static func nested() throws -> (inner: [UInt8], outer: [UInt8]) {
    let inner = try archive([("zeros", [UInt8](repeating: 0, count: 32 << 20))])
    var layer = inner
    for _ in 0..<3 { layer = try archive((0..<16).map { ("lib \($0).zip", layer) }) }
    return (inner, layer)
  }

  @Test func aNestedBombIsNeverUnpacked() throws {
    let (inner, outer) = try Self.nested()
    #expect(outer.count < 100_000)
    // The innermost layer is out of proportion by itself.
    let error = #expect(throws: BundleError.self) { try Archive(MemoryBytes(inner), file: "inner.zip") }
    #expect(error?.kind == .bomb)
    // The outermost holds no app, and what it holds stays packed.
    let archive = try Archive(MemoryBytes(outer), file: "42.zip")
    let none = #expect(throws: BundleError.self) { try BundleReader(FileIndex(ArchiveTree(archive))).read() }
    #expect(none?.kind == .noApp)
  }

  /// As a resource of an app it is a file like any other: measured by its own bytes.
  @Test func insideAnAppItIsOneFile() throws {
    let (_, outer) = try Self.nested()
    let app = try Self.archive([
      ("Payload/App.app/Info.plist", BundleTests.info("com.example.app")), ("Payload/App.app/x.zip", outer),
    ])
    let index = FileIndex(ArchiveTree(try Archive(MemoryBytes(app), file: "App.ipa")))
    let sizes = try BundleSizes(index, root: "Payload/App.app", isWholeArchive: true)
    #expect(sizes.files.map(\.sizeBytes).max() == outer.count)
  }
}
