internal import LinkspanCore
internal import LinkspanFiles
internal import LinkspanServer

/// What a start finds: each host's folder is visited once, since there may be thousands.
extension PublicationHistory {
  /// What a host goes on with after a start.
  struct Last {
    /// nil stands for every host without a site of its own.
    let host: String?
    fileprivate(set) var newest: Entry
    fileprivate(set) var withdrawal: WallTime?
    fileprivate(set) var standing: Standing?
    fileprivate(set) var heldRemoval: WallTime?
    /// The newest one.
    fileprivate(set) var draft: Draft?
  }

  /// Reads what a process before this one left of each host, which is on the disk then, and removes what it did not bring to
  /// its end. A folder that is named like no host is left out.
  ///
  /// - Parameters:
  ///   - takesOver: False to leave the folders as they are.
  ///   - tell: Called with a sentence for the operator: for a host that cannot be read, for each damaged publication that
  ///     is newer than the one that counts, and for what cannot be written, which keeps nobody from serving.
  /// - Returns: Sorted by host, without those that have no publication.
  /// - Throws: That there is no reading the state.
  func last(
    wantsAssociationFiles: Bool, takesOver: Bool, tell: (String) -> Void
  ) throws(LinkspanError) -> [Last] {
    try asOwner(else: []) { folder throws(LinkspanError) in
      var all: [Last] = []
      for (name, host) in renamed(folder, try folder.names(), takesOver, tell) {
        do throws(LinkspanError) {
          let home = try folder.inner(name)
          let last = try last(of: host, in: home, wantsAssociationFiles, takesOver, tell)
          if let last { all.append(last) }
        } catch {
          let name = host.map { "'\($0)'" } ?? "every other host"
          tell("the publications of \(name) are left out: \(error.text)")
        }
      }
      return all
    }
  }

  /// The folders of hosts. A server of before had one for `example.com.` beside that of `example.com`: of a host that has no
  /// other one it is renamed, and else left out.
  private func renamed(
    _ folder: any StateFolder, _ names: [String], _ takesOver: Bool, _ tell: (String) -> Void
  ) -> [(name: String, host: String?)] {
    var known = Set(names)
    return names.compactMap { name in
      let wanted = IDNA.named(name)
      guard wanted != name, ServedHost.fault(of: wanted) == nil else {
        return Self.hosts(among: [name]).first.map { (name, $0) }
      }
      guard known.insert(wanted).inserted else {
        tell("the publications of '\(name)' are left out: '\(wanted)' is the same host, and has its own")
        return nil
      }
      guard takesOver else { return (name, wanted) }
      do throws(LinkspanError) {
        try folder.rename(name, to: wanted)
        try folder.sync()
        return (wanted, wanted)
      } catch {
        tell("the publications of '\(name)' are left out: \(error.text)")
        return nil
      }
    }
  }

  private func last(
    of host: String?, in home: any StateFolder, _ wantsAssociationFiles: Bool, _ takesOver: Bool,
    _ tell: (String) -> Void
  ) throws(LinkspanError) -> Last? {
    let names = try home.names()
    let numbers = Self.numbers(among: names)
    let newest = try Self.entries(in: home, numbers, host, wantsAssociationFiles, count: 1, tell).first
    if takesOver {
      do throws(LinkspanError) {
        try takeOver(home, names, newest: newest?.site)
      } catch {
        tell(error.text)
      }
    }
    guard let newest, let number = numbers.last else { return nil }
    var last = Last(host: host, newest: newest)
    if names.contains(Self.withdrawn) { last.withdrawal = try Self.withdrawal(in: home, newest: number) }
    if names.contains(Self.standing) { last.standing = Self.standing(of: newest.site, in: home) }
    if names.contains(Self.removalHeld) { last.heldRemoval = Self.heldRemoval(in: home) }
    if names.contains(Self.drafts) { last.draft = try Self.drafts(in: home, host, count: 1).first }
    return last
  }
}
