internal import AppSiteAssociation
internal import AssetLinks
package import LinkspanCore
internal import LinkspanFiles
package import LinkspanServer

/// What each host published, newest last, in a folder of the operator's.
///
/// `STATE/publications/HOST/00000007/` holds the files byte for byte and a `publication.json` about them. A
/// publication is written beside the others under another name and takes its number when all of it is on the disk, so
/// that it is there whole or not at all whenever the process or the machine dies. One that was served by nobody takes no
/// number (``prepare(_:at:as:)``): the newest number is what a start serves.
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
    /// Who published it over the API; nil for files of a folder, for a rollback, and in a record of before, which does not say.
    package var author: String?
  }

  package enum Origin: Equatable, Sendable {
    /// Somebody put the files there.
    case published
    /// A rollback, or a pin, serves an earlier publication's files again.
    case rolledBack(to: Int)
    /// The record is from before there were marks, and doesn't say.
    case unknown
  }

  let place: any StatePlace
  let count: Int

  /// - Parameters:
  ///   - place: The folder of the operator's; made when it isn't there.
  ///   - count: How many publications of a host are kept, the live one among them.
  init(in place: any StatePlace, count: Int = ServeSettings.historyCount) {
    self.place = place
    self.count = max(1, count)
  }

  init(state: String, count: Int = ServeSettings.historyCount) {
    self.init(in: FolderPlace(state), count: count)
  }

  /// The folder, as in messages.
  var state: String { place.path }

  /// Keeps a publication; when this returns it is on the disk.
  ///
  /// - Parameters:
  ///   - number: The publication that a rollback went back to; nil for what somebody published.
  ///   - author: Who published it over the API.
  /// - Returns: The number that it has.
  /// - Throws: Why it cannot be kept. What was kept before is untouched then.
  @discardableResult
  func add(
    _ site: AssociationSite, at time: WallTime, rolledBackTo number: Int? = nil, author: String? = nil
  ) throws(LinkspanError) -> Int {
    var added = 0
    try inMadeHome(of: site.host) { home throws(LinkspanError) in
      added = try write(site, at: time, Self.members(rolledBackTo: number, author), to: home)
    }
    return added
  }

  /// What a record says of how a publication came about.
  static func members(rolledBackTo number: Int?, _ author: String?) -> [(String, JSON)] {
    [("rolled_back_to", .init(number))] + (author.map { [("author", .string($0))] } ?? [])
  }

  /// Does something in the folder of what was published for a host, which is made when it isn't there.
  func inMadeHome(
    of host: String?, _ body: (any StateFolder) throws(LinkspanError) -> Void
  ) throws(LinkspanError) {
    try writing { () throws(LinkspanError) in
      try place.openMade { state throws(LinkspanError) in
        let publications = try state.madeInner(Self.publications)
        let home = try publications.madeInner(Self.name(of: host))
        // Both names, whoever made them: what is kept inside is no use without.
        try state.sync()
        try publications.sync()
        try body(home)
      }
    }
  }

  /// Does something that writes, and says in whose errors it is the history that cannot be written.
  func writing<Answer>(_ body: () throws(LinkspanError) -> Answer) throws(LinkspanError) -> Answer {
    do throws(LinkspanError) {
      return try body()
    } catch {
      throw LinkspanError(
        "the history in '\(state)' cannot be written: \(error.message)",
        help: error.help ?? "Make room, or let the owner of the state write there.")
    }
  }

  /// Writes files under the next number of a folder, and removes what is too old.
  ///
  /// - Parameter more: Members of the record.
  /// - Returns: The number.
  @discardableResult
  func write(
    _ site: AssociationSite, at time: WallTime, _ more: [(String, JSON)], to home: any StateFolder
  ) throws(LinkspanError) -> Int {
    let number = try Self.nextNumber(in: home)
    try write(site, at: time, number, more, as: Self.unfinished, in: home)
    try put(Self.unfinished, as: number, in: home)
    return number
  }

  /// The number of the next publication.
  static func nextNumber(in home: any StateFolder) throws(LinkspanError) -> Int {
    try newestNumber(in: home) + 1
  }

  /// 0 without a publication.
  static func newestNumber(in home: any StateFolder) throws(LinkspanError) -> Int {
    try numbers(in: home).last ?? 0
  }

  /// Writes files under a name that is no number; when this returns all but the name is on the disk.
  func write(
    _ site: AssociationSite, at time: WallTime, _ number: Int, _ more: [(String, JSON)] = [], as name: String,
    in home: any StateFolder
  ) throws(LinkspanError) {
    try home.remove(name)
    let unfinished = try home.madeInner(name)
    var members: [(String, JSON)] = [
      ("type", .string("publication")), ("host", .init(site.host)), ("number", .int(number)),
      ("published_at", .string(time.description)), ("serves_root", .bool(site.servesRootName)),
    ]
    for (name, key, bytes) in Self.files(of: site) {
      members.append((key, .string(SHA256.hexDigest(of: bytes))))
      try unfinished.writeNew(bytes, to: name)
    }
    try unfinished.writeNew(JSON.object(members + more).bytes + [0x0A], to: Self.record)
    try unfinished.sync()
  }

  /// Remembers that a host is not served any more, so that no start without its folder brings it back. What it
  /// published stays, for a rollback; with its next publication it is served again.
  ///
  /// - Parameter time: When its files were gone; nil when somebody has confirmed it, so that it does not count among the
  ///   removals that may be a mistake.
  /// - Throws: Why that cannot be written.
  func withdraw(_ host: String?, at time: WallTime?) throws(LinkspanError) {
    try writing { () throws(LinkspanError) in
      try inHome(of: host, else: ()) { home throws(LinkspanError) in
        guard let newest = try Self.numbers(in: home).last else { return }
        let note = Array("\(newest)\(time.map { " \($0)" } ?? "")\n".utf8)
        try changing(home) { () throws(LinkspanError) in try home.replace(Self.withdrawn, by: note) }
      }
    }
  }

  /// Has a host be served again after a start.
  ///
  /// - Throws: Why that cannot be written.
  func takeBackWithdrawal(of host: String?) throws(LinkspanError) {
    try writing { () throws(LinkspanError) in
      try inHome(of: host, else: ()) { home throws(LinkspanError) in
        try forget(Self.withdrawn, in: home)
      }
    }
  }

  /// When a host was withdrawn; nil when something was published since. Half a note is none, and a note without a time is of
  /// 1970.
  ///
  /// - Parameter newest: The number of the newest publication.
  static func withdrawal(in home: any StateFolder, newest: Int) throws(LinkspanError) -> WallTime? {
    guard try home.kind(of: withdrawn) == .file else { return nil }
    let text = String(decoding: try home.bytes(of: withdrawn, limitBytes: recordLimitBytes), as: UTF8.self)
    guard text.last == "\n" else { return nil }
    let words = text.dropLast().split(separator: " ")
    guard words.first == "\(newest)" else { return nil }
    return words.dropFirst().first.flatMap { WallTime(String($0)) } ?? WallTime(milliseconds: 0)
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
      try Self.entries(in: home, try Self.numbers(in: home), host, wantsAssociationFiles, tellDamage)
    }
  }

  /// - Parameter count: How many are wanted.
  static func entries(
    in home: any StateFolder, _ numbers: [Int], _ host: String?, _ wantsAssociationFiles: Bool,
    count: Int = .max, _ tellDamage: (String) -> Void
  ) throws(LinkspanError) -> [Entry] {
    var entries: [Entry] = []
    for number in numbers.reversed() where entries.count < count {
      do throws(LinkspanError) {
        let (entry, _) = try read(home.inner(text(number)), number, host)
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

  /// The hosts with a publication, sorted; nil stands for every host without a site of its own.
  func hosts() throws(LinkspanError) -> [String?] {
    try asOwner(else: []) { folder throws(LinkspanError) in Self.hosts(among: try folder.names()) }
  }

  /// Folders that are named like no host are left out.
  static func hosts(among names: [String]) -> [String?] {
    names.compactMap { name in
      if name == anyHost { return .some(nil) }
      return ServedHost.fault(of: name) == nil ? name : nil
    }
  }

  /// Refuses what `add` would refuse for a host. Only making something shows that: a folder, which is gone again at once.
  func refuseUnwritable(_ host: String?) throws(LinkspanError) {
    let name = try Self.name(of: host)
    func refuse(_ folder: any StateFolder, _ what: String? = nil) throws(LinkspanError) {
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
  static let withdrawn = ".withdrawn"
  private static let unfinished = ".unfinished"
  private static let associationFile = "apple-app-site-association"
  private static let assetLinks = "assetlinks.json"
  /// Ours: a record has some 300 bytes.
  static let recordLimitBytes = 1 << 16

  private static func files(of site: AssociationSite) -> [(name: String, key: String, bytes: [UInt8])] {
    [
      (associationFile, "sha256", site.associationFile), (assetLinks, "assetlinks_sha256", site.assetLinks),
    ].compactMap { name, key, bytes in bytes.map { (name, key, $0) } }
  }

  /// - Throws: For what is no host, such as a path.
  static func name(of host: String?) throws(LinkspanError) -> String {
    guard let host else { return anyHost }
    if let fault = ServedHost.fault(of: host) { throw LinkspanError(fault + ".") }
    return host
  }

  /// Does something in the folder of all publications with the rights of the state's owner, when this is root.
  ///
  /// - Parameter absent: The answer where there is no such folder.
  func asOwner<Answer>(
    else absent: Answer, _ body: (any StateFolder) throws(LinkspanError) -> Answer
  ) throws(LinkspanError) -> Answer {
    guard try place.isThere() else { return absent }
    return try place.open { state throws(LinkspanError) in
      guard let folder = try Self.inner(state, Self.publications) else { return absent }
      return try body(folder)
    }
  }

  /// The same in the folder of what was published for a host.
  func inHome<Answer>(
    of host: String?, else absent: Answer, _ body: (any StateFolder) throws(LinkspanError) -> Answer
  ) throws(LinkspanError) -> Answer {
    let name = try Self.name(of: host)
    return try asOwner(else: absent) { folder throws(LinkspanError) in
      guard let home = try Self.inner(folder, name) else { return absent }
      return try body(home)
    }
  }

  static func inner(
    _ folder: any StateFolder, _ name: String
  ) throws(LinkspanError) -> (any StateFolder)? {
    try folder.kind(of: name) == .missing ? nil : folder.inner(name)
  }

  static func numbers(in home: any StateFolder) throws(LinkspanError) -> [Int] {
    numbers(among: try home.names())
  }

  static func numbers(among names: [String]) -> [Int] {
    names.compactMap { name in Int(name).flatMap { $0 > 0 && text($0) == name ? $0 : nil } }.sorted()
  }

  static func read(
    _ folder: any StateFolder, _ number: Int, _ host: String?
  ) throws(LinkspanError) -> (Entry, JSONNode) {
    func damaged(_ name: String) -> LinkspanError {
      LinkspanError("'\(folder.path)/\(name)' is not what was stored there.")
    }
    let record = try folder.bytes(of: record, limitBytes: recordLimitBytes)
    guard let root = JSONParser.parse(record).root,
      let time = root["published_at"]?.string.flatMap(WallTime.init),
      root["host"]?.string.map(IDNA.named) == host,
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
    let entry = Entry(
      number: number, publishedAt: time, site: site,
      digest: site.associationFile.map(SHA256.hexDigest), origin: origin(root),
      author: root["author"]?.string)
    return (entry, root)
  }

  private static func origin(_ record: JSONNode) -> Origin {
    guard let node = record["rolled_back_to"] else { return .unknown }
    return node.int.map { .rolledBack(to: $0) } ?? .published
  }

  private static func isAssociationFile(_ bytes: [UInt8]) -> Bool { AssociationContent(bytes).file != nil }

  static func text(_ number: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 8 - digits.count)) + digits
  }
}
