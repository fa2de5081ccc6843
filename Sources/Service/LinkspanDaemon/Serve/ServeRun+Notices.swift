internal import Glibc
internal import LinkspanConsole
internal import LinkspanCore
internal import LinkspanServer

/// What the console knows of the state, and what it says beside the hosts.
extension ServeRun {
  /// What a host published and what it did not.
  ///
  /// - Parameter hasRegistry: Whether decisions are kept in a registry, so that a state that takes nothing is no obstacle.
  static func history(
    of host: String, _ state: String, hasRegistry: Bool = false
  ) throws(LinkspanError) -> ConsoleHistory {
    let history = PublicationHistory(state: state)
    let entries = try history.entries(of: host, wantsAssociationFiles: false) { _ in }
    let publications = entries.map { entry in
      var number: Int?
      if case .rolledBack(let to) = entry.origin { number = to }
      return ConsolePublication(
        number: entry.number, publishedAt: entry.publishedAt, associationFile: entry.site.associationFile,
        rolledBackTo: number)
    }
    let drafts = try history.drafts(of: host).map {
      ConsoleDraft(number: $0.number, keptAt: $0.keptAt, site: $0.site, author: $0.author)
    }
    var obstacle: String?
    if !hasRegistry {
      do throws(LinkspanError) { try history.refuseUnwritable(host) } catch { obstacle = error.text }
    }
    return ConsoleHistory(publications, drafts: drafts, obstacle: obstacle)
  }

  /// Ours: below this share of free room, or of free files, the state soon takes nothing more.
  private static let freeRoomPercent: UInt = 5

  /// Certificates and signatures that end soon, and a disk that is nearly full.
  static func notices(
    _ now: OperatorState.Snapshot, _ state: String, at time: WallTime
  ) -> [ConsoleNotice] {
    let limit = time.advanced(by: .seconds(SigningWarning.noticeDays * 86_400)).milliseconds / 1000
    func day(_ seconds: Int64) -> Substring { WallTime(milliseconds: seconds * 1000).description.prefix(10) }
    var notices = now.certificates.filter { $0.ends < limit && $0.file != "throwaway" }.map {
      ConsoleNotice("The certificate '\($0.file)' ends on \(day($0.ends)).")
    }
    notices += now.signedFiles.filter { $0.ends < limit }.map {
      ConsoleNotice("The signature of \($0.host) ends on \(day($0.ends)).", link: "/sites/\($0.host)")
    }
    var room = statvfs()
    if statvfs(state, &room) == 0, room.f_blocks > 0 {
      let free = UInt(room.f_bavail) * 100 / UInt(room.f_blocks)
      if free < freeRoomPercent { notices.append(ConsoleNotice("The disk of the state has \(free) % left.")) }
    }
    return notices
  }
}
