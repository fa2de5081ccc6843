internal import Glibc
internal import LinkspanConsole
internal import LinkspanCore
internal import LinkspanServer

/// What the console says beside the hosts.
extension ServeRun {
  /// Ours: below this share of free room, or of free files, the state soon takes nothing more.
  private static let freeRoomPercent: UInt = 5

  /// A registry that takes no changes, certificates and signatures that end soon, and a disk that is nearly full.
  ///
  /// - Parameter registryProblem: Why the registry takes no changes, as `/readyz` says it.
  static func notices(
    _ now: OperatorState.Snapshot, _ state: String, _ registryProblem: String?, at time: WallTime
  ) -> [ConsoleNotice] {
    let limit = time.advanced(by: .seconds(SigningWarning.noticeDays * 86_400)).milliseconds / 1000
    func day(_ seconds: Int64) -> Substring { WallTime(milliseconds: seconds * 1000).description.prefix(10) }
    var notices = registryProblem.map { [ConsoleNotice("The registry takes no changes: \($0)")] } ?? []
    notices += now.certificates.filter { $0.ends < limit && $0.file != "throwaway" }.map {
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
