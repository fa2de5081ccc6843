import AppSiteAssociation
import LinkspanCore

/// Files that were read once for all devices of a release: reading one is the dearest thing a device does.
actor AssociationCache {
  private struct Key: Hashable {
    var body: [UInt8]
    var os: OSVersion
  }

  /// Ours. A story has far fewer; beyond it everything is read anew.
  private static let limit = 1000

  private var files: [Key: StoredFile?] = [:]

  /// - Returns: nil when a device drops the file: it is no JSON, or no object.
  func file(_ body: [UInt8], for os: OSVersion) -> StoredFile? {
    let key = Key(body: body, os: os)
    if let known = files[key] { return known }
    if files.count >= Self.limit { files.removeAll() }
    let file = AssociationContent(body).file.map { file in
      var digest = Digest()
      digest.update(String(decoding: body, as: UTF8.self))
      return StoredFile(matcher: AssociationMatcher(file, os: os), body: body, digest: digest.text)
    }
    files[key] = .some(file)
    return file
  }
}
