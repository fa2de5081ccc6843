public import Foundation

/// The resources that `linkspan clip pack` put into one archive, expanded at the clip's launch.
///
///     let resources = ClipResources(bundle: Bundle.main.bundleURL, caches: cachesFolder)
///     let opened = resources.open()
///     if let problem = opened.problem { log(problem) }
///     let layout = try Data(contentsOf: opened.url(for: "layouts/home.json"))
///
/// The first launch after an update expands the archive into a folder of its own among the caches; later launches find it
/// there. The folder appears all at once, under the archive's digest, after every byte was verified, so a launch that is
/// interrupted leaves nothing half done. iOS may empty the caches between launches; then the archive is expanded again.
public struct ClipResources: Sendable {
  /// How much is expanded at most. A clip's own bundle is far below: Apple's limit counts unpacked bytes.
  public struct Limits: Hashable, Sendable {
    /// Ours: about 65,535 files with long paths.
    public var manifestBytes = 16 << 20
    /// Ours: past any clip's limit.
    public var archiveBytes = 128 << 20
    /// That of `linkspan clip pack`.
    public var fileBytes = 64 << 20
    /// Of all files, expanded.
    public var totalBytes = 512 << 20
    /// What a zip archive can hold.
    public var files = 65_535

    /// The defaults.
    public init() {}
  }

  /// The archive's name in the bundle.
  public static let archiveName = "ClipResources.zip"
  /// The manifest's name in the bundle.
  public static let manifestName = "ClipResources.json"

  private let bundle: URL
  private let caches: URL
  private let limits: Limits
  /// One call expands at a time: each removes the folders of others, and the next one finds the archive expanded.
  private static let expanding = NSLock()

  /// Reads nothing yet.
  ///
  /// - Parameters:
  ///   - bundle: The folder that holds archive and manifest, such as `Bundle.main.bundleURL`.
  ///   - caches: Where the expanded files go, in a folder `ClipResources`; created when needed.
  public init(bundle: URL, caches: URL, limits: Limits = Limits()) {
    self.bundle = bundle
    self.caches = caches
    self.limits = limits
  }

  /// The resources: expanded, or where that fails the bundle's own files, with the error.
  ///
  /// Does the work of the first launch before it returns: about as long as reading the files. Never throws, because a clip
  /// has to come up all the same; show or log ``OpenedClipResources/problem``.
  public func open() -> OpenedClipResources {
    do throws(ClipResourcesError) {
      return try expand()
    } catch {
      return OpenedClipResources(folder: bundle, fonts: [], origin: .bundle, problem: error)
    }
  }

  /// Expands the archive, unless that has been done.
  ///
  /// - Throws: ``ClipResourcesError``; nothing is left behind then.
  public func expand() throws(ClipResourcesError) -> OpenedClipResources {
    Self.expanding.lock()
    defer { Self.expanding.unlock() }
    let manifest = try ClipManifest(
      try read(Self.manifestName, limit: limits.manifestBytes), limits: limits)
    let home = caches.appendingPathComponent("ClipResources", isDirectory: true)
    let folder = home.appendingPathComponent(manifest.archive.sha256, isDirectory: true)
    if manifest.isWhole(in: folder) { return manifest.opened(folder, .earlier) }
    let archive = try read(Self.archiveName, limit: limits.archiveBytes)
    try write(manifest, archive, into: folder, home: home)
    removeOthers(than: folder, in: home)
    return manifest.opened(folder, .now)
  }

  /// Everything into a folder beside, which then gets its name.
  private func write(
    _ manifest: ClipManifest, _ archive: Data, into folder: URL, home: URL
  ) throws(ClipResourcesError) {
    let files = FileManager.default
    let aside = home.appendingPathComponent(".expanding-" + UUID().uuidString, isDirectory: true)
    // Gone already where all went well; else the next launch removes what could not be removed now.
    defer { try? files.removeItem(at: aside) }
    try Self.writing(aside.lastPathComponent) {
      try files.createDirectory(at: aside, withIntermediateDirectories: true)
    }
    var reader = ClipArchiveReader(archive)
    try reader.verify(manifest.archive)
    for file in manifest.files {
      let bytes = file.equalPath == nil ? try reader.next(file) : []
      let target = aside.appendingPathComponent(file.path)
      try Self.writing(file.path) {
        try files.createDirectory(at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
        if let path = file.equalPath {
          try files.copyItem(at: aside.appendingPathComponent(path), to: target)
        } else {
          try Data(bytes).write(to: target, options: .withoutOverwriting)
        }
      }
    }
    try reader.finish()
    try Self.writing(folder.lastPathComponent) {
      // What lies there is not whole: the system may have removed some of it.
      if files.fileExists(atPath: folder.path) { try files.removeItem(at: folder) }
      try files.moveItem(at: aside, to: folder)
    }
  }

  /// What earlier versions of the clip expanded, and what an interrupted launch left.
  private func removeOthers(than folder: URL, in home: URL) {
    let files = FileManager.default
    // What cannot be listed or removed costs room and nothing else; the next launch tries again.
    let names = (try? files.contentsOfDirectory(atPath: home.path)) ?? []
    for name in names where name != folder.lastPathComponent {
      try? files.removeItem(at: home.appendingPathComponent(name))
    }
  }

  private func read(_ name: String, limit: Int) throws(ClipResourcesError) -> Data {
    let url = bundle.appendingPathComponent(name)
    guard FileManager.default.fileExists(atPath: url.path) else {
      throw ClipResourcesError(.missing, name, "The bundle has no such file.")
    }
    do {
      let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
      let size = (attributes[.size] as? NSNumber)?.intValue ?? 0
      guard size <= limit else {
        throw ClipResourcesError(.tooLarge, name, "It has \(size) bytes; the limit is \(limit).")
      }
      return try Data(contentsOf: url)
    } catch let problem as ClipResourcesError {
      throw problem
    } catch {
      throw ClipResourcesError(.missing, name, "It cannot be read: \(error.localizedDescription).")
    }
  }

  private static func writing(_ name: String, _ work: () throws -> Void) throws(ClipResourcesError) {
    do {
      try work()
    } catch {
      throw ClipResourcesError(.notWritten, name, "It cannot be written: \(error.localizedDescription).")
    }
  }
}

/// Where a clip's resources are to be read.
public struct OpenedClipResources: Hashable, Sendable {
  /// Where the files come from.
  public enum Origin: Hashable, Sendable {
    /// Expanded by this call.
    case now
    /// Expanded by an earlier launch.
    case earlier
    /// Nothing was expanded: the bundle's own files, if it still has them.
    case bundle
  }

  /// Holds the resources by their paths in the bundle.
  public let folder: URL
  /// Fonts to register, as with `CTFontManagerRegisterFontsForURL`: iOS looked for those of `UIAppFonts` before the launch.
  public let fonts: [URL]
  /// Whether they were expanded, and when.
  public let origin: Origin
  /// Why nothing was expanded; nil when the archive was.
  public let problem: ClipResourcesError?

  init(folder: URL, fonts: [URL], origin: Origin, problem: ClipResourcesError?) {
    self.folder = folder
    self.fonts = fonts
    self.origin = origin
    self.problem = problem
  }

  /// Where a resource lies.
  ///
  /// - Parameter path: From the bundle's folder, as it was before packing.
  public func url(for path: String) -> URL { folder.appendingPathComponent(path) }
}
