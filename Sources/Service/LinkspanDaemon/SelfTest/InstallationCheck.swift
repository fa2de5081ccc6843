internal import AppSiteAssociation
import AssociationCheck
internal import AssociationDelivery
internal import CLinkspanLibrary
internal import CLinkspanPlatform
internal import DeviceRegistry
internal import Glibc
internal import HTTPEngine
internal import HTTPTransport
package import LinkspanCore
internal import LinkspanCrypto
internal import LinkspanFiles
internal import LinkspanServer
internal import LinkspanSystem
internal import PushSending
internal import SiteInput

/// One thing that the program needs of its machine, and whether it is there.
package struct InstallationCheck: Sendable {
  package enum State: String, CaseIterable, Sendable {
    case ok
    /// It is not there, and only some commands miss it.
    case optional = "without"
    /// It is not there, and the program is of little use without it.
    case missing
  }

  package let name: String
  package let state: State
  /// What was found.
  package let message: String
  /// What to install or to change; nil where there is nothing to do.
  package let help: String?

  private init(_ name: String, _ state: State, _ message: String, help: String? = nil) {
    self.name = name
    self.state = state
    self.message = message
    self.help = help
  }

  package var json: JSON {
    .object([
      ("check", .string(name)), ("state", .string(state.rawValue)), ("message", .string(message)),
      ("help", JSON(help)),
    ])
  }

  /// Every check of this machine.
  ///
  /// - Parameter program: The program's version.
  package static func all(program: String) -> [InstallationCheck] {
    let first = [InstallationCheck("program", .ok, "linkspan \(program)"), matcher, randomness] + libraries
    // The next ones call them.
    if first.contains(where: { $0.state == .missing }) { return first }
    return first + [tls, authorities, store, port, zones, files, openFiles, confinement] + documents
  }

  // MARK: - What the commands do

  /// A file is read, checked, matched and served, all in memory.
  private static var matcher: InstallationCheck {
    let file = Array(
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/buy/*"}]}]}}"#
        .utf8)
    let source = AssociationSource(SourceText(name: "apple-app-site-association", bytes: file))
    let handler = AssociationHandler([AssociationSite(host: "example.com", associationFile: file)])
    let answer = handler.response(
      to: HTTPRequest(authority: "example.com", target: AssociationLocation.wellKnown.rawValue))
    let opens = source.content.file.map {
      AssociationMatcher($0).decide(
        LinkURL("https://example.com/buy/1"), app: "ABCDE12345.com.example.app",
        host: HostScope("example.com")
      )
      .verdict == .match
    }
    guard opens == true, answer.status == 200, answer.body == file else {
      return InstallationCheck(
        "check, match, serve", .missing,
        "a file that is right was not read, matched and served as it should be",
        help: "The program is damaged: install it again.")
    }
    return InstallationCheck("check, match, serve", .ok, "a file was read, matched and served in memory")
  }

  private static var randomness: InstallationCheck {
    do throws(LinkspanError) {
      _ = try SystemRandom.bytes(32)
      return InstallationCheck("random numbers", .ok, "/dev/urandom gives them")
    } catch {
      return InstallationCheck(
        "random numbers", .missing, error.message, help: "A chroot or container needs /dev/urandom.")
    }
  }

  /// Those that commands load with their first call.
  private static var libraries: [InstallationCheck] {
    var loaded: [String] = []
    var checks: [InstallationCheck] = []
    var next = linkspan_library_first()
    while let library = next {
      next = library.pointee.next
      let file = String(cString: library.pointee.file)
      if let problem = linkspan_library_problem(library) {
        checks.append(
          InstallationCheck(
            file, library.pointee.is_optional == 0 ? .missing : .optional, String(cString: problem),
            help: "Install or upgrade the package \(String(cString: library.pointee.package))."))
      } else {
        loaded.append(file)
      }
    }
    return [InstallationCheck("libraries", .ok, loaded.sorted().joined(separator: ", "))] + checks
  }

  private static var tls: InstallationCheck {
    do throws(LinkspanError) {
      _ = try ThrowawayCredentials(for: ["localhost"], from: CurrentTime.now.milliseconds / 1_000)
      return InstallationCheck("TLS", .ok, "a key was made and a certificate was signed")
    } catch {
      return InstallationCheck("TLS", .missing, error.message, help: "Install libgnutls30 and libssl3 again.")
    }
  }

  private static var authorities: InstallationCheck {
    do throws(TLSError) {
      try TLSTrust.system.check()
      return InstallationCheck("certificate authorities", .ok, "those of the system load")
    } catch {
      return InstallationCheck(
        "certificate authorities", .optional, "the system has none, so no host can be asked over HTTPS",
        help: "Install the package ca-certificates, or name a file with --ca.")
    }
  }

  private static var store: InstallationCheck {
    var template = Array("\(temporaryFolder)/linkspan-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      return InstallationCheck(
        "device registry", .missing,
        "nothing can be written in \(temporaryFolder): \(SystemError.text(errno))",
        help: "Make room there, or set TMPDIR.")
    }
    let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer {
      for name in (try? FileReader.names(in: folder)) ?? [] { unlink("\(folder)/\(name)") }
      rmdir(folder)
    }
    do throws(LinkspanError) {
      try Registry.open(ServiceAddress("sqlite:" + folder + "/registry.db")).stop()
      return InstallationCheck("device registry", .ok, "an SQLite store was made and opened")
    } catch {
      return InstallationCheck(
        "device registry", .missing, "\(error)",
        help: "Look at the limits of this user ('ulimit -a') and at the room in \(temporaryFolder).")
    }
  }

  private static var temporaryFolder: String {
    ProcessEnvironment.value("TMPDIR", isNotEmpty: true) ?? "/tmp"
  }

  private static var port: InstallationCheck {
    var configuration = HTTPServerConfiguration(listeners: [.init(SocketAddress("127.0.0.1", port: 0)!)])
    configuration.loops = 1
    do throws(HTTPServerError) {
      let server = try HTTPServer(configuration) { _, _ in .now(.text(200, "ok")) }
      return InstallationCheck("a port on loopback", .ok, "\(server.addresses[0]) could be bound")
    } catch {
      return InstallationCheck(
        "a port on loopback", .missing, "\(error)", help: "Is the network of a sandbox switched off?")
    }
  }

  // MARK: - What the machine has

  private static var zones: InstallationCheck {
    let folder = "/usr/share/zoneinfo"
    guard access(folder + "/Europe/Berlin", R_OK) == 0 else {
      return InstallationCheck(
        "time zones", .optional, "\(folder) is missing, so no campaign can be at a local time",
        help: "Install the package tzdata.")
    }
    return InstallationCheck("time zones", .ok, folder)
  }

  private static var files: InstallationCheck {
    let folder = temporaryFolder
    guard access(folder, W_OK | X_OK) == 0 else {
      return InstallationCheck(
        "temporary files", .optional, "\(folder) cannot be written", help: "Set TMPDIR to a folder that can.")
    }
    return InstallationCheck("temporary files", .ok, folder)
  }

  /// Ours: what the default of 16,384 connections takes.
  private static let neededFiles = 16_500

  private static var openFiles: InstallationCheck {
    let limit = OpenFileLimit.raise()
    guard limit >= neededFiles else {
      return InstallationCheck(
        "open files", .optional, "\(limit), too few for 16384 connections of 'serve'",
        help: "Raise it with 'ulimit -n' or LimitNOFILE=, or lower --max-connections.")
    }
    return InstallationCheck("open files", .ok, String(limit))
  }

  private static var confinement: InstallationCheck {
    guard linkspan_can_confine() == 1 else {
      return InstallationCheck(
        "Landlock", .optional, "the kernel has none; 'linkspan mcp' still checks every path itself",
        help: "Linux 5.13 and later have it, unless it is switched off.")
    }
    return InstallationCheck("Landlock", .ok, "the kernel confines the tools of 'linkspan mcp'")
  }

  /// The files that a package installs beside the binary.
  private static var documents: [InstallationCheck] {
    guard let binary = FileReader.resolved("/proc/self/exe") else { return [] }
    let prefix = binary.split(separator: "/").dropLast(2).map { "/" + $0 }.joined()
    let places: [(name: String, paths: [String], help: String)] = [
      (
        "manual", ["share/man/man1/linkspan.1", "share/man/man1/linkspan.1.gz"],
        "'linkspan manual' prints the pages."
      ),
      (
        "completions", ["share/bash-completion/completions/linkspan"],
        "'linkspan completions bash' prints them."
      ),
      (
        "documents", ["share/doc/linkspan/README.md", "share/doc/linkspan/README.md.gz"],
        "They are in the sources too."
      ),
      (
        "examples",
        ["share/doc/linkspan/Examples/story.json5", "share/doc/linkspan/Examples/story.json5.gz"],
        "They are in the sources too."
      ),
    ]
    return places.map { name, paths, help in
      for path in paths where access("\(prefix)/\(path)", R_OK) == 0 {
        return InstallationCheck(name, .ok, "\(prefix)/\(path)")
      }
      return InstallationCheck(name, .optional, "not under \(prefix)/share", help: help)
    }
  }

  // MARK: - A running server

  /// How long a server may take to answer.
  private static let timeout = Duration.seconds(3)

  /// Asks a server whether it is well.
  ///
  /// - Parameter address: Without path: `http://127.0.0.1:9464`.
  /// - Throws: For a text that is no such URL.
  package static func server(at address: ServiceAddress) throws(LinkspanError) -> [InstallationCheck] {
    let server = try LinkspanError.server(
      address, of: "--server", example: "http://127.0.0.1:9464", takesPath: true)
    let fetcher = SiteFetcher(fixed: FixedAddresses(), allowsPrivate: true, trust: .system, timeout: timeout)
    var checks: [InstallationCheck] = []
    for path in ["/healthz", "/readyz"] {
      let request = HTTPRequest(scheme: server.scheme, authority: server.authority, target: path)
      switch try fetcher.send(request) {
      case .answered(let response):
        let body = String(decoding: response.body.prefix(200), as: UTF8.self)
        let words = JSONParser.parse(response.body).root?["status"]?.string ?? body.filter { $0 != "\n" }
        checks.append(
          InstallationCheck(path, response.status == 200 ? .ok : .missing, "\(response.status) \(words)"))
      case .failed(let failure):
        checks.append(
          InstallationCheck(
            path, .missing, FetchResult.failed(failure).words,
            help: "Does 'serve' run with --admin \(server.authority)?"))
      }
    }
    return checks
  }
}
