import Foundation
import Testing

/// What the service manager hears and hands over (sd_notify(3), sd_listen_fds(3)).
@Suite struct ServiceManagerTests {
  /// The service manager's end of `NOTIFY_SOCKET`.
  private final class Ear {
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)

    /// - Parameter name: A path, or an abstract name behind `@`.
    init(_ name: String) throws {
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { memory in
        memory.copyBytes(from: Array(name.utf8))
        if name.hasPrefix("@") { memory[0] = 0 }
      }
      let length = socklen_t(MemoryLayout<sa_family_t>.size + name.utf8.count)
      let outcome = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
      }
      try #require(outcome == 0)
      // A word that never comes ends the test instead of holding it up.
      var patience = timeval(tv_sec: 60, tv_usec: 0)
      setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    func next() throws -> [String] {
      var bytes = [UInt8](repeating: 0, count: 4_096)
      let count = recv(descriptor, &bytes, bytes.count, 0)
      try #require(count > 0)
      return String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: "\n").map(String.init)
    }
  }

  private func tool() throws -> Tool {
    let tool = try Tool()
    try tool.write(CheckTests.good, to: "site/example.com\(ServeTests.path)")
    return tool
  }

  @Test(arguments: [true, false])
  func hearsOfReadinessReloadsAndTheEnd(isAbstract: Bool) throws {
    let tool = try tool()
    let name = isAbstract ? "@linkspan-\(UUID().uuidString)" : tool.folder.appending(path: "notify").path
    let ear = try Ear(name)
    let server = try OperatedServer(tool, ["site"], environment: ["NOTIFY_SOCKET": name])
    #expect(try ear.next() == ["READY=1", "STATUS=serving 1 host"])
    server.signal(SIGHUP)
    let reloading = try ear.next()
    #expect(reloading.first == "RELOADING=1")
    #expect(reloading.last?.hasPrefix("MONOTONIC_USEC=") == true)
    #expect(try ear.next().first == "READY=1")
    try tool.write("{", to: "site/example.com\(ServeTests.path)")
    #expect(try ear.next() == ["READY=1", "STATUS=serving 1 host, 1 with refused files"])
    server.signal(SIGTERM)
    #expect(try ear.next().first == "STOPPING=1")
    server.process.waitUntilExit()
    #expect(server.process.terminationStatus == 0)
  }

  @Test func hearsASignOfLifeForTheWatchdog() throws {
    let tool = try tool()
    let name = tool.folder.appending(path: "notify").path
    let ear = try Ear(name)
    let server = try OperatedServer(
      tool, ["site"], environment: ["NOTIFY_SOCKET": name, "WATCHDOG_USEC": "200000"])
    #expect(try ear.next().first == "READY=1")
    for _ in 0..<3 { #expect(try ear.next() == ["WATCHDOG=1"]) }
    server.signal(SIGTERM)
    while try ear.next().first != "STOPPING=1" {}
    server.process.waitUntilExit()
  }

  /// As of `ListenStream=/run/linkspan.sock` and `ListenDatagram=443`; the words for the socket's own refusal named an address
  /// that nobody had written.
  @Test(arguments: [
    (AF_UNIX, Int32(SOCK_STREAM.rawValue)), (AF_INET, Int32(SOCK_DGRAM.rawValue)), (-1, 0),
  ])
  func aSocketThatIsNotOfTCPIsRefused(domain: Int32, kind: Int32) throws {
    let tool = try tool()
    let handed = domain < 0 ? open("/dev/null", O_RDONLY) : socket(domain, kind, 0)
    defer { close(handed) }
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.currentDirectoryURL = tool.folder
    process.arguments = [
      "-c", "exec 3<&0; LISTEN_FDS=1 LISTEN_FDNAMES=linkspan LISTEN_PID=$$ exec \"$0\" serve site --plain",
      Tool.binary.path,
    ]
    process.standardInput = FileHandle(fileDescriptor: handed, closeOnDealloc: false)
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    let told = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 2)
    #expect(
      told
        == "linkspan serve: error: the service manager passed descriptor 3, which is no TCP socket.\n"
        + "  Give the .socket unit a port, such as ListenStream=443; a path is not served on.\n")
  }

  @Test func handsASocketOverAndKeepsIt() throws {
    let tool = try tool()
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(listener, pointer, length) == 0 && listen(listener, 64) == 0
          && getsockname(listener, pointer, &length) == 0
      }
    }
    try #require(isListening)
    let port = Int(UInt16(bigEndian: address.sin_port))
    // The socket outlives each server, as a .socket unit's does.
    for _ in 0..<2 {
      let server = try OperatedServer(tool, ["site"]) { process in
        process.arguments =
          [
            "-c", "exec 3<&0; LISTEN_FDS=1 LISTEN_FDNAMES=linkspan LISTEN_PID=$$ exec \"$0\" \"$@\"",
            Tool.binary.path,
          ]
          + (process.arguments ?? [])
        process.executableURL = URL(filePath: "/bin/sh")
        process.standardInput = FileHandle(fileDescriptor: listener, closeOnDealloc: false)
      }
      #expect(server.port == port)
      #expect(try server.ask(ServeTests.path) == CheckTests.good + "\n200")
      #expect(server.end() == 0)
    }
  }

  @Test(.enabled(if: getuid() == 0, "only root can become somebody else"))
  func givesItsRightsUp() throws {
    let tool = try tool()
    for name in ["", "site", "site/example.com", "site/example.com/.well-known"] {
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o755], ofItemAtPath: tool.folder.appending(path: name).path)
    }
    let server = try OperatedServer(tool, ["site", "--user", "nobody"])
    let status = try String(
      contentsOfFile: "/proc/\(server.process.processIdentifier)/status", encoding: .utf8)
    let nobody = try #require(getpwnam("nobody")).pointee
    let (user, group) = (nobody.pw_uid, nobody.pw_gid)
    #expect(status.contains("\nUid:\t\(user)\t\(user)\t\(user)\t\(user)\n"))
    #expect(status.contains("\nGid:\t\(group)\t\(group)\t\(group)\t\(group)\n"))
    #expect(status.contains("\nGroups:\t\(group) \n"))
    #expect(status.contains("\nCapEff:\t0000000000000000\n"))
    #expect(try server.ask(ServeTests.path) == CheckTests.good + "\n200")
    #expect(server.end() == 0)
  }
}
