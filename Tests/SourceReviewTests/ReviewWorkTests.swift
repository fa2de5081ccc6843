import LinkspanCore
import SourceReview
import Testing

/// What the work of one review is enough for.
@Suite struct ReviewWorkTests {
  private static func file(_ text: String) -> ReviewedFile {
    ReviewedFile(SourceText(name: "A.swift", text), .swift)
  }

  /// A file that is too large spends nothing: smaller ones are reviewed all the same.
  @Test func aLargeFileLeavesTheWorkToOthers() {
    let work = ReviewWork(steps: 4_000)
    #expect(!work.isEnough(forBytes: 101))
    #expect(work.isEnough(forBytes: 100))
  }

  /// Comments and long words cost less than signs, and no file more than was asked for.
  @Test(arguments: [("// " + String(repeating: "a", count: 97), 75), (String(repeating: "(", count: 100), 0)])
  func costsWhatAFileHolds(text: String, bytes: Int) {
    var work = ReviewWork(steps: 4_000)
    work.spend(on: Self.file(text))
    #expect(work.isEnough(forBytes: bytes))
    #expect(!work.isEnough(forBytes: bytes + 1))
  }
}
