internal import LinkspanCore

/// Reads a bundle out of a tree of files, with everything that is embedded in it.
package struct BundleReader {
  /// Our choice: an app holds a watch app, which holds an extension.
  private static let depthLimit = 4
  /// Our choice: a real profile has some 15 KB.
  private static let profileBytes = 4 << 20

  private let index: FileIndex

  package init(_ index: FileIndex) { self.index = index }

  /// - Throws: When there is no app in the tree. What is wrong with the app is among its findings.
  package func read() throws(BundleError) -> BundleDocument {
    let place = try BundleLocator.locate(index)
    var document = BundleDocument(
      kind: place.kind, name: index.tree.name, archiveBytes: index.tree.archiveBytes,
      main: try bundle(.app, at: place.root, depth: 0))
    document.main.findings += unfollowedLinks(in: place.root)
    return document
  }

  /// What a folder has behind symbolic links is neither read nor counted. A framework for the Mac is made with them.
  private func unfollowedLinks(in root: String) -> [Finding] {
    let links = index.tree.links.filter { path in
      (root.isEmpty || path.hasPrefix(root + "/")) && !path.contains(".framework/")
    }
    return links.sorted().map { path in
      Finding(
        rule: BundleError.linkRule, severity: .warning, at: .init(file: index.shown(path)),
        message: "A symbolic link is not followed, and what it leads to was not checked.",
        help: "Put a copy of what it leads to in its place.", source: "B2")
    }
  }

  private func bundle(
    _ kind: BundleInspection.Kind, at root: String, depth: Int
  ) throws(BundleError) -> BundleInspection {
    var bundle = BundleInspection(kind: kind, path: root)
    let inside = root.isEmpty ? "" : root + "/"
    let isMac = index.index(of: inside + "Contents/Info.plist") != nil
    let contents = isMac ? inside + "Contents/" : inside
    let files = index.files[index.range(of: root)]
    bundle.sizeBytes = files.reduce(0) { $0 + $1.sizeBytes }
    bundle.fileCount = files.count
    try readInfoPlist(of: &bundle, contents)
    try readProgram(of: &bundle, contents + (isMac ? "MacOS/" : ""))
    bundle.checkSignature(file: index.shown(root))
    try readProfile(of: &bundle, contents)
    guard depth < Self.depthLimit else { return bundle }
    func embedded(
      _ kind: BundleInspection.Kind, _ folder: String, _ ending: String
    ) throws(BundleError) -> [BundleInspection] {
      var found: [BundleInspection] = []
      for path in BundleLocator.folders(in: contents + folder, ending: ending, index) {
        found.append(try self.bundle(kind, at: path, depth: depth + 1))
      }
      return found
    }
    bundle.clips = try embedded(.clip, "AppClips", ".app")
    bundle.extensions = try embedded(.appExtension, "PlugIns", ".appex")
    bundle.extensions += try embedded(.appExtension, "Extensions", ".appex")
    bundle.watchApps = try embedded(.watchApp, "Watch", ".app")
    bundle.frameworks = try embedded(.framework, "Frameworks", ".framework")
    bundle.frameworks += try libraries(in: contents + "Frameworks/")
    return bundle
  }

  private func readInfoPlist(of bundle: inout BundleInspection, _ contents: String) throws(BundleError) {
    let path = contents + "Info.plist"
    guard let bytes = try index.bytes(path, limit: PropertyListLimits().sizeBytes) else {
      bundle.findings.append(
        Finding(
          rule: "bundle.no-info-plist", severity: .error, at: .init(file: index.shown(bundle.path)),
          message: "The bundle has no Info.plist.",
          help: "A device installs no bundle without it. Build it again."))
      return
    }
    do throws(PropertyListError) {
      let plist = try InfoPlist(bytes, name: index.shown(path))
      bundle.infoPlist = plist
      bundle.findings += plist.findings
    } catch {
      bundle.findings.append(error.finding)
    }
  }

  private func readProgram(of bundle: inout BundleInspection, _ folder: String) throws(BundleError) {
    guard let plist = bundle.infoPlist else { return }
    let value = plist.document.root["CFBundleExecutable"]
    guard let name = value?.string else {
      // A framework may hold resources only.
      guard bundle.kind != .framework else { return }
      let state = value == nil ? "missing" : "not a string"
      bundle.findings.append(
        noProgram(plist, "The Info.plist does not name the program: 'CFBundleExecutable' is \(state)."))
      return
    }
    let path = folder + name
    guard let place = index.index(of: path) else {
      let shown = ArchivePath.shown(Array(name.utf8))
      bundle.findings.append(
        noProgram(plist, "'CFBundleExecutable' names '\(shown)', which is not in the bundle."))
      return
    }
    // What a framework's signature says nobody asks, and in an archive it costs unpacking the whole library.
    try readProgram(of: &bundle, at: place, readsSignatures: bundle.kind != .framework)
  }

  private func noProgram(_ plist: InfoPlist, _ message: String) -> Finding {
    Finding(
      rule: "bundle.no-program", severity: .error, at: .init(file: plist.document.name), message: message,
      help: "A device installs no bundle without its program. Nothing was read of its signature and its "
        + "entitlements. Build it again.", source: "B1")
  }

  private func readProgram(
    of bundle: inout BundleInspection, at place: Int, readsSignatures: Bool
  ) throws(BundleError) {
    let name = index.shown(index.files[place].path)
    let content = try index.open(place)
    do throws(BundleError) {
      bundle.program = try MachOFile(content, file: name, readsSignatures: readsSignatures)
    } catch {
      // An archive that does not unpack is no matter of the program.
      guard error.kind == .brokenProgram else { throw error }
      bundle.findings.append(error.finding)
    }
    bundle.takeEntitlements(file: name)
  }

  private func readProfile(of bundle: inout BundleInspection, _ contents: String) throws(BundleError) {
    let path = contents + "embedded.mobileprovision"
    bundle.profileBytes = try index.bytes(path, limit: Self.profileBytes)
    guard let bytes = bundle.profileBytes else { return }
    do throws(PropertyListError) {
      bundle.profile = try ProvisioningProfile(bytes, name: index.shown(path))
    } catch {
      bundle.findings.append(error.finding)
    }
  }

  /// Libraries that lie in the folder as they are, such as Swift's own.
  private func libraries(in folder: String) throws(BundleError) -> [BundleInspection] {
    var found: [BundleInspection] = []
    for place in index.range(of: String(folder.dropLast())) {
      let file = index.files[place]
      guard file.pathExtension == "dylib", !file.path.dropFirst(folder.count).contains("/") else { continue }
      var library = BundleInspection(kind: .framework, path: file.path)
      library.sizeBytes = file.sizeBytes
      library.fileCount = 1
      try readProgram(of: &library, at: place, readsSignatures: false)
      found.append(library)
    }
    return found
  }
}

extension BundleDocument {
  /// A Mach-O file by itself.
  package init(program content: any RandomAccessBytes, name: String) throws(BundleError) {
    var bundle = BundleInspection(kind: .program, path: "")
    bundle.program = try MachOFile(content, file: name)
    bundle.sizeBytes = content.count
    bundle.fileCount = 1
    bundle.takeEntitlements(file: name)
    bundle.checkSignature(file: name)
    self.init(kind: .program, name: name, archiveBytes: nil, main: bundle)
  }
  /// The entitlements that an app is built with, by themselves.
  ///
  /// - Throws: When the bytes are no property list, or one that is no dictionary.
  package init(entitlements bytes: [UInt8], name: String) throws(PropertyListError) {
    let document = try PropertyListDocument(bytes, name: name)
    var bundle = BundleInspection(kind: .entitlements, path: "")
    let entitlements = try Entitlements(document)
    bundle.entitlements = document.root
    bundle.signedEntitlements = entitlements
    bundle.sizeBytes = bytes.count
    bundle.fileCount = 1
    self.init(kind: .entitlements, name: name, archiveBytes: nil, main: bundle)
  }
}
