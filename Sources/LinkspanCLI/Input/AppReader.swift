internal import AppBundle
internal import LinkspanCore

/// Reads what an app claims from the files a person names with `--app`.
enum AppReader {
  /// Entitlements and property lists, the first of one kind with the first of the other.
  ///
  /// - Parameter replacing: Bytes that stand for those of a file, by its path.
  static func read(
    _ paths: [String], replacing: [String: [UInt8]] = [:]
  ) throws(CommandError) -> [AppClaims] {
    var entitlements: [Entitlements] = []
    var infoPlists: [InfoPlist] = []
    for path in paths {
      let name = path.split(separator: "/").last.map(String.init) ?? path
      let instead = "Name its entitlements and its Info.plist instead."
      if name.hasSuffix(".ipa") || name.hasSuffix(".app") {
        throw CommandError("'\(path)' is a bundle, and bundles cannot be read yet.", help: instead)
      }
      if try FileReader.kind(of: path) == .folder {
        throw CommandError("'\(path)' is a folder, and the file of an app is wanted.", help: instead)
      }
      let bytes = if let mended = replacing[path] { mended } else { try FileReader.bytes(path) }
      do throws(PropertyListError) {
        if name.hasSuffix("Info.plist") {
          infoPlists.append(try InfoPlist(bytes, name: path))
        } else {
          entitlements.append(try Entitlements(bytes, name: path))
        }
      } catch {
        throw CommandError("\(error)")
      }
    }
    return (0..<max(entitlements.count, infoPlists.count)).map { index in
      AppClaims(
        entitlements: index < entitlements.count ? entitlements[index] : nil,
        infoPlist: index < infoPlists.count ? infoPlists[index] : nil)
    }
  }
}
