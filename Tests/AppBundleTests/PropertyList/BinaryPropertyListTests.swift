import AppBundle
import Foundation
import LinkspanCore
import Testing

@Suite struct BinaryPropertyListTests {
  /// A file of given objects, with one byte an offset and a reference.
  static func file(_ objects: [[UInt8]], top: UInt8 = 0) -> [UInt8] {
    var bytes = Array("bplist00".utf8)
    var offsets: [UInt8] = []
    for object in objects {
      offsets.append(UInt8(bytes.count))
      bytes += object
    }
    let table = UInt8(bytes.count)
    bytes += offsets
    bytes += [0, 0, 0, 0, 0, 0, 1, 1]
    for number in [UInt8(objects.count), top, table] { bytes += [0, 0, 0, 0, 0, 0, 0, number] }
    return bytes
  }

  static func kind(_ bytes: [UInt8]) -> PropertyListError.Kind? {
    do throws(PropertyListError) {
      _ = try PropertyListDocument(bytes, name: "a")
      return nil
    } catch {
      return error.kind
    }
  }

  @Test(
    arguments: [
      ([0x08], "bfalse"), ([0x09], "btrue"), ([0x10, 0xFF], "i255"), ([0x11, 0x01, 0x00], "i256"),
      ([0x12, 0xFF, 0xFF, 0xFF, 0xFF], "i4294967295"), ([0x13] + Array(repeating: 0xFF, count: 8), "i-1"),
      ([0x14] + Array(repeating: 0, count: 8) + Array(repeating: 0xFF, count: 8), "i18446744073709551615"),
      ([0x14] + Array(repeating: 0xFF, count: 16), "i-1"),
      ([0x22, 0x3F, 0xC0, 0, 0], "r1.5"), ([0x23, 0x3F, 0xF8, 0, 0, 0, 0, 0, 0], "r1.5"),
      ([0x33, 0, 0, 0, 0, 0, 0, 0, 0], "d0.0"), ([0x42, 1, 2], "x[1, 2]"), ([0x51, 0x61], "s\"a\""),
      ([0x5F, 0x10, 0x02, 0x61, 0x62], "s\"ab\""), ([0x62, 0x00, 0xFC, 0x26, 0x03], "s\"ü☃\""),
      ([0x62, 0xD8, 0x3D, 0xDE, 0x00], "s\"😀\""), ([0x61, 0xD8, 0x3D], "s\"\u{FFFD}\""),
      ([0x80, 0x07], "u7"), ([0xA0], "[]"), ([0xD0], "{}"),
    ] as [([UInt8], String)])
  func readsEveryKindOfObject(object: [UInt8], shape: String) throws {
    let document = try PropertyListDocument(Self.file([object]), name: "a")
    #expect(document.format == .binary)
    #expect(PropertyListShape.of(document.root) == shape)
    #expect(document.root.range == 8..<8 + object.count)
  }

  @Test func readsSharedObjectsAndFindsKeysThatOccurTwice() throws {
    let shared = try PropertyListDocument(
      Self.file([[0xD2, 1, 2, 3, 3], [0x51, 0x61], [0x51, 0x62], [0xA1, 1]]), name: "a")
    #expect(PropertyListShape.of(shared.root) == "{\"a\":[s\"a\"],\"b\":[s\"a\"]}")
    #expect(shared.findings.isEmpty)
    let twice = try PropertyListDocument(Self.file([[0xD2, 1, 1, 2, 2], [0x51, 0x61], [0x09]]), name: "a")
    #expect(twice.findings.map(\.rule) == ["plist.duplicate-key"])
    #expect(twice.findings.first?.location.start == nil)
  }

  @Test func refusesWhatContradictsItself() {
    #expect(Self.kind(Self.file([[0xA1, 0]])) == .cycle)
    #expect(Self.kind(Self.file([[0xA1, 1], [0xA1, 0]])) == .cycle)
    #expect(Self.kind(Self.file([[0xA1, 1]])) == .brokenTable)
    #expect(Self.kind(Self.file([[0x09]], top: 1)) == .brokenTable)
    #expect(Self.kind(Self.file([[0x52, 0x61]])) == .brokenTable)
    #expect(Self.kind(Self.file([[0x5F, 0x09]])) == .brokenTable)
    #expect(Self.kind(Self.file([[0x5F]])) == .brokenTable)
    #expect(Self.kind(Self.file([[0x5F, 0x13] + Array(repeating: 0xFF, count: 8)])) == .brokenTable)
    #expect(Self.kind(Self.file([[0x6F, 0x13, 0x7F] + Array(repeating: 0xFF, count: 7)])) == .brokenTable)
    #expect(Self.kind(Self.file([[0xDF, 0x13, 0x40] + Array(repeating: 0, count: 7)])) == .brokenTable)
    #expect(Self.kind(Self.file([[0x51, 0xFC]])) == .brokenTable)
    #expect(Self.kind(Self.file([[0xD1, 1, 1], [0x09]])) == .brokenTable)
    #expect(Self.kind(Self.file([[0x14, 1] + Array(repeating: 0, count: 15)])) == .brokenTable)
    #expect(Self.kind(Self.file([[0x00]])) == .unknownObject)
    #expect(Self.kind(Self.file([[0xC0]])) == .unknownObject)
    #expect(Self.kind(Array("bplist00".utf8)) == .truncated)
  }

  @Test func aTrailerOfAnyNumbersIsRefusedWithoutACrash() {
    let good = Self.file([[0x51, 0x61]])
    for index in good.count - 32..<good.count {
      for byte in [0x00, 0x01, 0x07, 0x08, 0x09, 0x7F, 0x80, 0xFF] as [UInt8] {
        var bytes = good
        bytes[index] = byte
        _ = Self.kind(bytes)
      }
    }
    var bytes = good
    for index in good.count - 24..<good.count { bytes[index] = 0xFF }
    #expect(Self.kind(bytes) == .brokenTable)
  }

  /// Forty objects that each name the next one twice: a tree of 2⁴⁰ values.
  @Test func aSmallFileCannotStandForAHugeTree() {
    let objects = (1...40).map { [0xA2, UInt8($0), UInt8($0)] as [UInt8] } + [[0x09]]
    #expect(Self.kind(Self.file(objects)) == .tooManyValues)
  }

  @Test func depthIsBoundedBelowAtAndAbove() {
    func nested(_ depth: Int) -> [UInt8] {
      Self.file((1..<depth).map { [0xA1, UInt8($0)] } + [[0xA0]])
    }
    #expect(Self.kind(nested(63)) == nil)
    #expect(Self.kind(nested(64)) == nil)
    #expect(Self.kind(nested(65)) == .tooDeep)
  }

  @Test func readsWhatFoundationWrites() throws {
    let value: [String: Any] = [
      "text": "häuser", "ascii": "abc", "long": String(repeating: "x", count: 300), "number": 70_000,
      "negative": -5, "real": 2.25, "flag": true, "date": Date(timeIntervalSinceReferenceDate: 1000),
      "data": Data([1, 2, 3]), "list": Array(repeating: "a", count: 20), "nested": ["a": ["b": [1, 2]]],
    ]
    for format in [PropertyListSerialization.PropertyListFormat.binary, .xml] {
      let data = try PropertyListSerialization.data(fromPropertyList: value, format: format, options: 0)
      let document = try PropertyListDocument([UInt8](data), name: "a")
      #expect(document.format == (format == .binary ? .binary : .xml))
      #expect(document.root["text"]?.string == "häuser")
      let theirs = try PropertyListSerialization.propertyList(from: data, options: [], format: nil)
      let shapes = (ours: PropertyListShape.of(document.root), theirs: PropertyListShape.of(theirs))
      #expect(shapes.ours == shapes.theirs)
    }
  }
}
