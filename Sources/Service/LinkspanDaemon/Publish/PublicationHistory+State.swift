package import LinkspanCore
internal import LinkspanFiles
package import LinkspanServer

/// What is decided about hosts beside their files, in the folders of their publications.
extension PublicationHistory {
  /// Holds a ``Standing`` without its files, which are the newest publication's.
  static let standing = ".standing"
  /// Holds the moment since which a removal is held back.
  static let removalHeld = ".removal-held"
  static let drafts = "drafts"

  /// Keeps the decision about a host, or that there is none.
  ///
  /// - Parameter before: The decision about the newest publication, which holds until there is the one that the other
  ///   decision is about: so a process that dies between the two leaves a publication with its own decision.
  /// - Throws: Why that cannot be written.
  func keep(_ standing: Standing?, of host: String?, before: Standing? = nil) throws(LinkspanError) {
    let more: [(String, JSON)] = before.map { [("before", .object(Self.members(of: $0)))] } ?? []
    try writing { () throws(LinkspanError) in
      try inHome(of: host, else: ()) { home throws(LinkspanError) in
        guard let standing else { return try forget(Self.standing, in: home) }
        let record = JSON.object(Self.members(of: standing) + more).bytes + [0x0A]
        try changing(home) { () throws(LinkspanError) in try home.replace(Self.standing, by: record) }
      }
    }
  }

  private static func members(of standing: Standing) -> [(String, JSON)] {
    let replaced = standing.replaced.sorted { ($0 ?? "") < ($1 ?? "") }.map { JSON($0) }
    return [
      ("kind", .string(standing.kind.rawValue)), ("files", .string(standing.site.digest)),
      ("number", .init(standing.number)), ("replaced", replaced.count == 1 ? replaced[0] : .array(replaced)),
      ("actor", .string(standing.actor)), ("since", .string(standing.since.description)),
    ]
  }

  /// The decision about a host; nil without one, and for one that is about other files than these.
  ///
  /// - Parameter site: The newest publication.
  static func standing(of site: AssociationSite, in home: any StateFolder) -> Standing? {
    let root = record(standing, in: home)
    return [root, root?["before"]].lazy.compactMap { $0.flatMap { standing(of: site, $0) } }.first
  }

  /// The same of a host with this newest publication.
  func standing(of site: AssociationSite) throws(LinkspanError) -> Standing? {
    try inHome(of: site.host, else: nil) { home throws(LinkspanError) in Self.standing(of: site, in: home) }
  }

  private static func standing(of site: AssociationSite, _ record: JSONNode) -> Standing? {
    guard let kind = record["kind"]?.string.flatMap(Standing.Kind.init(rawValue:)),
      record["files"]?.string == site.digest,
      let since = record["since"]?.string.flatMap({ WallTime($0) }), let actor = record["actor"]?.string
    else { return nil }
    let replaced = record["replaced"]?.array?.map(\.string) ?? [record["replaced"]?.string]
    return Standing(
      kind, site, number: record["number"]?.int, replaced: Set(replaced), actor: actor, since: since)
  }

  /// Removes a decision about files that never became the newest publication, which might be published some day.
  func removeStrayStanding(in home: any StateFolder, newest: AssociationSite) throws(LinkspanError) {
    guard try home.kind(of: Self.standing) == .file, Self.standing(of: newest, in: home) == nil
    else { return }
    try forget(Self.standing, in: home)
  }

  /// Keeps that the removal of a host is held back, or that it is not.
  func keepHeldRemoval(since: WallTime?, of host: String?) throws(LinkspanError) {
    try inHome(of: host, else: ()) { home throws(LinkspanError) in
      guard let since else { return try forget(Self.removalHeld, in: home) }
      let record = JSON.object([("since", .string(since.description))])
      try changing(home) { () throws(LinkspanError) in
        // It is served again, if it was withdrawn a moment ago.
        try home.remove(Self.withdrawn)
        try home.replace(Self.removalHeld, by: record.bytes + [0x0A])
      }
    }
  }

  /// Since when the removal of a host is held back; nil when it is not.
  static func heldRemoval(in home: any StateFolder) -> WallTime? {
    record(removalHeld, in: home)?["since"]?.string.flatMap { WallTime($0) }
  }

  /// What was planted in the place of a record is none, and keeps nobody from publishing.
  private static func record(_ name: String, in home: any StateFolder) -> JSONNode? {
    guard (try? home.kind(of: name)) == .file,
      let bytes = try? home.bytes(of: name, limitBytes: recordLimitBytes)
    else { return nil }
    return JSONParser.parse(bytes).root
  }

  // MARK: - Drafts

  /// Files that were not served: refused, or held back.
  package struct Draft: Sendable {
    package var number: Int
    package var keptAt: WallTime
    package var site: AssociationSite
    /// Who sent it over the API; nil for files of the folder.
    package var author: String?
    /// The number of the newest publication when it was kept; nil in a record of before, which does not say.
    package var after: Int?

    /// Whether nothing was published since. Not by the clock, which may have been set back.
    func isNewer(than publication: Entry) -> Bool {
      after.map { $0 >= publication.number } ?? (keptAt > publication.publishedAt)
    }
  }

  /// Keeps a draft, unless the newest one has the same files and nothing was published since; when this returns it is on the disk.
  func keep(_ draft: PublicationDraft, at time: WallTime) throws(LinkspanError) {
    guard draft.site.associationFile != nil || draft.site.assetLinks != nil else { return }
    let isKept = try inHome(of: draft.site.host, else: false) { home throws(LinkspanError) in
      guard let newest = try Self.drafts(in: home, draft.site.host, count: 1).first else { return false }
      let last = try Self.newestNumber(in: home)
      return newest.site == draft.site && newest.author == draft.author && (newest.after ?? last) == last
    }
    if isKept { return }
    try inMadeHome(of: draft.site.host) { home throws(LinkspanError) in
      let after = try Self.newestNumber(in: home)
      let folder = try home.madeInner(Self.drafts)
      try home.sync()
      try write(draft.site, at: time, [("author", .init(draft.author)), ("after", .int(after))], to: folder)
    }
  }

  /// The drafts of a host, newest first; those that are damaged are left out.
  func drafts(of host: String?) throws(LinkspanError) -> [Draft] {
    try inHome(of: host, else: []) { home throws(LinkspanError) in
      try Self.drafts(in: home, host)
    }
  }

  /// - Parameter count: How many are wanted.
  static func drafts(
    in home: any StateFolder, _ host: String?, count: Int = .max
  ) throws(LinkspanError) -> [Draft] {
    guard try home.kind(of: Self.drafts) == .folder else { return [] }
    let folder = try home.inner(Self.drafts)
    var drafts: [Draft] = []
    for number in try numbers(in: folder).reversed() where drafts.count < count {
      do throws(LinkspanError) {
        let (entry, root) = try read(folder.inner(text(number)), number, host)
        drafts.append(
          Draft(
            number: number, keptAt: entry.publishedAt, site: entry.site, author: root["author"]?.string,
            after: root["after"]?.int))
      } catch {
        // The rest of them is more use than a page that says this.
        continue
      }
    }
    return drafts
  }
}
