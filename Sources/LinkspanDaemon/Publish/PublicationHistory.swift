internal import AppSiteAssociation
internal import Glibc
package import LinkspanCore
package import LinkspanServer

/// What each host published, newest last, in a folder of the operator's.
///
/// `STATE/publications/HOST/00000007/` holds the files byte for byte and a `publication.json` about them. A
/// publication is written beside the others under another name and takes its number when all of it is on the disk, so
/// that it is there whole or not at all whenever the process or the machine dies.
///
/// The state belongs to the user that serves, and `rollback` reads it as root: it is untrusted input. Nothing in it is
/// reached through a link, no path is taken from it, and a publication counts only when host, number, digests and
/// content hold together.
package struct PublicationHistory: Sendable {
  package struct Entry {
    /// Counts up for each host, from 1.
    package var number: Int
    package var publishedAt: WallTime
    package var site: AssociationSite
    /// The SHA-256 of the association file in hexadecimal digits; nil without one.
    package var digest: String?
  }

  private let state: String
  private let count: Int

  /// - Parameters:
  ///   - state: The folder of the operator's; made when it isn't there.
  ///   - count: How many publications of a host are kept, the live one among them.
  init(state: String, count: Int = ServeSettings.historyCount) {
    self.state = state
    self.count = max(1, count)
  }

  /// Keeps a publication; when this returns it is on the disk.
  ///
  /// - Throws: Why it cannot be kept. What was kept before is untouched then.
  func add(_ site: AssociationSite, at time: WallTime) throws(DaemonError) {
    do throws(DaemonError) {
      try Self.makeFolder(state)
      let publications = try OpenFolder(state).madeFolder(Self.publications)
      let home = try publications.madeFolder(Self.name(of: site.host))
      try publications.sync()
      let number = (try Self.numbers(in: home).last ?? 0) + 1
      try home.remove(Self.unfinished)
      let unfinished = try home.madeFolder(Self.unfinished)
      var members: [(String, JSON)] = [
        ("type", .string("publication")), ("host", .init(site.host)), ("number", .int(number)),
        ("published_at", .string(time.description)), ("serves_root", .bool(site.servesRootName)),
      ]
      for (name, key, bytes) in Self.files(of: site) {
        members.append((key, .string(SHA256.hexDigest(of: bytes))))
        try unfinished.writeNew(bytes, to: name)
      }
      try unfinished.writeNew(JSON.object(members).bytes + [0x0A], to: Self.record)
      try unfinished.sync()
      try home.rename(Self.unfinished, to: Self.text(number))
      try home.sync()
      for old in try Self.numbers(in: home).dropLast(count) { try home.remove(Self.text(old)) }
    } catch {
      throw DaemonError(
        "the history in '\(state)' cannot be written: \(error.message)",
        help: error.help ?? "Make room, or let the user that serves write there.")
    }
  }

  /// Remembers that a host is not served any more, so that no start without its folder brings it back. What it
  /// published stays, for a rollback; with its next publication it is served again.
  ///
  /// - Throws: Why that cannot be written.
  func withdraw(_ host: String?) throws(DaemonError) {
    guard let home = try home(of: host), let newest = try Self.numbers(in: home).last else { return }
    try home.replace(Self.withdrawn, by: Array("\(newest)\n".utf8))
  }

  /// Whether nothing was published for a host since it was withdrawn. Half a note is none.
  func isWithdrawn(_ host: String?) throws(DaemonError) -> Bool {
    guard let home = try home(of: host), try home.kind(of: Self.withdrawn) == .file,
      let newest = try Self.numbers(in: home).last
    else { return false }
    return try home.bytes(of: Self.withdrawn, limitBytes: Self.recordLimitBytes) == Array("\(newest)\n".utf8)
  }

  /// The publications of a host, newest first. One that is damaged is left out.
  ///
  /// - Parameters:
  ///   - wantsAssociationFiles: Whether one whose bytes are no association file counts as damaged.
  ///   - tellDamage: Called for each of these with a sentence for the operator.
  func entries(
    of host: String?, wantsAssociationFiles: Bool, tellDamage: (String) -> Void
  ) throws(DaemonError) -> [Entry] {
    guard let home = try home(of: host) else { return [] }
    var entries: [Entry] = []
    for number in try Self.numbers(in: home).reversed() {
      do throws(DaemonError) {
        let entry = try Self.read(home.folder(Self.text(number)), number, host)
        if wantsAssociationFiles, let bytes = entry.site.associationFile, !Self.isAssociationFile(bytes) {
          throw DaemonError(
            "'\(home.path)/\(Self.text(number))/\(Self.associationFile)' is no association file.")
        }
        entries.append(entry)
      } catch {
        tellDamage(
          "publication \(number) of \(host.map { "'\($0)'" } ?? "every other host") is left out: \(error.message)"
        )
      }
    }
    return entries
  }

  /// The hosts with a publication, sorted; nil stands for every host without a site of its own. Folders that are named
  /// like no host are left out.
  func hosts() throws(DaemonError) -> [String?] {
    guard let folder = try publications() else { return [] }
    return try folder.names().compactMap { name in
      if name == Self.anyHost { return .some(nil) }
      return ServedHost.fault(of: name) == nil ? name : nil
    }
  }

  /// The directory of the state, for those who act as its owner; nil when it isn't there.
  func opened() throws(DaemonError) -> OpenFolder? { try isThere() ? OpenFolder(state) : nil }

  /// Refuses what `add` would refuse for a host. Only making something shows that: a folder, which is gone again at once.
  func refuseUnwritable(_ host: String?) throws(DaemonError) {
    let name = try Self.name(of: host)
    var folder: String
    var what: String?
    if try publications() != nil {
      let home = "\(state)/\(Self.publications)/\(name)"
      folder = try self.home(of: host) == nil ? "\(state)/\(Self.publications)" : home
    } else {
      folder = state
      while try FileReader.kind(of: folder) == .missing {
        let parent = folder.lastIndex(of: "/").map { String(folder[..<$0]) }
        folder = parent.map { $0.isEmpty ? "/" : $0 } ?? "."
        what = "'\(state)' cannot be made"
      }
    }
    var probe = Array("\(folder)/.linkspan-XXXXXX".utf8CString)
    guard mkdtemp(&probe) != nil else {
      let reason = String(cString: strerror(errno))
      throw DaemonError(
        "the history in '\(state)' cannot be written: \(what ?? "'\(folder)'"): \(reason).",
        help: "Make room, or let the user that serves write there.")
    }
    rmdir(probe)
  }

  // MARK: - On the disk

  private static let publications = "publications"
  private static let record = "publication.json"
  private static let anyHost = "_"
  /// Holds the number of the publication that was withdrawn.
  private static let withdrawn = ".withdrawn"
  private static let unfinished = ".unfinished"
  private static let associationFile = "apple-app-site-association"
  private static let assetLinks = "assetlinks.json"
  /// Ours: a record has some 300 bytes.
  private static let recordLimitBytes = 1 << 16

  private static func files(of site: AssociationSite) -> [(name: String, key: String, bytes: [UInt8])] {
    [
      (associationFile, "sha256", site.associationFile), (assetLinks, "assetlinks_sha256", site.assetLinks),
    ].compactMap { name, key, bytes in bytes.map { (name, key, $0) } }
  }

  /// - Throws: For what is no host, such as a path.
  private static func name(of host: String?) throws(DaemonError) -> String {
    guard let host else { return anyHost }
    if let fault = ServedHost.fault(of: host) { throw DaemonError(fault + ".") }
    return host
  }

  /// - Throws: Also when the state is a file, which nobody can keep anything in.
  private func isThere() throws(DaemonError) -> Bool {
    switch try FileReader.kind(of: state) {
    case .folder: return true
    case .missing: return false
    case .file, .special:
      throw DaemonError(
        "the state '\(state)' is no folder.", help: "Name a folder; one that is not there yet is made.")
    }
  }

  private func publications() throws(DaemonError) -> OpenFolder? {
    guard try isThere() else { return nil }
    return try Self.inner(OpenFolder(state), Self.publications)
  }

  /// What was published for a host; nil when nothing was.
  private func home(of host: String?) throws(DaemonError) -> OpenFolder? {
    let name = try Self.name(of: host)
    return try publications().flatMap { folder throws(DaemonError) in try Self.inner(folder, name) }
  }

  private static func inner(_ folder: OpenFolder, _ name: String) throws(DaemonError) -> OpenFolder? {
    try folder.kind(of: name) == .missing ? nil : folder.folder(name)
  }

  private static func numbers(in home: OpenFolder) throws(DaemonError) -> [Int] {
    try home.names().compactMap { name in
      Int(name).flatMap { $0 > 0 && text($0) == name ? $0 : nil }
    }.sorted()
  }

  private static func read(
    _ folder: OpenFolder, _ number: Int, _ host: String?
  ) throws(DaemonError) -> Entry {
    func damaged(_ name: String) -> DaemonError {
      DaemonError("'\(folder.path)/\(name)' is not what was written there.")
    }
    let record = try folder.bytes(of: record, limitBytes: recordLimitBytes)
    guard let root = JSONParser.parse(record).root,
      let time = root["published_at"]?.string.flatMap(WallTime.init), root["host"]?.string == host,
      root["number"]?.int == number
    else { throw damaged(Self.record) }
    func file(_ name: String, _ key: String, _ limitBytes: Int) throws(DaemonError) -> [UInt8]? {
      guard let digest = root[key]?.string else { return nil }
      let bytes = try folder.bytes(of: name, limitBytes: limitBytes)
      guard SHA256.hexDigest(of: bytes) == digest else { throw damaged(name) }
      return bytes
    }
    let site = AssociationSite(
      host: host,
      associationFile: try file(associationFile, "sha256", PublicationCandidate.associationLimitBytes),
      servesRootName: root["serves_root"]?.bool ?? false,
      assetLinks: try file(assetLinks, "assetlinks_sha256", PublicationCandidate.assetLinksLimitBytes))
    return Entry(
      number: number, publishedAt: time, site: site,
      digest: site.associationFile.map(SHA256.hexDigest))
  }

  private static func isAssociationFile(_ bytes: [UInt8]) -> Bool { AssociationContent(bytes).file != nil }

  private static func text(_ number: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 8 - digits.count)) + digits
  }

  private static func makeFolder(_ path: String) throws(DaemonError) {
    var made = ""
    for part in path.split(separator: "/", omittingEmptySubsequences: false) {
      made += made == "/" || (made.isEmpty && !part.isEmpty) ? String(part) : "/\(part)"
      guard made != "/", !made.isEmpty else { continue }
      guard mkdir(made, 0o755) == 0 || errno == EEXIST else {
        throw DaemonError("cannot be made", at: made, why: String(cString: strerror(errno)))
      }
    }
  }
}
