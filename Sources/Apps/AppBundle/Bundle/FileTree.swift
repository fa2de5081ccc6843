/// The files of a bundle, wherever they are: in a folder, in an archive, in memory.
package protocol FileTree {
  /// What the person calls it; errors carry it.
  var name: String { get }
  var files: [BundleFile] { get }
  /// The paths of the symbolic links, which are no files and are not followed; an archive with one is refused.
  var links: [String] { get }
  /// The bytes of the archive itself; nil for a folder.
  var archiveBytes: Int? { get }

  /// - Parameter index: Of ``files``.
  func open(_ index: Int) throws(BundleError) -> any RandomAccessBytes
}

extension FileTree {
  package var links: [String] { [] }
}

/// One file, without folders.
package struct BundleFile: Sendable {
  /// From the top of the tree, with slashes.
  package let path: String
  package let sizeBytes: Int
  /// nil where nothing is compressed.
  package let compressedBytes: Int?
  /// CRC-32 where somebody has computed it.
  package let checksum: UInt32?

  package init(path: String, sizeBytes: Int, compressedBytes: Int? = nil, checksum: UInt32? = nil) {
    self.path = path
    self.sizeBytes = sizeBytes
    self.compressedBytes = compressedBytes
    self.checksum = checksum
  }

  /// The last part of the path.
  package var fileName: Substring {
    path[(path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex)...]
  }

  /// In lower case, without its dot; empty where there is none.
  package var pathExtension: String {
    guard let dot = fileName.lastIndex(of: "."), dot != fileName.startIndex else { return "" }
    return fileName[fileName.index(after: dot)...].lowercased()
  }
}

/// An archive as a tree.
package struct ArchiveTree: FileTree {
  package let files: [BundleFile]
  private let archive: Archive
  /// The archive's number of each file.
  private let indexes: [Int]

  package init(_ archive: Archive) {
    self.archive = archive
    indexes = archive.entries.indices.filter { !archive.entries[$0].isFolder }
    files = indexes.map { index in
      let entry = archive.entries[index]
      return BundleFile(
        path: entry.path, sizeBytes: entry.sizeBytes, compressedBytes: entry.compressedBytes,
        checksum: entry.checksum)
    }
  }

  package var name: String { archive.file }

  package var archiveBytes: Int? { archive.sizeBytes }

  package func open(_ index: Int) throws(BundleError) -> any RandomAccessBytes {
    try archive.open(indexes[index])
  }
}

/// A tree with its files in order, so that a folder's are found at once.
package struct FileIndex {
  package let tree: any FileTree
  /// In the order of their paths' bytes: what lies in one folder stands together.
  package let files: [BundleFile]
  /// The tree's number of each file.
  private let indexes: [Int]
  /// The places of the files whose names have more than ASCII; in a dictionary names are one whose accents are written
  /// differently.
  private let places: [String: Int]

  package init(_ tree: any FileTree) {
    self.tree = tree
    let all = tree.files
    let order = all.indices.sorted { all[$0].path.utf8.lexicographicallyPrecedes(all[$1].path.utf8) }
    indexes = order
    let files = order.map { all[$0] }
    self.files = files
    var places: [String: Int] = [:]
    for (place, file) in files.enumerated() where !Self.isASCII(file.path) && places[file.path] == nil {
      places[file.path] = place
    }
    self.places = places
  }

  private static func isASCII(_ path: String) -> Bool { path.utf8.allSatisfy { $0 < 0x80 } }

  /// The numbers of the files in a folder, at any depth.
  ///
  /// - Parameter folder: Without a slash at its end; empty for all.
  package func range(of folder: String) -> Range<Int> {
    if folder.isEmpty { return files.indices }
    let prefix = Array((folder + "/").utf8)
    let start = first { !$0.lexicographicallyPrecedes(prefix) }
    let end = first { !$0.starts(with: prefix) && !$0.lexicographicallyPrecedes(prefix) }
    return start..<end
  }

  private func first(where isBehind: (String.UTF8View) -> Bool) -> Int {
    var (low, high) = (0, files.count)
    while low < high {
      let middle = (low + high) / 2
      if isBehind(files[middle].path.utf8) { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// The number of a file. As on iOS since 11, and on a Mac, names are one that differ only in how a letter with an accent is
  /// written: an archive that a Mac made may have `u` and two dots where the Info.plist has `ü`.
  ///
  /// - Source: Apple, WWDC 2017, "What's New in Apple File System": lookups ignore the form of normalisation.
  package func index(of path: String) -> Int? {
    let bytes = Array(path.utf8)
    let index = first { !$0.lexicographicallyPrecedes(bytes) }
    if index < files.count, files[index].path == path { return index }
    return Self.isASCII(path) ? nil : places[path]
  }

  /// What errors and findings call a file.
  package func shown(_ path: String) -> String { path.isEmpty ? tree.name : "\(tree.name)/\(path)" }

  package func open(_ index: Int) throws(BundleError) -> any RandomAccessBytes {
    try tree.open(indexes[index])
  }

  /// A whole file; nil where it is not there.
  package func bytes(_ path: String, limit: Int) throws(BundleError) -> [UInt8]? {
    guard let index = index(of: path) else { return nil }
    guard files[index].sizeBytes <= limit else {
      throw BundleError(
        .tooLarge, in: shown(path),
        "The file has \(files[index].sizeBytes) bytes; at most \(limit) are read.",
        help: "Its kind is hardly ever larger than some kilobytes.")
    }
    let content = try open(index)
    return try content.bytes(0..<content.count)
  }
}
