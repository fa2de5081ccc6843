import AppBundle
import LinkspanCore
import Testing

/// What holds for any bytes: a value or an error with a place, never a crash.
@Suite struct PropertyListLawTests {
  static let xml = Array(
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">
    <dict>
    \t<key>a</key>
    \t<array><string>ü&amp;</string><true/><integer>42</integer><real>1.5</real></array>
    \t<key>b</key>
    \t<dict><key>c</key><date>2026-11-21T00:00:00Z</date><key>d</key><data>SGVsbG8=</data></dict>
    </dict>
    </plist>

    """.utf8)

  static let binary = BinaryPropertyListTests.file([
    [0xD3, 1, 2, 3, 4, 5, 6], [0x51, 0x61], [0x51, 0x62], [0x51, 0x63], [0xA2, 7, 8],
    [0x5F, 0x10, 0x10] + Array(repeating: 0x78, count: 16), [0xD1, 1, 9], [0x12, 0, 1, 0, 0],
    [0x62, 0x00, 0xFC, 0x26, 0x03], [0x33, 0x41, 0, 0, 0, 0, 0, 0, 0],
  ])

  /// Reads and looks at everything there is to look at.
  static func read(_ bytes: [UInt8]) -> Bool {
    do throws(PropertyListError) {
      let document = try PropertyListDocument(bytes, name: "a")
      walk(document.root, document)
      _ = EntitlementChecker.check(try Entitlements(document))
      _ = try InfoPlist(document)
      return true
    } catch {
      _ = error.description
      return false
    }
  }

  static func walk(_ node: PropertyListNode, _ document: PropertyListDocument) {
    _ = document.location(of: node.range)
    for element in node.array ?? [] { walk(element, document) }
    for member in node.dictionary ?? [] { walk(member.value, document) }
  }

  @Test func everyBeginningOfAnXMLListIsAnError() {
    // Only the last line feed is not needed.
    let needed = Self.xml.count - 1
    for length in 0..<needed { #expect(!Self.read(Array(Self.xml[..<length])), "\(length)") }
    #expect(Self.read(Array(Self.xml[..<needed])))
    #expect(Self.read(Self.xml))
  }

  @Test func everyBeginningOfABinaryListIsAnError() {
    for length in 0..<Self.binary.count { #expect(!Self.read(Array(Self.binary[..<length])), "\(length)") }
    #expect(Self.read(Self.binary))
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func bytesChangedByChanceNeverCrash(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var readable = 0
    for _ in 0..<4_000 {
      var bytes = generator.chance(1, in: 2) ? Self.xml : Self.binary
      for _ in 0..<generator.draw(1...4) where !bytes.isEmpty {
        let index = Int(generator.draw(0...Int64(bytes.count - 1)))
        switch generator.draw(0...3) {
        case 0: bytes[index] = UInt8(generator.draw(0...255))
        case 1: bytes[index] ^= 1 << UInt8(generator.draw(0...7))
        case 2: bytes.remove(at: index)
        default: bytes.insert(UInt8(generator.draw(0...255)), at: index)
        }
      }
      if Self.read(bytes) { readable += 1 }
    }
    #expect(readable > 0, "seed \(seed)")
  }

  @Test(arguments: [5, 6] as [UInt64])
  func bytesOfChanceNeverCrash(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<2_000 {
      let noise = (0..<generator.draw(0...120)).map { _ in UInt8(generator.draw(0...255)) }
      _ = Self.read(Array("bplist00".utf8) + noise)
      _ = Self.read(Array("<plist>".utf8) + noise)
    }
  }
}
