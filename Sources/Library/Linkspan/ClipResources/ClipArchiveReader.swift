internal import Foundation

/// Reads the archive of `linkspan clip pack`: a plain subset of the zip format, in the order of the manifest.
///
/// - Source: Documentation/app-clips.md; PKWARE APPNOTE 6.3, 4.3.7.
struct ClipArchiveReader {
  private let archive: Data
  private var offset = 0

  init(_ archive: Data) { self.archive = archive }

  /// - Throws: When the archive is not the one that was packed.
  func verify(_ expected: ClipManifest.Archive) throws(ClipResourcesError) {
    guard archive.count == expected.sizeBytes else {
      throw damaged(
        ClipResources.archiveName,
        "It has \(archive.count) bytes; the manifest says \(expected.sizeBytes).")
    }
    let digest = archive.withUnsafeBytes(Digest.hexadecimal)
    guard digest == expected.sha256 else {
      throw damaged(ClipResources.archiveName, "Its SHA-256 is not the one in the manifest.")
    }
  }

  /// The next file, verified.
  mutating func next(_ file: ClipManifest.File) throws(ClipResourcesError) -> [UInt8] {
    // Signature, version, flags, method, time, date, checksum, both sizes, lengths of the name and of extra fields.
    guard try number(0, 4) == 0x0403_4B50 else {
      throw damaged(file.path, "The archive has no such file at this place.")
    }
    let (flags, method) = (try number(6, 2), try number(8, 2))
    let (packedSize, size) = (try number(18, 4), try number(22, 4))
    let nameLength = try number(26, 2)
    // Only the flag that says that names are UTF-8.
    guard flags & ~0x0800 == 0, try number(28, 2) == 0, method == 0 || method == 8 else {
      throw damaged(file.path, "Its header is not one that 'linkspan clip pack' writes.")
    }
    guard try bytes(30, nameLength).elementsEqual(file.path.utf8), size == file.sizeBytes else {
      throw damaged(file.path, "The archive has another file at this place.")
    }
    let packed = try bytes(30 + nameLength, packedSize)
    offset += 30 + nameLength + packedSize
    let content = try expand(packed, file, isStored: method == 0)
    guard content.withUnsafeBytes(Digest.hexadecimal) == file.sha256 else {
      throw damaged(file.path, "Its SHA-256 is not the one in the manifest.")
    }
    return content
  }

  /// - Throws: When there are more files than the manifest lists.
  func finish() throws(ClipResourcesError) {
    let signature = try number(0, 4)
    // The directory, or the end of an archive without files.
    guard signature == 0x0201_4B50 || signature == 0x0605_4B50 else {
      throw damaged(ClipResources.archiveName, "It holds more than the manifest lists.")
    }
  }

  private func expand(
    _ packed: Data, _ file: ClipManifest.File, isStored: Bool
  ) throws(ClipResourcesError) -> [UInt8] {
    if isStored {
      guard packed.count == file.sizeBytes else { throw damaged(file.path, "Its sizes do not agree.") }
      return Array(packed)
    }
    do {
      return try packed.withUnsafeBytes { packed in try Inflate.expand(packed, size: file.sizeBytes) }
    } catch {
      let reason =
        switch error as? Inflate.Failure {
        case .endsEarly: "Its deflated bytes end early."
        case .isLarger: "It expands to more bytes than the manifest says."
        case .isSmaller: "It expands to fewer bytes than the manifest says."
        case .isNoDeflate, nil: "Its bytes are not deflated."
        }
      throw damaged(file.path, reason)
    }
  }

  /// A little-endian number, from the beginning of the current header.
  private func number(_ place: Int, _ count: Int) throws(ClipResourcesError) -> Int {
    try bytes(place, count).reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  private func bytes(_ place: Int, _ count: Int) throws(ClipResourcesError) -> Data {
    let start = offset + place
    guard count <= archive.count, start <= archive.count - count else {
      throw damaged(ClipResources.archiveName, "It ends in the middle of a file.")
    }
    return archive[archive.startIndex + start..<archive.startIndex + start + count]
  }

  private func damaged(_ file: String, _ reason: String) -> ClipResourcesError {
    ClipResourcesError(.damagedArchive, file, reason)
  }
}
