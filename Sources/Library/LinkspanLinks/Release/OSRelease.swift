internal import AppSiteAssociation

/// A release of one of Apple's systems, whose reading of association files is asked for: `.iOS(17)`, `.iOS(13, 5)`.
///
/// Releases read the same file differently: `components` begin with iOS 13, `substitutionVariables` with iOS 13.5.
public struct OSRelease: Hashable, Sendable {
  let version: OSVersion?

  private init(_ version: OSVersion?) { self.version = version }

  /// The newest behaviour that is known.
  public static let newest = OSRelease(nil)

  /// iOS and iPadOS.
  public static func iOS(_ major: Int, _ minor: Int = 0, _ patch: Int = 0) -> OSRelease {
    OSRelease(OSVersion(.iOS, major, minor, patch))
  }

  /// macOS.
  public static func macOS(_ major: Int, _ minor: Int = 0, _ patch: Int = 0) -> OSRelease {
    OSRelease(OSVersion(.macOS, major, minor, patch))
  }

  /// tvOS.
  public static func tvOS(_ major: Int, _ minor: Int = 0, _ patch: Int = 0) -> OSRelease {
    OSRelease(OSVersion(.tvOS, major, minor, patch))
  }

  /// watchOS.
  public static func watchOS(_ major: Int, _ minor: Int = 0, _ patch: Int = 0) -> OSRelease {
    OSRelease(OSVersion(.watchOS, major, minor, patch))
  }

  /// visionOS.
  public static func visionOS(_ major: Int, _ minor: Int = 0, _ patch: Int = 0) -> OSRelease {
    OSRelease(OSVersion(.visionOS, major, minor, patch))
  }
}
