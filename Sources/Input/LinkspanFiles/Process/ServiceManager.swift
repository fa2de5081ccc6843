internal import CLinkspanPlatform
internal import Glibc

/// Speaks with systemd as sd_notify(3) and sd_listen_fds(3) describe it: datagrams to the socket that `NOTIFY_SOCKET`
/// names, and sockets that begin at descriptor 3. Without it everything here does nothing.
package struct ServiceManager: Sendable {
  private let descriptor: Int32
  private let path: [UInt8]

  /// Half of what the service manager waits at most between two signs of life; nil when it wants none.
  package let watchdogMilliseconds: Int64?

  package init() {
    let name = ProcessEnvironment.value("NOTIFY_SOCKET", isNotEmpty: true)
    path = name.map { Array($0.utf8) } ?? []
    descriptor = path.isEmpty ? -1 : socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Self.closesOnExec, 0)
    let isOurs = ProcessEnvironment.value("WATCHDOG_PID").map { Int32($0) == getpid() } ?? true
    let microseconds = ProcessEnvironment.value("WATCHDOG_USEC").flatMap(Int64.init) ?? 0
    watchdogMilliseconds = isOurs && microseconds > 0 && !path.isEmpty ? max(1, microseconds / 2_000) : nil
  }

  private static let closesOnExec = Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)

  /// Files and first connections are there.
  package func ready(_ status: String) { send("READY=1\nSTATUS=\(status)") }

  /// Files are being read anew; ``ready(_:)`` ends it.
  package func reloading() {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    // The form of Type=notify-reload, which wants to know that the word is newer than its signal.
    send("RELOADING=1\nMONOTONIC_USEC=\(Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)")
  }

  package func stopping() { send("STOPPING=1\nSTATUS=answering what is under way") }

  package func alive() { send("WATCHDOG=1") }

  /// A word that cannot be sent is not sent: nothing a service does depends on it.
  private func send(_ text: String) {
    guard descriptor >= 0 else { return }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let room = MemoryLayout.size(ofValue: address.sun_path)
    guard path.count < room else { return }
    withUnsafeMutableBytes(of: &address.sun_path) { memory in
      memory.copyBytes(from: path)
      // An abstract name begins with a zero, which the variable spells '@' (unix(7)).
      if path[0] == UInt8(ascii: "@") { memory[0] = 0 }
    }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + path.count)
    let bytes = Array(text.utf8)
    withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, length)
      }
    }
  }

  /// A listening socket that was handed over, and its name (`FileDescriptorName=`).
  package struct HandedOver: Sendable {
    package var descriptor: Int32
    package var name: String
  }

  /// The sockets that were handed over to this process; none without a service manager.
  package static func sockets() -> [HandedOver] {
    guard ProcessEnvironment.value("LISTEN_PID").flatMap({ Int32($0) }) == getpid(),
      let count = ProcessEnvironment.value("LISTEN_FDS").flatMap({ Int32($0) }), (1...64).contains(count)
    else { return [] }
    let names = (ProcessEnvironment.value("LISTEN_FDNAMES") ?? "")
      .split(separator: ":", omittingEmptySubsequences: false)
    return (0..<count).map { index in
      let descriptor = 3 + index
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      return HandedOver(
        descriptor: descriptor, name: Int(index) < names.count ? String(names[Int(index)]) : "")
    }
  }
}
