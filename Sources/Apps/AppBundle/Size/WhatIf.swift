/// A remedy, and the bytes that it really saves: of the unpacked bundle, which is what Apple's limit counts.
package struct SizeLever: Sendable {
  package enum Name: String, CaseIterable, Sendable {
    /// Loose resources in one archive that the clip expands at its first launch.
    case zip
    /// Local and debugging symbols stripped.
    case symbols
    /// Architectures dropped that no device of today runs.
    case slice
    /// Files that are there more than once.
    case duplicate
  }

  package let name: Name
  package let savesBytes: Int
  /// The files it is about, from the bundle's folder.
  package let files: [String]
}

/// Computes what each remedy would save, by doing it in memory.
package struct WhatIf {
  private let index: FileIndex
  private let sizes: BundleSizes
  private let limits: WhatIfLimits

  package init(_ index: FileIndex, _ sizes: BundleSizes, limits: WhatIfLimits = WhatIfLimits()) {
    self.index = index
    self.sizes = sizes
    self.limits = limits
  }

  /// - Parameter resources: The files for the archive.
  /// - Returns: One for each name, in its order, also where nothing is saved.
  package func levers(resources: ClipSelection) throws(BundleError) -> [SizeLever] {
    [
      try zip(resources), try symbols(), try slice(), try duplicate(),
    ]
  }

  private func path(_ place: Int) -> String { index.path(of: place, in: sizes.root) }

  /// What `clip pack` would save, because it is what packs.
  private func zip(_ resources: ClipSelection) throws(BundleError) -> SizeLever {
    guard !resources.places.isEmpty else { return SizeLever(name: .zip, savesBytes: 0, files: []) }
    let package = try ClipPacker(index, root: sizes.root).measure(resources)
    return SizeLever(name: .zip, savesBytes: max(0, package.savesBytes), files: package.files.map(\.path))
  }

  // MARK: - Programs

  private func symbols() throws(BundleError) -> SizeLever {
    var saved = 0
    var files: [String] = []
    for place in sizes.programs {
      guard let program = try program(place) else { continue }
      let name = index.shown(index.files[place].path)
      let bytes = try program.strippableBytes(try index.open(place), file: name)
      guard bytes > 0 else { continue }
      saved += bytes
      files.append(path(place))
    }
    return SizeLever(name: .symbols, savesBytes: saved, files: files)
  }

  /// What remains is the arm64 slice alone, as a file of its own.
  private func slice() throws(BundleError) -> SizeLever {
    var saved = 0
    var files: [String] = []
    for place in sizes.programs {
      guard let program = try program(place), program.isFat,
        let kept = program.slices.first(where: { $0.architecture.isArm64 })
      else { continue }
      saved += index.files[place].sizeBytes - kept.range.count
      files.append(path(place))
    }
    return SizeLever(name: .slice, savesBytes: saved, files: files)
  }

  /// nil for a file that begins as a program and is none.
  private func program(_ place: Int) throws(BundleError) -> MachOFile? {
    let name = index.shown(index.files[place].path)
    let content = try index.open(place)
    do throws(BundleError) {
      return try MachOFile(content, file: name, readsSignatures: false)
    } catch {
      if error.kind == .brokenProgram { return nil }
      throw error
    }
  }

  // MARK: - Duplicates

  private func duplicate() throws(BundleError) -> SizeLever {
    var groups: [SizeKey: [Int]] = [:]
    for place in index.range(of: sizes.root) where index.files[place].sizeBytes > 0 {
      let file = index.files[place]
      groups[SizeKey(bytes: file.sizeBytes, checksum: file.checksum), default: []].append(place)
    }
    var saved = 0
    var extra: [Int] = []
    for group in groups.values where group.count > 1 {
      // Equal size and checksum are a hint; only equal bytes count.
      var distinct: [Int] = []
      for place in group {
        var isKnown = false
        for other in distinct.prefix(limits.candidateCount) where try isEqual(place, other) {
          isKnown = true
          break
        }
        if isKnown {
          saved += index.files[place].sizeBytes
          extra.append(place)
        } else {
          distinct.append(place)
        }
      }
    }
    return SizeLever(name: .duplicate, savesBytes: saved, files: extra.sorted().map(path))
  }

  private struct SizeKey: Hashable {
    let bytes: Int
    let checksum: UInt32?
  }

  private func isEqual(_ left: Int, _ right: Int) throws(BundleError) -> Bool {
    let (one, other) = (try index.open(left), try index.open(right))
    var offset = 0
    while offset < one.count {
      let end = min(one.count, offset + limits.pieceBytes)
      if try one.bytes(offset..<end) != other.bytes(offset..<end) { return false }
      offset = end
    }
    return true
  }
}

/// How much is looked at. All of these are ours.
package struct WhatIfLimits: Sendable {
  /// Files of one size that are compared with one another.
  package var candidateCount = 16
  /// Bytes that are compared at once.
  package var pieceBytes = 1 << 16

  package init() {}
}
