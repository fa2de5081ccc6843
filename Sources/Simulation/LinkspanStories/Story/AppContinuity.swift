package import AppLifecycle

/// What an app does with activities, links and its own screen, beside its entitlements.
package struct AppContinuity: Hashable, Sendable {
  /// Its `NSUserActivityTypes`.
  package var activityTypes: [String] = []
  /// Its links, where the library is its code.
  package var routes: AppRoutes?
  /// The team that signed it, where that is not its own.
  package var signer: String?
  package var shape = AppShape(.scene)
  package var code = LinkCode()
  package var cover = CoverPolicy.none
  /// Whether it presents a controller over its content.
  package var presents = false

  package init() {}
}
