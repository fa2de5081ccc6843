import AppSiteAssociation
import LinkspanCore

/// Files that were read once for all devices of a release, and for all worlds of an explanation: reading one is the dearest
/// thing a device does.
///
/// What was not asked for since so many bytes of other files were read is forgotten.
package actor AssociationCache {
  private struct Key: Hashable {
    var body: [UInt8]
    var os: OSVersion

    func hash(into hasher: inout Hasher) {
      body.withUnsafeBytes { hasher.combine(bytes: $0) }
      hasher.combine(os)
    }
  }

  /// Ours: what a story with a hundred of the largest files needs.
  static let storyLimitBytes = 16 << 20
  /// Our estimate of what reading and compiling a file costs, in steps for each byte.
  static let stepsPerByte = 40

  private let limitBytes: Int
  private var files: [Key: StoredFile?] = [:]
  private var bytes = 0
  /// Those that were last asked for before the present ones.
  private var before: [Key: StoredFile?] = [:]
  /// How many files were read, and what that cost in steps.
  package private(set) var readCount = 0
  package private(set) var spentSteps = 0

  package init(limitBytes: Int = storyLimitBytes) { self.limitBytes = limitBytes }

  /// - Returns: nil when a device drops the file: it is no JSON, or no object.
  func file(_ body: [UInt8], for os: OSVersion) -> StoredFile? {
    let key = Key(body: body, os: os)
    if let known = files[key] { return known }
    let file = before[key] ?? read(key)
    if bytes + body.count > limitBytes {
      before = files
      files = [:]
      bytes = 0
    }
    files[key] = .some(file)
    bytes += body.count
    return file
  }

  private func read(_ key: Key) -> StoredFile? {
    readCount += 1
    spentSteps += key.body.count * Self.stepsPerByte
    return AssociationContent(key.body).file.map { file in
      var digest = Digest()
      digest.update(String(decoding: key.body, as: UTF8.self))
      return StoredFile(
        matcher: AssociationMatcher(file, os: key.os), body: key.body, digest: digest.text)
    }
  }
}
