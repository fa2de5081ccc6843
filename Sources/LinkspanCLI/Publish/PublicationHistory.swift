internal import Glibc
internal import LinkspanCore
internal import LinkspanServer

/// What each host published, newest last, in a folder of the operator's.
///
/// `STATE/publications/HOST/00000007/` holds the files byte for byte and a `publication.json` about them. A
/// publication is written beside the others under another name and takes its number when all of it is on the disk, so
/// that it is there whole or not at all whenever the process or the machine dies.
struct PublicationHistory {
  struct Entry {
    /// Counts up for each host, from 1.
    var number: Int
    var publishedAt: WallTime
    var site: AssociationSite
    /// Where the association file was read.
    var associationFileName: String?
    /// The SHA-256 of the association file in hexadecimal digits; nil without one.
    var digest: String?
  }

  /// The number of publications of a host that are kept, unless the operator says otherwise; ours.
  static let defaultCount = 10

  private let state: String
  private let folder: String
  private let count: Int

  /// - Parameters:
  ///   - state: The folder of the operator's; made when it isn't there.
  ///   - count: How many publications of a host are kept, the live one among them.
  init(state: String, count: Int = defaultCount) {
    self.state = state
    folder = state + "/publications"
    self.count = max(1, count)
  }

  /// Keeps a publication; when this returns it is on the disk.
  ///
  /// - Throws: Why it cannot be kept. What was kept before is untouched then.
  func add(_ site: AssociationSite, from file: String?, at time: WallTime) throws(CommandError) {
    let home = try home(of: site.host)
    let number = (try numbers(in: home).last ?? 0) + 1
    let unfinished = "\(home)/.unfinished"
    try Self.remove(unfinished)
    try Self.makeFolder(unfinished)
    var members: [(String, JSON)] = [
      ("type", .string("publication")), ("host", .init(site.host)), ("number", .int(number)),
      ("published_at", .string(time.description)), ("serves_root", .bool(site.servesRootName)),
      ("file", .init(file.map { FileReader.resolved($0) ?? $0 })),
    ]
    for (name, key, bytes) in Self.files(of: site) {
      members.append((key, .string(SHA256.hexDigest(of: bytes))))
      try FileWriter.writeDurably(bytes, to: "\(unfinished)/\(name)")
    }
    try FileWriter.writeDurably(JSON.object(members).bytes + [0x0A], to: "\(unfinished)/\(Self.record)")
    try FileWriter.sync(folder: unfinished)
    guard rename(unfinished, "\(home)/\(Self.text(number))") == 0 else { throw Self.failed(home) }
    try FileWriter.sync(folder: home)
    for old in try numbers(in: home).dropLast(count) { try Self.remove("\(home)/\(Self.text(old))") }
  }

  /// Remembers that a host is not served any more, so that no start without its folder brings it back. What it
  /// published stays, for a rollback; with its next publication it is served again.
  ///
  /// - Throws: Why that cannot be written.
  func withdraw(_ host: String?) throws(CommandError) {
    let home = path(of: host)
    guard try isThere(home), let newest = try numbers(in: home).last else { return }
    try FileWriter.writeDurably(Array("\(newest)\n".utf8), to: "\(home)/\(Self.withdrawn)")
    try FileWriter.sync(folder: home)
  }

  /// Whether nothing was published for a host since it was withdrawn. Half a note is none.
  func isWithdrawn(_ host: String?) throws(CommandError) -> Bool {
    let home = path(of: host)
    let note = "\(home)/\(Self.withdrawn)"
    guard try FileReader.kind(of: note) == .file, let newest = try numbers(in: home).last else {
      return false
    }
    return try FileReader.bytes(note) == Array("\(newest)\n".utf8)
  }

  /// The publications of a host, newest first. One that is damaged is left out.
  ///
  /// - Parameter tellDamage: Called for each of these with a sentence for the operator.
  func entries(of host: String?, tellDamage: (String) -> Void) throws(CommandError) -> [Entry] {
    let home = path(of: host)
    guard try isThere(home) else { return [] }
    var entries: [Entry] = []
    for number in try numbers(in: home).reversed() {
      do throws(CommandError) {
        entries.append(try Self.read("\(home)/\(Self.text(number))", number, host))
      } catch {
        tellDamage(
          "publication \(number) of \(host.map { "'\($0)'" } ?? "every other host") is left out: \(error.message)"
        )
      }
    }
    return entries
  }

  /// The hosts with a publication, sorted; nil stands for every host without a site of its own.
  func hosts() throws(CommandError) -> [String?] {
    guard try isThere(folder) else { return [] }
    return try FileReader.names(in: folder).map { $0 == Self.anyHost ? nil : $0 }
  }

  // MARK: - On the disk

  private static let record = "publication.json"
  private static let anyHost = "_"
  /// Holds the number of the publication that was withdrawn.
  private static let withdrawn = ".withdrawn"
  private static let associationFile = "apple-app-site-association"
  private static let assetLinks = "assetlinks.json"

  private static func files(of site: AssociationSite) -> [(name: String, key: String, bytes: [UInt8])] {
    [
      (associationFile, "sha256", site.associationFile), (assetLinks, "assetlinks_sha256", site.assetLinks),
    ].compactMap { name, key, bytes in bytes.map { (name, key, $0) } }
  }

  /// Whether a folder of the history is there.
  ///
  /// - Throws: Also when the state is a file, which nobody can keep anything in.
  private func isThere(_ path: String) throws(CommandError) -> Bool {
    switch try FileReader.kind(of: state) {
    case .folder: return try FileReader.kind(of: path) == .folder
    case .missing: return false
    case .file, .special:
      throw CommandError(
        "the state '\(state)' is no folder.", help: "Name a folder; one that is not there yet is made.")
    }
  }

  private func path(of host: String?) -> String { "\(folder)/\(host ?? Self.anyHost)" }

  private func home(of host: String?) throws(CommandError) -> String {
    let home = path(of: host)
    guard try FileReader.kind(of: home) != .folder else { return home }
    try Self.makeFolder(folder)
    try Self.makeFolder(home)
    try FileWriter.sync(folder: folder)
    return home
  }

  private func numbers(in home: String) throws(CommandError) -> [Int] {
    try FileReader.names(in: home).compactMap { $0.hasPrefix(".") ? nil : Int($0) }.sorted()
  }

  private static func read(_ folder: String, _ number: Int, _ host: String?) throws(CommandError) -> Entry {
    let record = try FileReader.read("\(folder)/\(record)")
    func damaged(_ name: String) -> CommandError {
      CommandError("'\(folder)/\(name)' is not what was written there.")
    }
    guard let root = JSONParser.parse(record.bytes).root,
      let time = root["published_at"]?.string.flatMap(WallTime.init)
    else { throw damaged(Self.record) }
    func file(_ name: String, _ key: String) throws(CommandError) -> [UInt8]? {
      guard let digest = root[key]?.string else { return nil }
      let bytes = try FileReader.bytes("\(folder)/\(name)")
      guard SHA256.hexDigest(of: bytes) == digest else { throw damaged(name) }
      return bytes
    }
    let site = AssociationSite(
      host: host, associationFile: try file(associationFile, "sha256"),
      servesRootName: root["serves_root"]?.bool ?? false,
      assetLinks: try file(assetLinks, "assetlinks_sha256"))
    return Entry(
      number: number, publishedAt: time, site: site, associationFileName: root["file"]?.string,
      digest: root["sha256"]?.string)
  }

  private static func text(_ number: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 8 - digits.count)) + digits
  }

  private static func makeFolder(_ path: String) throws(CommandError) {
    var made = ""
    for part in path.split(separator: "/", omittingEmptySubsequences: false) {
      made += made == "/" || (made.isEmpty && !part.isEmpty) ? String(part) : "/\(part)"
      guard made != "/", !made.isEmpty else { continue }
      guard mkdir(made, 0o755) == 0 || errno == EEXIST else { throw failed(made) }
    }
  }

  /// Removes one of our folders, which holds files only.
  private static func remove(_ path: String) throws(CommandError) {
    guard try FileReader.kind(of: path) == .folder else { return }
    for name in try FileReader.names(in: path) {
      guard unlink("\(path)/\(name)") == 0 else { throw failed(path) }
    }
    guard rmdir(path) == 0 else { throw failed(path) }
  }

  private static func failed(_ path: String) -> CommandError {
    CommandError(
      "the history in '\(path)' cannot be written: \(String(cString: strerror(errno))).",
      help: "Make room, or let the user that serves write there.")
  }
}
