/// Why a clip's archive of resources was not expanded.
public struct ClipResourcesError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is at fault.
  public enum Kind: Hashable, Sendable {
    /// There is no archive or no manifest in the bundle.
    case missing
    /// The manifest is no manifest, or of a version that this library doesn't know.
    case unreadableManifest
    /// The archive is not the one that the manifest describes.
    case damagedArchive
    /// A limit of ``ClipResources/Limits`` is exceeded.
    case tooLarge
    /// A path leads out of the folder, or two paths exclude each other.
    case unsafePath
    /// The file system refused.
    case notWritten
  }

  /// For code that treats one case in its own way.
  public let kind: Kind
  /// The file at fault: the archive, the manifest, or a path in the archive.
  public let file: String
  /// What is wrong with it, in one sentence.
  public let reason: String
  /// What to do.
  public let remedy: String

  init(_ kind: Kind, _ file: String, _ reason: String) {
    self.kind = kind
    self.file = file
    self.reason = reason
    remedy =
      switch kind {
      case .missing: "Run 'linkspan clip pack' in a build phase, before the bundle is signed."
      case .unreadableManifest, .damagedArchive, .unsafePath:
        "Pack the resources again with 'linkspan clip pack', and sign the bundle afterwards."
      case .tooLarge: "Pack less, download large files after the launch, or raise the limit."
      case .notWritten: "Check that the folder for caches can be written and has room."
      }
  }

  /// What, where, why and what to do.
  public var description: String { "\(file): \(reason) \(remedy)" }
}
