import Testing

@testable import DeviceRegistry
@testable import RegistryDatabases

/// What is overwritten of a page, by SQLite's file format.
@Suite("SQLite clean pages")
struct SQLiteCleanPagesTests {
  /// A page full of ones but for its header.
  private func page(type: UInt8, rows: UInt8, start: Int, header: Int = 0) -> [UInt8] {
    var page = [UInt8](repeating: 1, count: 4_096)
    page.replaceSubrange(
      header..<header + 8, with: [type, 0, 0, 0, rows, UInt8(start >> 8), UInt8(start & 255), 0])
    return page
  }

  private func cleaned(_ page: [UInt8], at offset: Int64 = 4_096) -> [Range<Int>] {
    var page = page
    let before = page
    page.withUnsafeMutableBytes { SQLiteCleanPages.clean($0, at: offset) }
    let changed = page.indices.filter { page[$0] != before[$0] }
    guard let first = changed.first, let last = changed.last else { return [] }
    #expect(changed.count == last - first + 1)
    #expect(page[first...last].allSatisfy { $0 == 0 })
    return [first..<last + 1]
  }

  @Test(arguments: [(UInt8(13), 8), (10, 8), (5, 12), (2, 12)])
  func theMiddleOfAPageOfRowsIsOverwritten(_ type: UInt8, _ headerBytes: Int) {
    #expect(cleaned(page(type: type, rows: 3, start: 4_000)) == [headerBytes + 6..<4_000])
    #expect(cleaned(page(type: type, rows: 0, start: 4_096)) == [headerBytes..<4_096])
  }

  @Test func theFirstPageBeginsWithTheFilesHeader() {
    #expect(cleaned(page(type: 13, rows: 2, start: 3_000, header: 100), at: 0) == [112..<3_000])
  }

  @Test(arguments: [0, 1, 3, 255] as [UInt8])
  func otherPagesStay(_ type: UInt8) {
    #expect(cleaned(page(type: type, rows: 3, start: 4_000)).isEmpty)
  }

  @Test func aPageThatContradictsItselfStays() {
    #expect(cleaned(page(type: 13, rows: 200, start: 100)).isEmpty)
    #expect(cleaned(page(type: 13, rows: 0, start: 5_000)).isEmpty)
  }
}
