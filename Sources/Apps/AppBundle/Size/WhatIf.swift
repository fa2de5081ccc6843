internal import LinkspanCore

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

/// What each remedy would save by itself, and what all of them would together.
package struct SizeSavings: Sendable {
  /// One for each name, in its order, also where nothing is saved.
  package let levers: [SizeLever]
  /// What `clip pack` saves, plus what the other remedies still save after it: nothing is counted twice.
  package let totalBytes: Int
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
  package func savings(resources: ClipSelection) throws(BundleError) -> SizeSavings {
    let zip = try zip(resources)
    var programs: [ProgramSavings] = []
    for place in sizes.programs {
      if let program = try savings(of: place) { programs.append(program) }
    }
    let copies = try copies()
    // After packing: the archive holds its files once, then copies go, and what remains is thinned.
    let packed = zip.savesBytes > 0 ? Set(resources.places) : []
    let (goneCopies, gone) = copies.reduce(into: (bytes: 0, places: packed)) { result, group in
      let loose = group.filter { !packed.contains($0) }
      for place in loose.dropFirst() {
        result.bytes += index.files[place].sizeBytes
        result.places.insert(place)
      }
    }
    let thinned = programs.filter { !gone.contains($0.place) }
    let extra = copies.flatMap { $0.dropFirst() }
    return SizeSavings(
      levers: [
        zip,
        lever(.symbols, programs.filter { $0.symbolBytes > 0 }.map { ($0.place, $0.symbolBytes) }),
        lever(.slice, programs.filter(\.losesSlices).map { ($0.place, $0.sliceBytes) }),
        lever(.duplicate, extra.sorted().map { ($0, index.files[$0].sizeBytes) }),
      ],
      totalBytes: zip.savesBytes + goneCopies
        + thinned.reduce(0) { $0 + $1.sliceBytes + $1.symbolBytesAfterSlicing })
  }

  private func lever(_ name: SizeLever.Name, _ files: [(place: Int, bytes: Int)]) -> SizeLever {
    SizeLever(name: name, savesBytes: files.reduce(0) { $0 + $1.bytes }, files: files.map { path($0.place) })
  }

  private func path(_ place: Int) -> String { index.path(of: place, in: sizes.root) }

  /// What `clip pack` would save, because it is what packs.
  private func zip(_ resources: ClipSelection) throws(BundleError) -> SizeLever {
    guard !resources.places.isEmpty else { return SizeLever(name: .zip, savesBytes: 0, files: []) }
    let package = try ClipPacker(index, root: sizes.root).measure(resources)
    return SizeLever(name: .zip, savesBytes: max(0, package.savesBytes), files: package.files.map(\.path))
  }

  // MARK: - Programs

  /// What one program would lose.
  private struct ProgramSavings {
    let place: Int
    /// All symbols that can go, of every slice.
    let symbolBytes: Int
    let losesSlices: Bool
    /// What remains is the arm64 slice alone, as a file of its own.
    let sliceBytes: Int
    /// Those of the slice that remains.
    let symbolBytesAfterSlicing: Int
  }

  /// nil for a file that begins as a program and is none.
  private func savings(of place: Int) throws(BundleError) -> ProgramSavings? {
    guard let program = try program(place) else { return nil }
    let name = index.shown(index.files[place].path)
    let content = try index.open(place)
    let all = try program.strippableBytes(content, file: name)
    guard program.isFat, let kept = program.slices.first(where: { $0.architecture.isArm64 }) else {
      return ProgramSavings(
        place: place, symbolBytes: all, losesSlices: false, sliceBytes: 0, symbolBytesAfterSlicing: all)
    }
    return ProgramSavings(
      place: place, symbolBytes: all, losesSlices: true,
      sliceBytes: index.files[place].sizeBytes - kept.range.count,
      symbolBytesAfterSlicing: try program.strippableBytes(content, file: name, only: kept))
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

  /// The files that are there more than once, each group in the order of paths.
  private func copies() throws(BundleError) -> [[Int]] {
    var groups: [SizeKey: [Int]] = [:]
    for place in index.range(of: sizes.root) where index.files[place].sizeBytes > 0 {
      let file = index.files[place]
      groups[SizeKey(bytes: file.sizeBytes, checksum: file.checksum), default: []].append(place)
    }
    var copies: [[Int]] = []
    for group in groups.values where group.count > 1 {
      // Equal size and checksum are a hint; only equal bytes count.
      var distinct: [[Int]] = []
      for place in group {
        var known: Int?
        for (number, other) in distinct.prefix(limits.candidateCount).enumerated()
        where try isEqual(place, other[0]) {
          known = number
          break
        }
        if let known { distinct[known].append(place) } else { distinct.append([place]) }
      }
      copies += distinct.filter { $0.count > 1 }
    }
    return copies
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
