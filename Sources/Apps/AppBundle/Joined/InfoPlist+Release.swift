package import AppSiteAssociation

extension InfoPlist {
  /// The oldest release that the app installs on; nil where the file does not say it, or names none.
  package var minimumRelease: OSVersion? {
    guard let minimum = minimumOS?.value else { return nil }
    do throws(OSVersionError) {
      return try OSVersion("\(platform.rawValue):\(minimum)")
    } catch {
      return nil
    }
  }

  /// `CFBundleSupportedPlatforms` as Xcode writes it; only macOS has a minimum under another key.
  private var platform: OSVersion.Platform {
    if document.root["MinimumOSVersion"] == nil { return .macOS }
    return switch document.root["CFBundleSupportedPlatforms"]?.array?.first?.string {
    case "AppleTVOS": .tvOS
    case "WatchOS": .watchOS
    case "XROS": .visionOS
    default: .iOS
    }
  }
}
