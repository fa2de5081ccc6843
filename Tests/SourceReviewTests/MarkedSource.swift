import LinkspanCore
import SourceReview

/// An example whose first finding is marked by `⟦` and `⟧`.
struct MarkedSource {
  let text: String
  /// The bytes between the marks.
  let place: Range<Int>?

  init(_ marked: String) {
    text = marked.replacing("⟦", with: "").replacing("⟧", with: "")
    let parts = marked.split(separator: "⟦", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let end = parts[1].firstIndex(of: "⟧") else {
      place = nil
      return
    }
    let start = parts[0].utf8.count
    place = start..<start + parts[1][..<end].utf8.count
  }

  /// Examples that begin with `@` are Objective-C.
  var file: ReviewedFile {
    let language: SourceLanguage = text.hasPrefix("@") ? .objectiveC : .swift
    return ReviewedFile(SourceText(name: "example", text), language)
  }
}
