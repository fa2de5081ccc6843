/// The rules that a path inside an archive keeps.
enum ArchivePath {
  /// What is wrong with a path, in words that follow "the entry '…'"; nil for a good one.
  static func problem(_ name: [UInt8], limit: Int) -> String? {
    if name.isEmpty { return "has no name" }
    if name.count > limit { return "has a path of \(name.count) bytes; at most \(limit) are taken" }
    if name.contains(where: { $0 < 0x20 || $0 == 0x7F }) { return "has a control character in its path" }
    if name[0] == UInt8(ascii: "/") { return "has an absolute path" }
    if name.contains(UInt8(ascii: "\\")) { return "has a backslash in its path" }
    if String(validating: name, as: UTF8.self) == nil { return "has a path that is not UTF-8" }
    let isFolder = name.last == UInt8(ascii: "/")
    let parts = (isFolder ? name.dropLast() : name[...])
      .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    for part in parts {
      if part.isEmpty { return "has an empty part in its path" }
      if part.elementsEqual("..".utf8) { return "leads out of the archive" }
      if part.elementsEqual(".".utf8) { return "has a part '.' in its path" }
    }
    return nil
  }

  /// The path for a message: without control characters, and not too long.
  static func shown(_ name: [UInt8]) -> String {
    let text = String(decoding: name.prefix(120), as: UTF8.self)
    let safe = String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? "\u{FFFD}" : $0 }))
    return name.count > 120 ? safe + "…" : safe
  }
}
