package import AppBundle
package import LinkspanCore
package import LinkspanFiles

/// What a person named where a bundle may stand. Archives and programs are read by the program alone.
package enum BundleInput {
  /// An app: its path and what it is.
  case app(String, String)
  case other

  package init(_ path: String) throws(LinkspanError) {
    self = try Self.words(atSite: path).map { .app(path, $0) } ?? .other
  }

  static func words(atSite path: String) throws(LinkspanError) -> String? {
    switch try FileReader.kind(of: path) {
    case .folder:
      let path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
      guard [".app", ".appex", ".xcarchive"].contains(where: { path.hasSuffix($0) }) else { return nil }
      for place in ["Info.plist", "Contents/Info.plist"]
      where try FileReader.kind(of: "\(path)/\(place)") == .file {
        return "is an app"
      }
      return nil
    case .missing: return nil
    case .file, .special: break
    }
    guard let head = try? FileReader.bytes(path).prefix(8) else { return nil }
    if head.starts(with: [0x50, 0x4B, 0x03, 0x04]) || head.starts(with: [0x50, 0x4B, 0x05, 0x06]) {
      return "is a zip archive, as an .ipa is"
    }
    if path.hasSuffix(".ipa") { return "is an .ipa by its name" }
    let magics: [[UInt8]] = [
      [0xCA, 0xFE, 0xBA, 0xBE], [0xCA, 0xFE, 0xBA, 0xBF], [0xCF, 0xFA, 0xED, 0xFE], [0xCE, 0xFA, 0xED, 0xFE],
    ]
    return magics.contains { head.starts(with: $0) } ? "is a program (Mach-O)" : nil
  }

  /// The module verifies no signature and asks no clock.
  static func findings(in profile: ProvisioningProfile, of bytes: [UInt8]) -> [Finding] { [] }

  func document(named name: String) throws(LinkspanError) -> BundleDocument? {
    guard case .app(let path, let words) = self else { return nil }
    throw LinkspanError(
      "\(words), which the WebAssembly module does not read", at: path,
      help: "Give its entitlements and Info.plist, or install the program: Documentation/getting-it.md.")
  }
}
