internal import AppSiteAssociation
internal import AssetLinks
package import LinkspanCore
internal import LinkspanFiles
package import LinkspanServer

/// What each host published, newest last, in a folder of the operator's.
///
/// `STATE/publications/HOST/00000007/` holds the files byte for byte and a `publication.json` about them. A
/// publication is written beside the others under another name and takes its number when all of it is on the disk, so
/// that it is there whole or not at all whenever the process or the machine dies.
///
/// The state belongs to the user that serves, and `rollback` reads it as root: it is untrusted input. Root acts as its
/// owner. Nothing in it is reached through a link, no path is taken from it, and a publication counts only when host,
/// number, digests and content hold together.
package struct PublicationHistory: Sendable {
  package struct Entry {
    /// Counts up for each host, from 1.
    package var number: Int
    package var publishedAt: WallTime
    package var site: AssociationSite
    /// The SHA-256 of the association file in hexadecimal digits; nil without one.
    package var digest: String?
    /// How it came about.
    package var origin: Origin
  }

  package enum Origin: Equatable, Sendable {
    /// Somebody put the files there.
    case published
    /// `rollback` put an earlier publication's file there.
    case rolledBack(to: Int)
    /// The record is from before there were marks, and doesn't say.
    case unknown
  }

  /// That `rollback` put a publication's file there, and nothing has been published since.
  struct Mark: Equatable {
    var number: Int
    /// The SHA-256 of the association file in hexadecimal digits.
    var digest: String
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
  func add(_ site: AssociationSite, at time: WallTime) throws(LinkspanError) {
    do throws(LinkspanError) {
      let state = try SiteWriter.madeFolder(self.state)
      try Privileges.asOwner(of: state) { () throws(LinkspanError) in
        let publications = try state.madeFolder(Self.publications)
        let home = try publications.madeFolder(Self.name(of: site.host))
        try publications.sync()
        try add(site, at: time, to: home)
      }
    } catch {
      throw LinkspanError(
        "the history in '\(state)' cannot be written: \(error.message)",
        help: error.help ?? "Make room, or let the owner of the state write there.")
    }
  }

  private func add(_ site: AssociationSite, at time: WallTime, to home: OpenFolder) throws(LinkspanError) {
    let number = (try Self.numbers(in: home).last ?? 0) + 1
    try home.remove(Self.unfinished)
    let unfinished = try home.madeFolder(Self.unfinished)
    var members: [(String, JSON)] = [
      ("type", .string("publication")), ("host", .init(site.host)), ("number", .int(number)),
      ("published_at", .string(time.description)), ("serves_root", .bool(site.servesRootName)),
      ("rolled_back_to", .init(try Self.mark(in: home).flatMap { $0.isOf(site) ? $0.number : nil })),
    ]
    for (name, key, bytes) in Self.files(of: site) {
      members.append((key, .string(SHA256.hexDigest(of: bytes))))
      try unfinished.writeNew(bytes, to: name)
    }
    try unfinished.writeNew(JSON.object(members).bytes + [0x0A], to: Self.record)
    try unfinished.sync()
    try home.rename(Self.unfinished, to: Self.text(number))
    // Whether the mark was of this publication or of none: it says nothing about the next one.
    try home.remove(Self.rolledBack)
    try home.sync()
    for old in try Self.numbers(in: home).dropLast(count) { try home.remove(Self.text(old)) }
  }

  /// Notes that `rollback` puts a publication's file back, so that its publication is known for that.
  ///
  /// - Throws: Why that cannot be written.
  func mark(_ entry: Entry, of host: String) throws(LinkspanError) {
    guard let digest = entry.digest else { return }
    let record = JSON.object([("number", .int(entry.number)), ("sha256", .string(digest))])
    try inHome(of: host, else: ()) { home throws(LinkspanError) in
      // What was planted in its place goes: nothing but a mark has this name.
      try home.remove(Self.rolledBack)
      try home.replace(Self.rolledBack, by: record.bytes + [0x0A])
    }
  }

  /// The rollback of a host that is not published yet; nil without one, and for a file that is no mark.
  func mark(of host: String) throws(LinkspanError) -> Mark? {
    try inHome(of: host, else: nil) { home throws(LinkspanError) in try Self.mark(in: home) }
  }

  /// Remembers that a host is not served any more, so that no start without its folder brings it back. What it
  /// published stays, for a rollback; with its next publication it is served again.
  ///
  /// - Throws: Why that cannot be written.
  func withdraw(_ host: String?) throws(LinkspanError) {
    try inHome(of: host, else: ()) { home throws(LinkspanError) in
      guard let newest = try Self.numbers(in: home).last else { return }
      try home.replace(Self.withdrawn, by: Array("\(newest)\n".utf8))
    }
  }

  /// Whether nothing was published for a host since it was withdrawn. Half a note is none.
  func isWithdrawn(_ host: String?) throws(LinkspanError) -> Bool {
    try inHome(of: host, else: false) { home throws(LinkspanError) in
      guard try home.kind(of: Self.withdrawn) == .file, let newest = try Self.numbers(in: home).last else {
        return false
      }
      let bytes = try home.bytes(of: Self.withdrawn, limitBytes: Self.recordLimitBytes)
      return bytes == Array("\(newest)\n".utf8)
    }
  }

  /// The publications of a host, newest first. One that is damaged is left out.
  ///
  /// - Parameters:
  ///   - wantsAssociationFiles: Whether one whose bytes are no association file counts as damaged.
  ///   - tellDamage: Called for each of these with a sentence for the operator.
  func entries(
    of host: String?, wantsAssociationFiles: Bool, tellDamage: (String) -> Void
  ) throws(LinkspanError) -> [Entry] {
    try inHome(of: host, else: []) { home throws(LinkspanError) in
      try Self.entries(in: home, host, wantsAssociationFiles, tellDamage)
    }
  }

  private static func entries(
    in home: OpenFolder, _ host: String?, _ wantsAssociationFiles: Bool, _ tellDamage: (String) -> Void
  ) throws(LinkspanError) -> [Entry] {
    var entries: [Entry] = []
    for number in try numbers(in: home).reversed() {
      do throws(LinkspanError) {
        let entry = try read(home.folder(text(number)), number, host)
        if wantsAssociationFiles, let bytes = entry.site.associationFile, !isAssociationFile(bytes) {
          throw LinkspanError("'\(home.path)/\(text(number))/\(associationFile)' is not an association file.")
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
  func hosts() throws(LinkspanError) -> [String?] {
    try asOwner(else: []) { folder throws(LinkspanError) in
      try folder.names().compactMap { name in
        if name == Self.anyHost { return .some(nil) }
        return ServedHost.fault(of: name) == nil ? name : nil
      }
    }
  }

  /// Refuses what `add` would refuse for a host. Only making something shows that: a folder, which is gone again at once.
  func refuseUnwritable(_ host: String?) throws(LinkspanError) {
    let name = try Self.name(of: host)
    func refuse(_ folder: OpenFolder, _ what: String? = nil) throws(LinkspanError) {
      do throws(LinkspanError) {
        try folder.refuseUnwritable()
      } catch {
        throw LinkspanError(
          "the history in '\(state)' cannot be written: \(what ?? "'\(folder.path)'"): \(error.reason ?? "").",
          help: "Make room, or let the owner of the state write there.")
      }
    }
    let isThere = try asOwner(else: false) { publications throws(LinkspanError) in
      try refuse(Self.inner(publications, name) ?? publications)
      return true
    }
    if isThere { return }
    var path = state
    while try FileReader.kind(of: path) == .missing { path = FileReader.place(of: path).folder }
    let folder = try OpenFolder(path)
    try Privileges.asOwner(of: folder) { () throws(LinkspanError) in
      try refuse(folder, path == state ? nil : "'\(state)' cannot be made")
    }
  }

  // MARK: - On the disk

  private static let publications = "publications"
  private static let record = "publication.json"
  private static let anyHost = "_"
  /// Holds the number of the publication that was withdrawn.
  private static let withdrawn = ".withdrawn"
  private static let unfinished = ".unfinished"
  /// Holds a ``Mark``.
  private static let rolledBack = ".rolled-back"
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
  private static func name(of host: String?) throws(LinkspanError) -> String {
    guard let host else { return anyHost }
    if let fault = ServedHost.fault(of: host) { throw LinkspanError(fault + ".") }
    return host
  }

  /// - Throws: Also when the state is a file, which nobody can keep anything in.
  private func isThere() throws(LinkspanError) -> Bool {
    switch try FileReader.kind(of: state) {
    case .folder: return true
    case .missing: return false
    case .file, .special:
      throw LinkspanError(
        "the state '\(state)' is not a directory.",
        help: "Name a directory; it is created if it does not exist.")
    }
  }

  /// Does something in the folder of all publications with the rights of the state's owner, when this is root.
  ///
  /// - Parameter absent: The answer where there is no such folder.
  private func asOwner<Answer>(
    else absent: Answer, _ body: (OpenFolder) throws(LinkspanError) -> Answer
  ) throws(LinkspanError) -> Answer {
    guard try isThere() else { return absent }
    let state = try OpenFolder(self.state)
    return try Privileges.asOwner(of: state) { () throws(LinkspanError) in
      guard let folder = try Self.inner(state, Self.publications) else { return absent }
      return try body(folder)
    }
  }

  /// The same in the folder of what was published for a host.
  private func inHome<Answer>(
    of host: String?, else absent: Answer, _ body: (OpenFolder) throws(LinkspanError) -> Answer
  ) throws(LinkspanError) -> Answer {
    let name = try Self.name(of: host)
    return try asOwner(else: absent) { folder throws(LinkspanError) in
      guard let home = try Self.inner(folder, name) else { return absent }
      return try body(home)
    }
  }

  private static func inner(_ folder: OpenFolder, _ name: String) throws(LinkspanError) -> OpenFolder? {
    try folder.kind(of: name) == .missing ? nil : folder.folder(name)
  }

  private static func numbers(in home: OpenFolder) throws(LinkspanError) -> [Int] {
    try home.names().compactMap { name in
      Int(name).flatMap { $0 > 0 && text($0) == name ? $0 : nil }
    }.sorted()
  }

  private static func read(
    _ folder: OpenFolder, _ number: Int, _ host: String?
  ) throws(LinkspanError) -> Entry {
    func damaged(_ name: String) -> LinkspanError {
      LinkspanError("'\(folder.path)/\(name)' is not what was stored there.")
    }
    let record = try folder.bytes(of: record, limitBytes: recordLimitBytes)
    guard let root = JSONParser.parse(record).root,
      let time = root["published_at"]?.string.flatMap(WallTime.init), root["host"]?.string == host,
      root["number"]?.int == number
    else { throw damaged(Self.record) }
    func file(_ name: String, _ key: String, _ limitBytes: Int) throws(LinkspanError) -> [UInt8]? {
      guard let digest = root[key]?.string else { return nil }
      let bytes = try folder.bytes(of: name, limitBytes: limitBytes)
      guard SHA256.hexDigest(of: bytes) == digest else { throw damaged(name) }
      return bytes
    }
    let site = AssociationSite(
      host: host,
      associationFile: try file(associationFile, "sha256", AssociationLocation.maximumFileBytes),
      servesRootName: root["serves_root"]?.bool ?? false,
      assetLinks: try file(assetLinks, "assetlinks_sha256", StatementSource.sizeLimitBytes))
    return Entry(
      number: number, publishedAt: time, site: site,
      digest: site.associationFile.map(SHA256.hexDigest), origin: origin(root))
  }

  private static func origin(_ record: JSONNode) -> Origin {
    guard let node = record["rolled_back_to"] else { return .unknown }
    return node.int.map { .rolledBack(to: $0) } ?? .published
  }

  private static func mark(in home: OpenFolder) throws(LinkspanError) -> Mark? {
    guard try home.kind(of: rolledBack) == .file else { return nil }
    let bytes: [UInt8]
    do throws(LinkspanError) {
      bytes = try home.bytes(of: rolledBack, limitBytes: recordLimitBytes)
    } catch {
      // Whatever was planted here keeps nobody from publishing or rolling back: it is no mark.
      return nil
    }
    guard let root = JSONParser.parse(bytes).root, let number = root["number"]?.int,
      let digest = root["sha256"]?.string
    else { return nil }
    return Mark(number: number, digest: digest)
  }

  private static func isAssociationFile(_ bytes: [UInt8]) -> Bool { AssociationContent(bytes).file != nil }

  private static func text(_ number: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 8 - digits.count)) + digits
  }
}

extension PublicationHistory.Mark {
  /// Whether these are the files that were put back.
  fileprivate func isOf(_ site: AssociationSite) -> Bool {
    site.associationFile.map(SHA256.hexDigest) == digest
  }
}
