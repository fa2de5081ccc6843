internal import LinkspanCore

/// How much of a program is read. All of these are ours, far from what linkers write.
package struct MachOLimits: Sendable {
  /// Real files have five at most.
  package var sliceCount = 32
  package var commandCount = 10_000
  package var commandBytes = 4 << 20
  /// The signature of a program of 1 GB has 8 MB for each of its directories.
  package var signatureBytes = 32 << 20
  /// The symbol table, with its names.
  package var symbolBytes = 64 << 20

  package init() {}
}

/// Reads Mach-O in ascending order of offsets, so that it can come out of an archive.
struct MachOReader {
  let bytes: any RandomAccessBytes
  let file: String
  let limits: MachOLimits
  let readsSignatures: Bool

  func broken(_ reason: String) -> BundleError {
    BundleError(
      .brokenProgram, in: file, "The program (Mach-O) is damaged: \(reason).",
      help: "Look whether it was copied whole, or build it again.")
  }

  func read() throws(BundleError) -> MachOFile {
    guard bytes.count >= 28 else {
      throw broken("it ends after \(bytes.count.counted("byte")), inside its header")
    }
    let head = NumberReader(try bytes.bytes(0..<8))
    switch head.big32(0) {
    case 0xCAFE_BABE: return try fat(count: head.big32(4), isLong: false)
    case 0xCAFE_BABF: return try fat(count: head.big32(4), isLong: true)
    default: return MachOFile(slices: [try slice(0..<bytes.count)], isFat: false)
    }
  }

  // MARK: - Fat files

  private func fat(count: Int, isLong: Bool) throws(BundleError) -> MachOFile {
    guard count > 0, count <= limits.sliceCount else {
      throw broken("its fat header counts \(count) slices; expected 1 to \(limits.sliceCount)")
    }
    let size = isLong ? 32 : 20
    guard 8 + count * size <= bytes.count else { throw broken("its fat header runs beyond its end") }
    let table = NumberReader(try bytes.bytes(8..<8 + count * size))
    var places: [(index: Int, range: Range<Int>)] = []
    for index in 0..<count {
      let entry = index * size
      let offset = isLong ? table.big64(entry + 8) : UInt64(table.big32(entry + 8))
      let length = isLong ? table.big64(entry + 16) : UInt64(table.big32(entry + 12))
      guard offset <= UInt64(bytes.count), length <= UInt64(bytes.count) - offset,
        offset >= UInt64(8 + count * size)
      else { throw broken("its slice \(index) lies outside the file") }
      places.append((index, Int(offset)..<Int(offset + length)))
    }
    places.sort { $0.range.lowerBound < $1.range.lowerBound }
    for (left, right) in zip(places, places.dropFirst())
    where left.range.upperBound > right.range.lowerBound {
      throw broken("its slices \(left.index) and \(right.index) share bytes")
    }
    var slices: [(index: Int, slice: MachOSlice)] = []
    for place in places { slices.append((place.index, try slice(place.range))) }
    return MachOFile(slices: slices.sorted { $0.index < $1.index }.map(\.slice), isFat: true)
  }

  // MARK: - Slices

  private func slice(_ range: Range<Int>) throws(BundleError) -> MachOSlice {
    guard range.count >= 28 else { throw broken("a slice has only \(range.count.counted("byte"))") }
    let head = NumberReader(try bytes.bytes(range.lowerBound..<range.lowerBound + 28))
    let is64: Bool
    switch head.little32(0) {
    case 0xFEED_FACE: is64 = false
    case 0xFEED_FACF: is64 = true
    case 0xCEFA_EDFE, 0xCFFA_EDFE: throw broken("it is in the byte order of PowerPC, which no iPhone had")
    case let magic: throw broken("it begins with 0x\(String(magic, radix: 16)), which no program does")
    }
    let start = range.lowerBound + (is64 ? 32 : 28)
    let (count, size) = (head.little32(16), head.little32(20))
    guard count <= limits.commandCount, size <= limits.commandBytes else {
      throw broken("it has \(count) load commands in \(size) bytes, more than any linker writes")
    }
    guard start <= range.upperBound, size <= range.upperBound - start else {
      throw broken("its load commands run beyond its end")
    }
    let type: MachOSlice.FileType =
      switch head.little32(12) {
      case 1: .object
      case 2: .executable
      case 6: .library
      case 8: .bundle
      case 10: .symbols
      case let other: .other(other)
      }
    var slice = MachOSlice(
      architecture: MachOArchitecture(cpuType: head.little32(4), cpuSubtype: head.little32(8)),
      fileType: type, range: range)
    try readCommands(of: &slice, NumberReader(try bytes.bytes(start..<start + size)), count, is64)
    try readSignature(of: &slice)
    return slice
  }

  private func readSignature(of slice: inout MachOSlice) throws(BundleError) {
    guard readsSignatures, let range = slice.signatureRange else { return }
    guard range.count <= limits.signatureBytes else {
      throw broken("its signature has \(range.count) bytes; at most \(limits.signatureBytes) are read")
    }
    let content = try bytes.bytes(range)
    do throws(BundleError) {
      slice.signature = try CodeSignatureReader(content, file: file).read()
    } catch {
      slice.signatureProblem = error
    }
  }

  // MARK: - Load commands

  private func readCommands(
    of slice: inout MachOSlice, _ commands: NumberReader, _ count: Int, _ is64: Bool
  ) throws(BundleError) {
    var place = 0
    for index in 0..<count {
      guard commands.bytes.count - place >= 8 else {
        throw broken("it counts \(count) load commands and has \(index)")
      }
      let size = commands.little32(place + 4)
      guard size >= 8, size <= commands.bytes.count - place else {
        throw broken("its load command \(index) has \(size) bytes, which cannot be")
      }
      try readCommand(of: &slice, commands, place..<place + size, is64)
      place += size
    }
  }

  private func readCommand(
    of slice: inout MachOSlice, _ commands: NumberReader, _ command: Range<Int>, _ is64: Bool
  ) throws(BundleError) {
    let start = command.lowerBound
    func need(_ count: Int) throws(BundleError) {
      guard command.count >= count else { throw broken("a load command is shorter than its kind") }
    }
    func text(_ field: Int) throws(BundleError) -> String {
      try need(field + 4)
      let offset = commands.little32(start + field)
      guard offset >= 8, offset <= command.count else { throw broken("a name lies outside its load command") }
      return commands.text(start + offset..<command.upperBound)
    }
    // The numbers are those of `mach-o/loader.h`; the upper bit says that dyld has to know the command.
    switch commands.little32(start) & 0x7FFF_FFFF {
    case 0x02:
      try need(24)
      slice.symbols = try symbolTable(slice.range, commands, start, entryBytes: is64 ? 16 : 12)
    case 0x0C, 0x1F, 0x20, 0x23: slice.libraries.append(.init(name: try text(8), isWeak: false))
    case 0x18: slice.libraries.append(.init(name: try text(8), isWeak: true))
    case 0x0D: slice.installName = try text(8)
    case 0x1C: slice.runPaths.append(try text(8))
    case 0x1D:
      try need(16)
      slice.signatureRange = try inside(
        slice.range, commands.little32(start + 8), commands.little32(start + 12), "signature")
    case 0x21, 0x2C:
      try need(20)
      slice.isEncrypted = commands.little32(start + 16) != 0
    case 0x24, 0x25, 0x2F, 0x30:
      try need(12)
      slice.minimumOS = Self.version(commands.little32(start + 8))
    case 0x32:
      try need(16)
      slice.platform = commands.little32(start + 8)
      slice.minimumOS = Self.version(commands.little32(start + 12))
    default: break
    }
  }

  private func symbolTable(
    _ slice: Range<Int>, _ commands: NumberReader, _ start: Int, entryBytes: Int
  ) throws(BundleError) -> MachOSymbolTable {
    MachOSymbolTable(
      entries: try inside(
        slice, commands.little32(start + 8), commands.little32(start + 12) * entryBytes, "symbol table"),
      names: try inside(
        slice, commands.little32(start + 16), commands.little32(start + 20), "table of names"),
      entryBytes: entryBytes)
  }

  private func inside(
    _ slice: Range<Int>, _ offset: Int, _ size: Int, _ what: String
  ) throws(BundleError) -> Range<Int> {
    guard offset <= slice.count, size <= slice.count - offset else {
      throw broken("its \(what) would end after its last byte (it may be cut off)")
    }
    return slice.lowerBound + offset..<slice.lowerBound + offset + size
  }

  /// Sixteen bits, eight and eight: major, minor and, where it is not 0, patch.
  private static func version(_ packed: Int) -> String {
    let patch = packed & 0xFF
    return "\(packed >> 16).\(packed >> 8 & 0xFF)" + (patch == 0 ? "" : ".\(patch)")
  }
}

extension MachOFile {
  /// - Parameters:
  ///   - file: What the person calls it; errors carry it.
  ///   - readsSignatures: They stand at the end, so inside an archive reading them unpacks all of the program.
  /// - Throws: Why it is no Mach-O that a linker wrote. A signature that cannot be read is no reason:
  ///   ``MachOSlice/signatureProblem`` says so.
  package init(
    _ bytes: any RandomAccessBytes, file: String, limits: MachOLimits = MachOLimits(),
    readsSignatures: Bool = true
  ) throws(BundleError) {
    self = try MachOReader(bytes: bytes, file: file, limits: limits, readsSignatures: readsSignatures).read()
  }
}
