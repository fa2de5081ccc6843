package import LinkspanCore

/// A file or folder that a person named, and the app in it.
package struct BundleDocument: Sendable {
  package enum Kind: String, Sendable {
    case ipa, app, xcarchive
    /// A Mach-O file by itself.
    case program
    /// A property list of entitlements by itself.
    case entitlements
  }

  package let kind: Kind
  /// What the person calls it.
  package let name: String
  /// The bytes of the archive itself; nil for a folder.
  package let archiveBytes: Int?
  package internal(set) var main: BundleInspection

  /// All findings, those of embedded bundles included.
  package var findings: [Finding] { (main.allFindings + judged).inReadingOrder() }

  /// What checkers found that look at the bundle as a whole.
  package var judged: [Finding] = []
}

/// What one bundle claims, and what is inside it.
package struct BundleInspection: Sendable {
  package enum Kind: String, Sendable {
    case app
    case clip = "app-clip"
    case appExtension = "extension"
    case watchApp = "watch-app"
    case framework
    /// A Mach-O file by itself.
    case program
    /// A property list of entitlements by itself.
    case entitlements
  }

  package let kind: Kind
  /// From the top of the tree; empty where the tree is the bundle.
  package let path: String
  package internal(set) var infoPlist: InfoPlist?
  package internal(set) var program: MachOFile?
  /// Of the signature: the property list where there is one, else the DER form.
  package internal(set) var entitlements: PropertyListNode?
  /// The provisioning profile as it lies in the bundle: signed (CMS).
  package internal(set) var profileBytes: [UInt8]?
  /// The entitlements of the signature, or of their own file, as the checkers read them: empty where a signature has none,
  /// nil where they are unreadable or nothing is signed.
  package internal(set) var signedEntitlements: Entitlements?
  package internal(set) var profile: ProvisioningProfile?
  /// nil unless somebody had the profiles verified.
  package internal(set) var profileSignature: ProfileSignature?
  package internal(set) var clips: [BundleInspection] = []
  package internal(set) var extensions: [BundleInspection] = []
  package internal(set) var watchApps: [BundleInspection] = []
  package internal(set) var frameworks: [BundleInspection] = []
  /// All files, unpacked.
  package internal(set) var sizeBytes = 0
  package internal(set) var fileCount = 0
  package internal(set) var findings: [Finding] = []

  package init(kind: Kind, path: String) {
    self.kind = kind
    self.path = path
  }

  package var signature: CodeSignature? { program?.mainSlice.signature }

  package var bundleIdentifier: String? { infoPlist?.bundleIdentifier?.value ?? signature?.identifier }

  /// What the signature says, or else the entitlements.
  package var teamIdentifier: String? {
    signature?.teamIdentifier ?? entitlements?["com.apple.developer.team-identifier"]?.string
  }

  package var minimumOS: String? { infoPlist?.minimumOS?.value ?? program?.mainSlice.minimumOS }

  /// The entries as the signature has them.
  package var associatedDomains: [String] {
    (entitlements?["com.apple.developer.associated-domains"]?.array ?? []).compactMap(\.string)
  }

  /// Whether a bundle is an App Clip by what it says itself: its signature, or its Info.plist.
  package var isAppClip: Bool {
    kind == .clip || entitlements?["com.apple.developer.on-demand-install-capable"]?.bool == true
      || infoPlist?.isAppClip == true
  }

  var allFindings: [Finding] {
    findings + (clips + extensions + watchApps + frameworks).flatMap(\.allFindings)
  }
}
