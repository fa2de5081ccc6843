#if canImport(CoreText) && canImport(UIKit) && !os(watchOS)
  internal import CoreText
  public import Foundation

  extension OpenedClipResources {
    /// Makes the fonts of the resources usable in this process.
    ///
    /// - Returns: The fonts that could not be registered, with the reason; a font that is registered already is none.
    public func registerFonts() -> [(font: URL, reason: String)] {
      fonts.compactMap { font in
        var error: Unmanaged<CFError>?
        let url = NSURL(fileURLWithPath: font.path)
        guard !CTFontManagerRegisterFontsForURL(url as CFURL, .process, &error) else { return nil }
        let reason = error?.takeRetainedValue()
        if let reason, CFErrorGetCode(reason) == CTFontManagerError.alreadyRegistered.rawValue { return nil }
        return (font, reason.map { "\($0)" } ?? "the system gives no reason")
      }
    }
  }
#endif
