import AppBundle
import LinkspanCore
import Testing

/// Binary property lists whose tables and lengths end where they may, and one byte behind that.
@Suite struct BinaryPropertyListTableTests {
  private static func big(_ number: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
  }

  private static func said(_ bytes: [UInt8]) -> String {
    do throws(PropertyListError) {
      return PropertyListShape.of(try PropertyListDocument(bytes, name: "a").root)
    } catch {
      // What is wrong, out of its sentence.
      return String(error.finding.message.dropFirst("The binary property list is damaged: ".count).dropLast())
    }
  }

  /// One object at byte 8, an offset of some bytes, and a trailer of any numbers.
  private static func file(
    _ object: [UInt8] = [0x51, 0x61], offset: UInt64 = 8, offsetBytes: Int = 1, sizes: [UInt8]? = nil,
    count: UInt64 = 1, top: UInt64 = 0, table: UInt64? = nil
  ) -> [UInt8] {
    Array("bplist00".utf8) + object + big(offset, offsetBytes) + [0, 0, 0, 0, 0, 0]
      + (sizes ?? [UInt8(offsetBytes), 1]) + big(count, 8) + big(top, 8)
      + big(table ?? UInt64(8 + object.count), 8)
  }

  @Test func theTrailerIsHeldToTheFile() {
    for size in 1...8 { #expect(Self.said(Self.file(offsetBytes: size)) == "s\"a\"", "\(size)") }
    for sizes: [UInt8] in [[0, 1], [9, 1], [1, 0], [1, 9]] {
      #expect(
        Self.said(Self.file(sizes: sizes))
          == "its integers have \(sizes[0]) and \(sizes[1]) bytes; expected 1 to 8")
    }
    #expect(Self.said(Self.file(sizes: [1, 8])) == "s\"a\"" && Self.said(Self.file([0x08])) == "bfalse")
    for table: UInt64 in [8, 12, .max] {
      #expect(Self.said(Self.file(table: table)) == "its offset table would begin at byte \(table) of 43")
    }
    #expect(Self.said(Self.file(table: 11)) == "its offset table has no room for 1 objects")
    for count: UInt64 in [0, 2, .max] {
      #expect(Self.said(Self.file(count: count)) == "its offset table has no room for \(count) objects")
    }
    #expect(Self.said(Self.file(top: 1)) == "its topmost object 1 is not among its 1")
    for offset: UInt64 in [7, 10] {
      #expect(
        Self.said(Self.file(offset: offset))
          == "its object 0 would be at byte \(offset), outside the object area")
    }
    let short = Array("bplist00".utf8) + [UInt8](repeating: 0, count: 33)
    #expect(
      BinaryPropertyListTests.kind(short) == .brokenTable
        && BinaryPropertyListTests.kind(Array(short.dropLast())) == .truncated)
  }

  @Test(
    arguments: [
      [0x10], [0x11, 1], [0x12, 1, 1, 1], [0x13, 1, 1, 1, 1, 1, 1, 1], [0x22, 0, 0, 0],
      [0x23, 0, 0, 0, 0, 0, 0, 0], [0x33], [0x80], [0x42, 1], [0x52, 0x61],
      [0x61, 0x00], [0xA1], [0xD1, 0], [0x4F, 0x10, 1], [0x5F, 0x11, 0, 1], [0x4F, 0x10],
    ] as [[UInt8]])
  func anObjectEndsBeforeTheTable(object: [UInt8]) {
    let place = object == [0x4F, 0x10] ? 9 : 8
    #expect(Self.said(Self.file(object)) == "the object at byte \(place) runs into the offset table")
    #expect(!Self.said(Self.file(object + [UInt8](repeating: 0, count: 8))).contains("runs into"))
  }

  @Test(
    arguments: [
      ([0x4F], "the object at byte 8 has no length"),
      ([0x4F, 0x0F, 0], "the object at byte 8 has no length"),
      ([0x4F, 0x14, 0], "the object at byte 8 has no length"),
      ([0x4F, 0x10, 0], "x[]"), ([0x4F, 0x13, 0, 0, 0, 0, 0, 0, 0, 1, 5], "x[5]"),
      ([0x51, 0x7F], #"s"\u{7F}""#),
      ([0x51, 0x80], "the text at byte 8 is marked as ASCII but contains other characters"),
      ([0xA1, 1], "it refers to object 1 of 1"),
      ([0x14] + big(0, 8) + big(UInt64(Int64.max), 8), "i9223372036854775807"),
      ([0x14] + big(.max, 8) + big(1 << 63, 8), "i-9223372036854775808"),
      ([0x14] + big(.max, 8) + big(UInt64(Int64.max), 8), "an integer does not fit 64 bits"),
      ([0x14] + big(1, 8) + big(0, 8), "an integer does not fit 64 bits"),
      ([0x87] + big(258, 8), "u258"), ([0x81, 1, 2], "u258"),
    ] as [([UInt8], String)])
  func anObjectIsReadOrRefused(object: [UInt8], said: String) {
    #expect(Self.said(Self.file(object)) == said)
  }

  /// A length may not lie in the offset table, whose first byte looks like that of an integer here.
  @Test func aLengthBeginsBeforeTheTable() {
    for marker: UInt8 in [0x4F, 0x5F, 0x6F, 0xAF, 0xDF] {
      let file = Self.file([UInt8](repeating: 0x08, count: 8) + [marker], offset: 16)
      #expect(Self.said(file) == "the object at byte 16 has no length")
    }
  }

  @Test(arguments: [0x07, 0x0A, 0x15, 0x1F, 0x21, 0x24, 0x32, 0x34, 0x70, 0x88, 0x90, 0xB0, 0xE0] as [UInt8])
  func otherKindsAreUnknown(marker: UInt8) {
    #expect(
      BinaryPropertyListTests.kind(Self.file([marker] + [UInt8](repeating: 0, count: 16))) == .unknownObject)
  }
}
