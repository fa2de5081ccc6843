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
    let limit = time.advanced(by: .seconds(SigningWarning.noticeDays * 86_400))
    func day(_ time: WallTime) -> Substring { time.description.prefix(10) }
    var notices = registryProblem.map { [ConsoleNotice("The registry takes no changes: \($0)")] } ?? []
    let shown = now.certificates.filter { $0.file != "throwaway" }
    if let hosts = CertificateTerm.hostsWithout(shown, of: now.hosts) {
      notices.append(ConsoleNotice("No certificate is for \(hosts)."))
    }
    for certificate in shown {
      let name = "The certificate '\(certificate.file)'"
      if let refusal = certificate.refusal {
        notices.append(ConsoleNotice("\(name) is refused by iOS 13 and later: \(refusal)."))
      } else if certificate.begins > time {
        notices.append(ConsoleNotice("\(name) is not valid before \(certificate.begins)."))
      } else if certificate.ends < limit {
        notices.append(
          ConsoleNotice(
            "\(name) \(certificate.ends < time ? "expired" : "ends") on \(day(certificate.ends))."))
      } else if let end = certificate.othersEnd, end < limit {
        notices.append(
          ConsoleNotice(
            "\(name) has one behind it that \(end < time ? "expired" : "ends") on \(day(end))."))
      }
    }
    for file in now.signedFiles {
      let end = WallTime(milliseconds: file.ends * 1000)
      guard end < limit else { continue }
      notices.append(
        ConsoleNotice("The signature of \(file.host) ends on \(day(end)).", link: "/sites/\(file.host)"))
    }
    var room = statvfs()
    if statvfs(state, &room) == 0, room.f_blocks > 0 {
      let free = UInt(room.f_bavail) * 100 / UInt(room.f_blocks)
      if free < freeRoomPercent { notices.append(ConsoleNotice("The disk of the state has \(free) % left.")) }
    }
    return notices
  }
}
