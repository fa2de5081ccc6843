package import LinkspanCore
package import LinkspanCrypto

extension BundleDocument {
  /// Verifies the signatures of all provisioning profiles in it.
  ///
  /// - Parameter authorities: nil has only the signature over the content verified.
  package mutating func verifyProfiles(trusting authorities: TrustedAuthorities?, at moment: WallTime) {
    main.verifyProfiles(trusting: authorities, at: moment, in: name)
  }
}

extension BundleInspection {
  fileprivate mutating func verifyProfiles(
    trusting authorities: TrustedAuthorities?, at moment: WallTime, in name: String
  ) {
    if let profileBytes, profile != nil {
      let signature = ProfileSignature(profileBytes, trusting: authorities, at: moment)
      profileSignature = signature
      let file = profile?.name ?? name
      findings += [signature.finding(at: .init(file: file))].compactMap(\.self)
    }
    for index in clips.indices { clips[index].verifyProfiles(trusting: authorities, at: moment, in: name) }
    for index in extensions.indices {
      extensions[index].verifyProfiles(trusting: authorities, at: moment, in: name)
    }
    for index in watchApps.indices {
      watchApps[index].verifyProfiles(trusting: authorities, at: moment, in: name)
    }
  }
}
