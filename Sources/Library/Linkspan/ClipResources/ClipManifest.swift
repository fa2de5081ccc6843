internal import Foundation

/// What `linkspan clip pack` says is in the archive.
struct ClipManifest {
  struct Archive: Decodable {
    let sizeBytes: Int
    let sha256: String

    enum CodingKeys: String, CodingKey {
      case sizeBytes = "size_bytes"
      case sha256
    }
  }

  struct File: Decodable {
    let path: String
    let kind: String
    let sizeBytes: Int
    let sha256: String
    /// The path of an earlier file with the same bytes, which the archive holds for both.
    let equalPath: String?

    enum CodingKeys: String, CodingKey {
      case path
      case kind
      case sizeBytes = "size_bytes"
      case sha256
      case equalPath = "same_as"
    }
  }

  private struct Head: Decodable {
    let format: String
    let version: Int
  }

  private struct Body: Decodable {
    let archive: Archive
    let files: [File]
  }

  let archive: Archive
  let files: [File]

  /// - Throws: For another format, a higher version, missing members, sizes past a limit, and paths that lead elsewhere.
  init(_ data: Data, limits: ClipResources.Limits) throws(ClipResourcesError) {
    func unreadable(_ reason: String) -> ClipResourcesError {
      ClipResourcesError(.unreadableManifest, ClipResources.manifestName, reason)
    }
    let decoder = JSONDecoder()
    let body: Body
    do {
      let head = try decoder.decode(Head.self, from: data)
      guard head.format == "linkspan-clip-resources" else {
        throw unreadable("The format is '\(head.format)', not 'linkspan-clip-resources'.")
      }
      guard (1...2).contains(head.version) else {
        throw unreadable("The version is \(head.version); this library knows 1 and 2.")
      }
      body = try decoder.decode(Body.self, from: data)
    } catch let error as ClipResourcesError {
      throw error
    } catch {
      throw unreadable("It is not a manifest as 'linkspan clip pack' writes it.")
    }
    archive = body.archive
    files = body.files
    guard Self.isDigest(archive.sha256), files.allSatisfy({ Self.isDigest($0.sha256) }) else {
      throw unreadable("A digest is not 64 lower-case hexadecimal digits.")
    }
    guard archive.sizeBytes >= 0, files.allSatisfy({ $0.sizeBytes >= 0 }) else {
      throw unreadable("A size is negative.")
    }
    try checkSizes(limits)
    try checkPaths()
    var stored: [String: File] = [:]
    for file in files {
      guard let path = file.equalPath else {
        stored[file.path] = file
        continue
      }
      guard let other = stored[path], other.sha256 == file.sha256, other.sizeBytes == file.sizeBytes else {
        throw unreadable("'\(file.path)' is said to equal '\(path)', and no file before it is its equal.")
      }
    }
  }

  /// Whether a folder holds every file in its size. Their bytes were verified when they were written.
  func isWhole(in folder: URL) -> Bool {
    let manager = FileManager.default
    guard manager.fileExists(atPath: folder.path) else { return false }
    return files.allSatisfy { file in
      // A file that cannot be looked at is expanded again, and then the reason is reported.
      let attributes = try? manager.attributesOfItem(atPath: folder.appendingPathComponent(file.path).path)
      return attributes?[.type] as? FileAttributeType == .typeRegular
        && (attributes?[.size] as? NSNumber)?.intValue == file.sizeBytes
    }
  }

  func opened(_ folder: URL, _ origin: OpenedClipResources.Origin) -> OpenedClipResources {
    let fonts = files.filter { $0.kind == "font" }.map { folder.appendingPathComponent($0.path) }
    return OpenedClipResources(folder: folder, fonts: fonts, origin: origin, problem: nil)
  }

  private static func isDigest(_ text: String) -> Bool {
    text.utf8.count == 64
      && text.utf8.allSatisfy {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || (97...102).contains($0)
      }
  }

  private func checkSizes(_ limits: ClipResources.Limits) throws(ClipResourcesError) {
    func tooLarge(_ file: String, _ reason: String) -> ClipResourcesError {
      ClipResourcesError(.tooLarge, file, reason)
    }
    guard files.count <= limits.files else {
      throw tooLarge(
        ClipResources.manifestName, "It lists \(files.count) files; the limit is \(limits.files).")
    }
    var total = 0
    for file in files {
      guard file.sizeBytes <= limits.fileBytes else {
        throw tooLarge(file.path, "It has \(file.sizeBytes) bytes; the limit is \(limits.fileBytes).")
      }
      total += file.sizeBytes
    }
    guard total <= limits.totalBytes else {
      throw tooLarge(
        ClipResources.archiveName, "It expands to \(total) bytes; the limit is \(limits.totalBytes).")
    }
  }

  /// Every path stays inside the folder, and none is another one's folder.
  private func checkPaths() throws(ClipResourcesError) {
    func isUnsafe(_ path: String, _ reason: String) -> ClipResourcesError {
      ClipResourcesError(.unsafePath, path, reason)
    }
    var seen: Set<String> = []
    var folders: Set<String> = []
    for file in files {
      let parts = file.path.split(separator: "/", omittingEmptySubsequences: false)
      let isPlain = parts.allSatisfy { part in
        !part.isEmpty && part != "." && part != ".." && part.utf8.count <= 255 && !part.utf8.contains(0)
      }
      guard isPlain, file.path.utf8.count <= 1_024 else {
        throw isUnsafe(file.path, "The path leads out of the folder, or is no path of a file.")
      }
      guard seen.insert(file.path).inserted else { throw isUnsafe(file.path, "The path is listed twice.") }
      var folder = ""
      for part in parts.dropLast() {
        folder += (folder.isEmpty ? "" : "/") + part
        folders.insert(folder)
      }
    }
    if let both = seen.intersection(folders).min() {
      throw isUnsafe(both, "The path is that of a file and of a folder.")
    }
  }
}
