internal import Glibc
internal import LinkspanCore

/// The last header section that was found right, on any connection of a loop: one that is the same byte for byte means
/// the same, and need not be checked again. Phones of one release send the same fields.
///
/// Confined to the thread of its loop.
final class LastHeader {
  /// Longer sections are not remembered; a guess, twice what a browser sends.
  static let limitBytes = 2_048

  /// What a section says.
  struct Meaning {
    var method = ""
    var path = ""
    var authority: String?
    var fields: [HTTPField] = []
  }

  private var bytes: [UInt8] = []
  private var scheme = ""
  private var meaning: Meaning?

  /// What the section means, if it is the last one.
  func meaning(of section: [UInt8], scheme: String) -> Meaning? {
    guard let meaning, section.count == bytes.count, scheme == self.scheme,
      memcmp(section, bytes, bytes.count) == 0
    else { return nil }
    return meaning
  }

  func keep(_ section: [UInt8], scheme: String, _ meaning: Meaning) {
    guard section.count <= Self.limitBytes else { return }
    bytes.removeAll(keepingCapacity: true)
    bytes.append(contentsOf: section)
    self.scheme = scheme
    self.meaning = meaning
  }
}
