internal import Glibc
package import LinkspanCore
internal import LinkspanSystem

/// Changes a file that a person named, in its place.
package enum FileCorrection {
  /// Puts bytes in the place of a file's, so that everyone who opens it sees the old ones or the new ones:
  /// they are written beside it and take its name when they are on the disk. Its mode stays, and its owner
  /// where the system allows that; a symbolic link stays one.
  ///
  /// - Parameters:
  ///   - original: What the file held when it was read; a file that has changed since is left alone.
  ///   - keepsOriginal: Whether a copy of the original is kept beside it, see ``OpenFolder/keepCopy(of:_:)``.
  /// - Returns: The path of that copy.
  /// - Throws: Why it cannot be written; the file is then as it was.
  package static func replace(
    _ path: String, _ original: [UInt8], by bytes: [UInt8], keepsOriginal: Bool
  ) throws(LinkspanError) -> String? {
    let place = try OutputFile.place(of: path)
    let folder = try OpenFolder(place.folder)
    // What lies there may be turned meanwhile, and goes no further than its owner does.
    return try Privileges.asOwner(of: folder) { () throws(LinkspanError) in
      guard try folder.kind(of: place.name) == .file else {
        throw LinkspanError("is not a regular file, so it is not changed", at: path)
      }
      guard faccessat(folder.descriptor, place.name, W_OK, AT_EACCESS) == 0 else {
        throw LinkspanError("cannot be written", at: path, errno: errno)
      }
      guard try folder.bytes(of: place.name, limitBytes: FileReader.sizeLimitBytes) == original else {
        throw LinkspanError(
          "was changed by another program in the meantime, so it is not changed", at: path,
          help: "Run the command again.")
      }
      let copy = keepsOriginal ? try folder.keepCopy(of: place.name, original) : nil
      do throws(LinkspanError) {
        try folder.replace(place.name, by: bytes)
      } catch {
        guard let copy else { throw error }
        do throws(LinkspanError) {
          try folder.remove(FileReader.place(of: copy).name)
        } catch let second {
          throw LinkspanError(
            error.message, helpLines: [error.help, "The copy stays: \(second.message)"].compactMap { $0 })
        }
        throw error
      }
      return copy
    }
  }
}
