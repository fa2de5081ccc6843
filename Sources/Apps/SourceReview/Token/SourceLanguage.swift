/// A language that the review reads.
package enum SourceLanguage: String, Hashable, Sendable {
  case swift
  case objectiveC = "objective-c"

  /// By the ending of a file's name; nil for a file that is not reviewed.
  package init?(path: String) {
    let name = path.split(separator: "/").last ?? ""
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return nil }
    switch name[name.index(after: dot)...] {
    case "swift": self = .swift
    case "m", "mm": self = .objectiveC
    default: return nil
    }
  }
}
