internal import AppSiteAssociation
internal import Glibc
internal import LinkspanCore
internal import LinkspanFiles
internal import LinkspanSystem
internal import SiteInput

/// Notices that files of a site changed, by inotify(7).
///
/// It says only that something changed, never what: whoever hears it reads everything again. Files that are being
/// written are not news before they are closed.
final class FolderWatch {
  /// Ours: a hundred thousand hosts; the system's own limit is `fs.inotify.max_user_watches`.
  static let folderLimit = 200_000

  let descriptor: Int32
  private var watched: [Int32: Watched] = [:]
  /// Whether news since the last call of ``watch(_:)`` may have brought folders or links that nobody watches.
  private(set) var hasNewPlaces = false
  /// Whether the last call of ``take()`` found a file or folder gone, which another may be about to replace.
  private(set) var hasAbsence = false
  /// What is watched.
  private var named: [[String]] = []

  private struct Watched {
    var path: String
    /// The names in it that are news; nil when all are.
    var only: Set<String>?
  }

  /// - Throws: That the system has no watch to give.
  convenience init(_ settings: ServeSettings) throws(LinkspanError) {
    try self.init(sites: settings.sites, linkRoots: settings.linkRoots, files: settings.watchedFiles)
  }

  /// - Parameters:
  ///   - sites: Files and folders, as `serve` takes them. Of a folder it, those of hosts and their `.well-known` are
  ///     watched, and every link on the way to a file that would be followed.
  ///   - files: Other files.
  /// - Throws: That the system has no watch to give.
  init(sites: [String], linkRoots: [String] = [], files: [String] = []) throws(LinkspanError) {
    descriptor = inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC))
    guard descriptor >= 0 else { throw Self.failed("the files cannot be watched") }
    try watch(sites: sites, linkRoots: linkRoots, files: files)
  }

  deinit { close(descriptor) }

  /// Watches what these settings name and nothing else, with the folders that are there now; to be called before files are
  /// read, so that nothing falls between.
  ///
  /// - Throws: That the system has no more watches to give.
  ///
  /// Files that were written into folders which are watched bring nothing new, and ten thousand hosts take a while.
  func watch(_ settings: ServeSettings) throws(LinkspanError) {
    guard hasNewPlaces || named != [settings.sites, settings.linkRoots, settings.watchedFiles] else { return }
    try watch(sites: settings.sites, linkRoots: settings.linkRoots, files: settings.watchedFiles)
  }

  private func watch(sites: [String], linkRoots: [String], files: [String]) throws(LinkspanError) {
    var found: [Int32: Watched] = [:]
    for path in sites + files {
      // What is gone for a moment is watched through the folder it will come back in.
      let (parent, name) = FileReader.place(of: path)
      try add(parent, only: name, to: &found)
      try addLinks(on: path, to: &found)
    }
    for site in sites { try addSite(site, .serving(linkRoots: linkRoots), to: &found) }
    for watch in watched.keys where found[watch] == nil { _ = inotify_rm_watch(descriptor, watch) }
    watched = found
    named = [sites, linkRoots, files]
    hasNewPlaces = false
  }

  // MARK: - Sites

  /// Goes where reading the site goes, so that nothing is watched that would not be read.
  private func addSite(
    _ site: String, _ links: LinkPolicy, to found: inout [Int32: Watched]
  ) throws(LinkspanError) {
    guard Self.isFolder(site) else {
      let (parent, name) = FileReader.place(of: site)
      guard let home = try? ConfinedFolder(parent, .named, .files) else { return }
      return try addFile(name, in: home, to: &found)
    }
    guard let folder = try? SiteFolder(site, links) else { return }
    if let home = folder.home { try addHost(home, to: &found) }
    guard let sites = try? folder.sites() else { return }
    try add(sites.folder, to: &found)
    for name in (try? sites.names()) ?? [] {
      var notes: [(OpenFolder, String)] = []
      let member = try? sites.member(name) { notes.append(($0, $1)) }
      for (folder, name) in notes { try add(folder, only: name, to: &found) }
      if case .folder(let home) = member { try addHost(home, to: &found) }
    }
  }

  private func addHost(_ home: ConfinedFolder, to found: inout [Int32: Watched]) throws(LinkspanError) {
    var whole = [home.folder]
    if let folder = try? home.directory(SiteFolder.wellKnown) { whole.append(folder) }
    for folder in whole { try add(folder, to: &found) }
    for name in Self.names { try addFile(name, in: home, besides: whole, to: &found) }
  }

  /// - Parameter whole: Folders in which every name is watched already.
  private func addFile(
    _ name: String, in home: ConfinedFolder, besides whole: [OpenFolder] = [],
    to found: inout [Int32: Watched]
  ) throws(LinkspanError) {
    var notes: [(OpenFolder, String)] = []
    _ = try? home.file(name) { folder, name in
      if !whole.contains(where: folder.isSame) { notes.append((folder, name)) }
    }
    for (folder, name) in notes { try add(folder, only: name, to: &found) }
  }

  private static let names =
    AssociationLocation.allCases.map { String($0.rawValue.dropFirst()) } + [
      "\(SiteFolder.wellKnown)/assetlinks.json"
    ]

  // MARK: - Links in what a person named

  /// Watches where a symbolic link leads, if this is one: the file may be written there, or another link be turned.
  private func addLink(
    _ path: String, to found: inout [Int32: Watched], depth: Int = 0
  ) throws(LinkspanError) {
    guard depth < Self.linkLimit, let target = Self.target(of: path) else { return }
    let (folder, name) = FileReader.place(of: target)
    try add(folder, only: name, to: &found)
    try addLinks(on: target, to: &found, depth: depth + 1)
  }

  /// The same for every folder on a path: a new release is often published by turning a link far above its files.
  private func addLinks(
    on path: String, to found: inout [Int32: Watched], depth: Int = 0
  ) throws(LinkspanError) {
    for end in path.indices.dropFirst() where path[end] == "/" {
      let above = String(path[..<end])
      guard Self.target(of: above) != nil else { continue }
      let (folder, name) = FileReader.place(of: above)
      try add(folder, only: name, to: &found)
      try addLink(above, to: &found, depth: depth + 1)
    }
    try addLink(path, to: &found, depth: depth)
  }

  /// Ours: the system follows 40 links.
  private static let linkLimit = 8

  /// Where a symbolic link leads; nil for anything else.
  private static func target(of path: String) -> String? {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return nil }
    var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = bytes.withUnsafeMutableBytes { readlink(path, $0.baseAddress!, $0.count) }
    guard count > 0 else { return nil }
    let target = String(decoding: bytes[..<count], as: UTF8.self)
    return target.hasPrefix("/") ? target : "\(FileReader.place(of: path).folder)/\(target)"
  }

  /// Takes what has been said so far.
  ///
  /// - Returns: Whether any of it may have changed a file.
  func take() -> Bool {
    var isNews = false
    hasAbsence = false
    withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 8) { buffer in
      while true {
        let count = read(descriptor, buffer.baseAddress, buffer.count)
        guard count > 0 else { return }
        var offset = 0
        while offset + 16 <= count {
          let watch = buffer.loadUnaligned(fromByteOffset: offset, as: Int32.self)
          let mask = buffer.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
          let length = Int(buffer.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
          let name = buffer[(offset + 16)..<min(count, offset + 16 + length)].prefix { $0 != 0 }
          if isChange(watch, mask, String(decoding: name, as: UTF8.self)) { isNews = true }
          offset += 16 + length
        }
      }
    }
    return isNews
  }

  /// Whether it may have changed a file; notes whether there may be other places to watch.
  private func isChange(_ watch: Int32, _ mask: UInt32, _ name: String) -> Bool {
    if mask & UInt32(IN_IGNORED) != 0 { return false }
    guard let folder = watched[watch] else {
      hasNewPlaces = true
      return true
    }
    if let only = folder.only, !only.contains(name) { return false }
    let places = UInt32(IN_DELETE_SELF | IN_MOVE_SELF) | Self.isDirectory
    if mask & places != 0 || folder.only != nil { hasNewPlaces = true }
    var status = stat()
    let isThere = lstat("\(folder.path)/\(name)", &status) == 0
    if isThere, status.st_mode & S_IFMT == S_IFLNK { hasNewPlaces = true }
    if !isThere { hasAbsence = true }
    guard mask & UInt32(IN_CREATE) != 0, mask & Self.isDirectory == 0 else { return true }
    // A file that begins to be written will be closed; a link is whole at once.
    guard isThere else { return false }
    return status.st_mode & S_IFMT != S_IFREG || status.st_nlink > 1
  }

  private func add(
    _ folder: OpenFolder, only: String? = nil, to found: inout [Int32: Watched]
  ) throws(LinkspanError) {
    try add("/proc/self/fd/\(folder.descriptor)", as: folder.path, only: only, to: &found)
  }

  private func add(
    _ path: String, as name: String? = nil, only: String? = nil, to found: inout [Int32: Watched]
  ) throws(LinkspanError) {
    guard found.count < Self.folderLimit else {
      throw LinkspanError(
        "more than \(Self.folderLimit) folders are to be watched.",
        help: "Serve fewer hosts, or say --no-watch and send SIGHUP after a change.")
    }
    let watch = inotify_add_watch(descriptor, path, Self.mask)
    if watch >= 0 {
      // One folder may be the parent of several roots, or hold hosts itself.
      var names: Set<String>? = only.map { [$0] }
      if let other = found[watch] { names = other.only.flatMap { names?.union($0) } }
      found[watch] = Watched(path: name ?? path, only: names)
      return
    }
    // Gone again, or not ours to read: reading it says so in better words.
    guard errno == ENOSPC || errno == ENOMEM else { return }
    throw Self.failed("'\(path)' cannot be watched")
  }

  private static let isDirectory: UInt32 = 0x4000_0000
  private static let mask = UInt32(
    IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF
      | IN_ATTRIB)

  private static func isFolder(_ path: String) -> Bool { (try? FileReader.kind(of: path)) == .folder }

  private static func failed(_ what: String) -> LinkspanError {
    LinkspanError(
      "\(what): \(SystemError.text(errno)).",
      help:
        "Raise fs.inotify.max_user_watches or max_user_instances, or say --no-watch and send SIGHUP after a "
        + "change.")
  }
}
