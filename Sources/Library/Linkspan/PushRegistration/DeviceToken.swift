public import Foundation

/// A device token, in the forms that servers want and that old code wrote.
public struct DeviceToken: Sendable, Hashable, CustomStringConvertible {
  /// Tokens have no documented length; do not store them in 32 bytes.
  public let bytes: [UInt8]

  /// The argument of `didRegisterForRemoteNotificationsWithDeviceToken`.
  public init(_ data: Data) { bytes = Array(data) }

  /// Reads every text form: hexadecimal in either case, with blanks, as `<aabbccdd eeff0011>`, which was the description of
  /// `NSData` until iOS 13, and Base64.
  ///
  /// - Returns: Nil for a text that is none of them, such as `{length = 32, bytes = 0x0dac7aea … 1b2d3f40 }`, the
  ///   description since iOS 13, which lacks the middle of the token.
  public init?(text: String) {
    let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
    var digits = Substring(trimmed)
    if digits.hasPrefix("<"), digits.hasSuffix(">") { digits = digits.dropFirst().dropLast() }
    let compact = digits.filter { $0 != " " }
    if let bytes = Self.bytes(hexadecimal: compact), !bytes.isEmpty {
      self.bytes = bytes
    } else if let data = Data(base64Encoded: trimmed), data.count >= Self.leastBase64Count {
      bytes = Array(data)
    } else {
      return nil
    }
  }

  /// Our choice: a shorter text of Base64 is more likely a word.
  private static let leastBase64Count = 16

  private static func bytes(hexadecimal text: String) -> [UInt8]? {
    let digits = text.utf8.map { UInt8(String(UnicodeScalar($0)), radix: 16) }
    guard digits.count % 2 == 0, !digits.contains(nil) else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { (digits[$0] ?? 0) << 4 | (digits[$0 + 1] ?? 0) }
  }

  /// Lower-case hexadecimal, as APNs and our API write it.
  public var hexadecimal: String { groups(of: bytes.count, separator: "") }

  /// `<aabbccdd eeff0011>`, as clients of 2013 sent it.
  public var bracketed: String { "<" + groups(of: 4, separator: " ") + ">" }

  private func groups(of size: Int, separator: String) -> String {
    let digits = Array("0123456789abcdef".unicodeScalars)
    var text = ""
    for (index, byte) in bytes.enumerated() {
      if index > 0, index % max(1, size) == 0 { text += separator }
      text.unicodeScalars.append(digits[Int(byte >> 4)])
      text.unicodeScalars.append(digits[Int(byte & 15)])
    }
    return text
  }

  /// The first bytes only: whoever has a token and the app's key can push to the device, so logs do not get it whole.
  public var description: String { String(hexadecimal.prefix(8)) + "…" }
}

/// Which APNs an app's tokens belong to.
public enum PushEnvironment: String, Sendable, Codable, CaseIterable {
  /// The development environment, for apps that Xcode installed.
  case sandbox
  /// TestFlight and the store.
  case production

  /// Finds the environment of the app that runs.
  ///
  /// A build from the store has no provisioning profile, and is always of production. A simulator has none either, and its
  /// tokens are of the sandbox.
  ///
  /// - Parameters:
  ///   - provisioningProfile: The bytes of `embedded.mobileprovision`, or `embedded.provisionprofile` on the Mac; nil when
  ///     the bundle has none.
  ///   - isSimulator: `#if targetEnvironment(simulator)`.
  /// - Returns: Nil for a profile without `aps-environment`: such an app cannot register at all.
  public static func detect(provisioningProfile: Data?, isSimulator: Bool) -> PushEnvironment? {
    if isSimulator { return .sandbox }
    guard let provisioningProfile else { return .production }
    // The property list stands readable inside the signature's bytes.
    guard let key = provisioningProfile.range(of: Data("aps-environment</key>".utf8)),
      let start = provisioningProfile[key.upperBound...].range(of: Data("<string>".utf8)),
      let end = provisioningProfile[start.upperBound...].range(of: Data("</string>".utf8)),
      provisioningProfile[key.upperBound..<start.lowerBound].allSatisfy({ $0 <= 0x20 })
    else { return nil }
    switch String(decoding: provisioningProfile[start.upperBound..<end.lowerBound], as: UTF8.self) {
    case "development": return .sandbox
    case "production": return .production
    default: return nil
    }
  }

  /// The environment of the app in a bundle, by its provisioning profile.
  ///
  /// - Source: Apple, TN3125, "Inside Code Signing: Provisioning Profiles": an app of the Mac, which one of Catalyst is, has
  ///   its profile in `Contents/embedded.provisionprofile`, others have `embedded.mobileprovision`.
  static func of(bundle: URL, isSimulator: Bool) -> PushEnvironment? {
    let profile = ["embedded.mobileprovision", "Contents/embedded.provisionprofile"]
      .map { bundle.appendingPathComponent($0) }.first { FileManager.default.fileExists(atPath: $0.path) }
    guard let profile else { return detect(provisioningProfile: nil, isSimulator: isSimulator) }
    // One that is there and cannot be read says nothing; without bytes it would pass for a build of the store.
    guard let bytes = try? Data(contentsOf: profile) else { return isSimulator ? .sandbox : nil }
    return detect(provisioningProfile: bytes, isSimulator: isSimulator)
  }
}
