package import LinkspanCore
package import LinkspanCrypto

extension BundleDocument {
  /// Verifies the signatures of all provisioning profiles in it, and that they are for these apps and have not expired.
  ///
  /// - Parameter authorities: nil has only the signature over the content verified.
  package mutating func verifyProfiles(trusting authorities: TrustedAuthorities?, at moment: WallTime) {
    main.verifyProfiles(trusting: authorities, at: moment)
  }
}

extension BundleInspection {
  fileprivate mutating func verifyProfiles(
    trusting authorities: TrustedAuthorities?, at moment: WallTime
  ) {
    if let profileBytes, let profile {
      let signature = ProfileSignature(profileBytes, trusting: authorities, at: moment)
      profileSignature = signature
      let file = profile.name
      findings += [
        signature.finding(at: .init(file: file)), otherApp(than: profile, file), profile.expiry(at: moment),
      ].compactMap(\.self)
    }
    for index in clips.indices { clips[index].verifyProfiles(trusting: authorities, at: moment) }
    for index in extensions.indices {
      extensions[index].verifyProfiles(trusting: authorities, at: moment)
    }
    for index in watchApps.indices {
      watchApps[index].verifyProfiles(trusting: authorities, at: moment)
    }
  }

  /// The finding for a profile of another app or team than the one that is signed.
  private func otherApp(than profile: ProvisioningProfile, _ file: String) -> Finding? {
    guard let allowed = profile.applicationIdentifier,
      let identifier = entitlements.flatMap({ ProvisioningProfile.applicationIdentifier(in: $0) }),
      !profile.covers(identifier)
    else { return nil }
    return Finding(
      rule: "signature.profile-other-app", severity: .error, at: .init(file: file),
      message: "The bundle is signed as '\(identifier)', but its provisioning profile is for '\(allowed)'.",
      help: "A device installs no app with it. Sign the app again with a profile for '\(identifier)'.",
      source: "B6")
  }
}

extension ProvisioningProfile {
  /// What is wrong with a profile that lies by itself. Its property list alone, as a Mac prints it, has no signature to verify.
  ///
  /// - Parameter bytes: The file.
  package func findings(of bytes: [UInt8], at moment: WallTime) -> [Finding] {
    let signature = ProfileSignature(bytes, trusting: nil, at: moment)
    let broken = signature.content == .unsigned ? nil : signature.finding(at: .init(file: name))
    return [broken, expiry(at: moment)].compactMap(\.self)
  }

  fileprivate func expiry(at moment: WallTime) -> Finding? {
    guard let end = expires.flatMap({ PropertyListNode.wallTime($0) }), end <= moment else { return nil }
    return Finding(
      rule: "signature.profile-expired", severity: .warning, at: .init(file: name),
      message: "The provisioning profile expired at \(end).",
      help: "It allows no installation any more. Download a new one from the developer account, and sign the "
        + "app again. A build that the App Store has accepted needs nothing.",
      source: "B7")
  }
}
