internal import LinkspanConsole
internal import LinkspanCore
internal import LinkspanServer

/// What the console tells of a host's publications.
extension PublicationHistory {
  /// What a host published and what it did not.
  ///
  /// - Parameter isShared: Whether decisions are kept in a registry, so that a state that takes nothing is no obstacle.
  func shown(of host: String, isShared: Bool) throws(LinkspanError) -> ConsoleHistory {
    let entries = try entries(of: host, wantsAssociationFiles: false) { _ in }
    let publications = entries.map { entry in
      var number: Int?
      if case .rolledBack(let to) = entry.origin { number = to }
      return ConsolePublication(
        number: entry.number, publishedAt: entry.publishedAt, site: entry.site, rolledBackTo: number,
        author: entry.author)
    }
    let drafts = try drafts(of: host).map {
      ConsoleDraft(number: $0.number, keptAt: $0.keptAt, site: $0.site, author: $0.author)
    }
    var obstacle: String?
    if !isShared {
      do throws(LinkspanError) { try refuseUnwritable(host) } catch { obstacle = error.text }
    }
    return ConsoleHistory(publications, drafts: drafts, obstacle: obstacle)
  }
}
