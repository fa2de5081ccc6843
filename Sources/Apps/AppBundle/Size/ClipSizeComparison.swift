package import LinkspanCore

/// What became larger or smaller between two builds.
package struct ClipSizeComparison: Sendable {
  /// A part or a file; nil where the build has none.
  package struct Change: Sendable {
    package let name: String
    package let kind: SizeKind
    package let oldBytes: Int?
    package let newBytes: Int?

    package var bytes: Int { (newBytes ?? 0) - (oldBytes ?? 0) }

    fileprivate var json: JSON {
      .object([
        ("name", .string(name)), ("kind", .string(kind.rawValue)), ("old_bytes", .init(oldBytes)),
        ("new_bytes", .init(newBytes)), ("change_bytes", .int(bytes)),
      ])
    }
  }

  /// What the person calls the older build.
  package let name: String
  package let oldBytes: Int
  package let newBytes: Int
  /// Kinds, programs and libraries that changed, the largest change first.
  package let parts: [Change]
  /// Files that changed, the largest change first.
  package let files: [Change]

  package var bytes: Int { newBytes - oldBytes }

  /// - Parameters:
  ///   - new: Of a bundle.
  ///   - old: Of a bundle.
  ///   - name: What the person calls the older build.
  package init(_ new: ClipSizeAnswer, against old: ClipSizeAnswer, name: String) {
    self.name = name
    oldBytes = old.files.reduce(0) { $0 + $1.sizeBytes }
    newBytes = new.files.reduce(0) { $0 + $1.sizeBytes }
    func row(_ part: SizePart) -> (String, SizeKind, Int) {
      (part.name ?? part.kind.rawValue, part.kind, part.sizeBytes)
    }
    func row(_ file: SizedFile) -> (String, SizeKind, Int) { (file.path, file.kind, file.sizeBytes) }
    parts = Self.changes(from: old.parts.map(row), to: new.parts.map(row))
    files = Self.changes(from: old.files.map(row), to: new.files.map(row))
  }

  private static func changes(
    from old: [(String, SizeKind, Int)], to new: [(String, SizeKind, Int)]
  ) -> [Change] {
    let before = Dictionary(old.map { ($0.0, $0) }, uniquingKeysWith: { first, _ in first })
    let after = Dictionary(new.map { ($0.0, $0) }, uniquingKeysWith: { first, _ in first })
    return Set(before.keys).union(after.keys).compactMap { name in
      let (old, new) = (before[name], after[name])
      guard old?.2 != new?.2, let kind = new?.1 ?? old?.1 else { return nil }
      return Change(name: name, kind: kind, oldBytes: old?.2, newBytes: new?.2)
    }.sorted { (abs($1.bytes), $0.name) < (abs($0.bytes), $1.name) }
  }

  package var json: JSON {
    .object([
      ("name", .string(name)), ("old_bytes", .int(oldBytes)), ("new_bytes", .int(newBytes)),
      ("change_bytes", .int(bytes)), ("parts", .array(parts.map(\.json))),
      ("files", .array(files.map(\.json))),
    ])
  }
}
