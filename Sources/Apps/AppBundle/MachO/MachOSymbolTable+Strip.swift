internal import LinkspanCore

extension MachOFile {
  /// How many bytes `strip -x` would take out: local and debugging symbols, and the names only they have.
  ///
  /// Computed from the table itself. The signature, which gets a little shorter with the file, is not counted.
  ///
  /// - Parameter kept: One of ``slices``, to count no other; nil for all.
  package func strippableBytes(
    _ bytes: any RandomAccessBytes, file: String, only kept: MachOSlice? = nil,
    limits: MachOLimits = MachOLimits()
  ) throws(BundleError) -> Int {
    var total = 0
    let counted = slices.filter { kept == nil || $0.range == kept?.range }
    for slice in counted.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
      guard let symbols = slice.symbols, !slice.isEncrypted || !symbols.entries.isEmpty else { continue }
      guard symbols.entries.count + symbols.names.count <= limits.symbolBytes else {
        throw BundleError(
          .tooLarge, in: file, "The symbol table has more than \(limits.symbolBytes >> 20) MB.",
          help: "Strip the program, then measure again.")
      }
      total += try symbols.strippableBytes(bytes)
    }
    return total
  }
}

extension MachOSymbolTable {
  /// Our choice: entries that are read at once.
  private static let pieceCount = 4096

  /// Names lie behind the entries in every file that a linker wrote, so that reading goes forwards.
  fileprivate func strippableBytes(_ bytes: any RandomAccessBytes) throws(BundleError) -> Int {
    var keptNames: Set<Int> = []
    var removedCount = 0
    var place = entries.lowerBound
    while place < entries.upperBound {
      let end = min(entries.upperBound, place + Self.pieceCount * entryBytes)
      let piece = NumberReader(try bytes.bytes(place..<end))
      for entry in stride(from: 0, to: end - place, by: entryBytes) {
        let kind = piece.bytes[entry + 4]
        // N_STAB marks debugging entries; N_EXT is what others can see.
        if kind & 0xE0 != 0 || kind & 0x01 == 0 {
          removedCount += 1
        } else {
          keptNames.insert(piece.little32(entry))
        }
      }
      place = end
    }
    guard removedCount > 0 else { return 0 }
    // A name ends at its zero byte; a table begins with a byte of its own and ends at a multiple of eight.
    let table = try bytes.bytes(names)
    var kept = 2
    for offset in keptNames where offset > 1 && offset < table.count {
      kept += (table[offset...].firstIndex(of: 0) ?? table.count) - offset + 1
    }
    kept = (kept + 7) / 8 * 8
    return removedCount * entryBytes + max(0, names.count - kept)
  }
}
