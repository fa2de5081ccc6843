package import AppBundle
package import LinkspanCore
package import LinkspanFiles

/// What a person named where a bundle, a program or a size report may stand.
package enum BundleInput {
  case tree(FileIndex)
  case program(LocalFile)
  /// Neither; a property list or a text, perhaps.
  case other(LocalFile)

  /// - Throws: When the file or the folder can't be read, and when an archive is refused.
  package init(_ path: String) throws(LinkspanError) {
    switch try FileReader.kind(of: path) {
    case .folder:
      self = .tree(FileIndex(try FolderTree(path)))
      return
    case .missing: if let error = LinkspanError.secretForFile(path) { throw error }
    case .file, .special: break
    }
    do throws(BundleError) {
      let file = try LocalFile(path)
      let head = try file.bytes(0..<min(8, file.count))
      // One that is not even an archive, such as a broken download, is told so.
      if head.starts(with: "PK".utf8) || path.hasSuffix(".ipa") {
        self = .tree(FileIndex(ArchiveTree(try Archive(file, file: path))))
      } else {
        self = MachOFile.looksLike(head) ? .program(file) : .other(file)
      }
    } catch {
      throw LinkspanError(error)
    }
  }

  /// What a SITE is that is an app, as the predicate of a message: an archive or a program, whatever its size, of which
  /// a few bytes are read, or a bundle's folder. nil for everything else, and for what cannot be read.
  static func words(atSite path: String) throws(LinkspanError) -> String? {
    if try FileReader.kind(of: path) == .folder {
      let path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
      guard [".app", ".appex", ".xcarchive"].contains(where: path.hasSuffix) else { return nil }
      for place in ["Info.plist", "Contents/Info.plist"]
      where try FileReader.kind(of: "\(path)/\(place)") == .file {
        return "is an app"
      }
      return nil
    }
    let head: [UInt8]
    do throws(BundleError) {
      let file = try LocalFile(path)
      head = try file.bytes(0..<min(8, file.count))
    } catch {
      // Reading it says why it cannot be read.
      return nil
    }
    if head.starts(with: [0x50, 0x4B, 0x03, 0x04]) || head.starts(with: [0x50, 0x4B, 0x05, 0x06]) {
      return "is a zip archive, as an .ipa is"
    }
    if path.hasSuffix(".ipa") { return "is an .ipa by its name" }
    return MachOFile.looksLike(head) ? "is a program (Mach-O)" : nil
  }

  /// What is wrong with a provisioning profile that was named by itself.
  static func findings(
    in profile: ProvisioningProfile, of bytes: [UInt8], at moment: WallTime = CurrentTime.now
  ) -> [Finding] {
    profile.findings(of: bytes, at: moment)
  }

  /// The bundle, with its clips held to their rules and its profiles verified, or the program; nil for any other file.
  ///
  /// - Parameter moment: At which the profiles must not have expired.
  func document(
    named name: String, at moment: WallTime = CurrentTime.now
  ) throws(LinkspanError) -> BundleDocument? {
    do throws(BundleError) {
      switch self {
      case .tree(let index):
        var document = try BundleReader(index).read()
        document.verifyProfiles(trusting: nil, at: moment)
        document.judged = ClipChecker(document, index).check()
        return document
      case .program(let file): return try BundleDocument(program: file, name: name)
      case .other: return nil
      }
    } catch {
      throw LinkspanError(error)
    }
  }
}
