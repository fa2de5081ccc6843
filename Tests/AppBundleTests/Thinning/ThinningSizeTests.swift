import AppBundle
import LinkspanCore
import Testing

/// Sizes as Xcode's thinning report writes them, and what each text may stand for.
@Suite struct ThinningSizeTests {
  @Test(
    arguments: [
      (0, "Zero KB"), (1, "1 byte"), (2, "2 bytes"), (999, "999 bytes"), (1_000, "1 KB"), (1_499, "1 KB"),
      (1_500, "2 KB"), (999_499, "999 KB"), (999_500, "1 MB"),
      (1_049_999, "1 MB"), (1_050_000, "1.1 MB"), (999_949_999, "999.9 MB"), (999_950_000, "1 GB"),
      (1_234_999_999, "1.23 GB"), (1_235_000_000, "1.24 GB"), (1_100_000_000, "1.1 GB"),
    ] as [(Int, String)])
  func aSizeIsRoundedAndReadAgain(bytes: Int, text: String) throws {
    #expect(
      ThinningSizeText.text(bytes) == text && ThinningSizeText.words(bytes) == (bytes == 0 ? "0 bytes" : text)
    )
    let count = try #require(ThinningSizeText.bytes(text[...]))
    #expect(count.overlaps(ByteCount(bytes)), "\(count)")
  }

  @Test(
    arguments: [
      ("999999999 bytes", 999_999_999, 999_999_999), ("2 KB", 1_500, 2_499), ("1.5 MB", 1_450_000, 1_549_999),
      ("1,5 MB", 1_450_000, 1_549_999), ("1 MB", 950_000, 1_049_999),
      ("1.123456 MB", 1_123_456, 1_123_456), ("1.23 GB", 1_225_000_000, 1_234_999_999), ("0 KB", 0, 499),
      ("1 byte", 1, 1),
    ] as [(String, Int, Int)])
  func aTextStandsForAnInterval(text: String, lower: Int, upper: Int) {
    #expect(ThinningSizeText.bytes(text[...]) == ByteCount(lower, upper))
  }

  @Test(
    arguments: [
      "", "1", "1 TB", "x MB", "1.5.5 MB", "1..5 MB", ".5 MB", "1. MB", "1  MB", "-1 MB", "1000000000 bytes",
      "1.1234567 GB", "1.5 bytes", "1.5555 KB", "zero KB",
    ] as [String])
  func otherTextsAreNoSizes(text: String) { #expect(ThinningSizeText.bytes(text[...]) == nil) }
}
