/// Which of Apple's two push services a device token belongs to.
package enum DeviceEnvironment: String, Hashable, Sendable, CaseIterable {
  case production
  /// Builds from Xcode.
  case sandbox
}
