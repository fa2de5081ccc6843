internal import LinkspanCore
package import LinkspanCrypto

/// What the signature around a provisioning profile proves: that the certificate inside signed this content, and, where
/// authorities are named, that one of them stands behind that certificate. Revocation is not looked at.
package struct ProfileSignature: Sendable {
  package enum Content: String, Sendable {
    /// The key of the certificate inside has signed this content.
    case verified
    /// The content, the signature or the certificate was changed.
    case broken
    /// Its algorithm or structure is one that is not verified here.
    case notVerified = "not-verified"
    /// A property list as it is, without a signature.
    case unsigned
  }

  package enum Chain: String, Sendable {
    /// No authorities were named, or the content is not verified.
    case notChecked = "not-checked"
    case verified, broken
  }

  package let content: Content
  package let chain: Chain
  /// The subject of the certificate that signed it, such as Apple's; nil when it isn't there.
  package let signer: String?
  /// Why it is not verified.
  package let problems: [SignatureProblem]

  /// - Parameters:
  ///   - profile: The file, as it lies in the bundle.
  ///   - authorities: Those that may stand behind the signer; nil has the chain left unchecked.
  ///   - moment: At which the certificates must be valid, when the chain is checked.
  init(_ profile: [UInt8], trusting authorities: TrustedAuthorities?, at moment: WallTime) {
    guard profile.first == 0x30 else {
      (content, chain, signer, problems) = (.unsigned, .notChecked, nil, [])
      return
    }
    let report = SignatureReport(profile, trusting: authorities, at: moment, purposes: nil)
    signer = report.signer?.subject
    problems = report.problems
    let isChanged = report.problems.contains { $0 == .contentChanged || $0 == .signatureMismatch }
    // What is read and what is signed must be the same bytes.
    if isChanged || report.content != nil && report.content != ProvisioningProfile.content(of: profile) {
      (content, chain) = (.broken, .notChecked)
    } else if report.signer == nil {
      (content, chain) = (.notVerified, .notChecked)
    } else {
      content = .verified
      chain = authorities == nil ? .notChecked : report.problems.isEmpty ? .verified : .broken
    }
  }

  /// What it says, as JSON.
  var json: JSON {
    .object([
      ("content", .string(content.rawValue)), ("chain", .string(chain.rawValue)), ("signer", .init(signer)),
      ("problems", .array(problems.map { .string($0.name) })),
    ])
  }

  /// What it says, for people.
  package var text: String {
    switch (content, chain) {
    case (.verified, .notChecked): "signed by \(signer ?? ""), whose chain was not checked"
    case (.verified, .verified): "signed by \(signer ?? ""), with a chain to a named authority"
    case (.verified, .broken): "signed by \(signer ?? ""), without a chain to a named authority"
    case (.broken, _): "changed after it was signed"
    case (.notVerified, _): "not verified"
    case (.unsigned, _): "not signed"
    }
  }

  func finding(at place: Finding.Location) -> Finding? {
    func finding(
      _ rule: String, _ severity: Finding.Severity, _ message: String, _ help: String
    ) -> Finding {
      Finding(
        rule: rule, severity: severity, at: place, message: message, help: help,
        source: "B5")
    }
    let reasons = problems.map { $0.message }.joined(separator: " ")
    switch (content, chain) {
    case (.verified, .notChecked), (.verified, .verified): return nil
    case (.verified, .broken):
      return finding(
        "signature.profile-chain", .error,
        "No trusted authority vouches for the signer of the provisioning profile.",
        "\(reasons) Name Apple's root certificate with --ca, or download the profile again.")
    case (.broken, _):
      return finding(
        "signature.profile-broken", .error, "The provisioning profile was changed after it was signed.",
        "A device installs no app with it. Download the profile again, and build with it.")
    case (.notVerified, _):
      return finding(
        "signature.profile-not-verified", .warning,
        "The signature of the provisioning profile could not be verified.",
        "\(reasons) What the profile says is shown as it stands there.")
    case (.unsigned, _):
      return finding(
        "signature.profile-unsigned", .error, "The provisioning profile is not signed.",
        "A device installs no app with it. Download the profile from the developer account.")
    }
  }
}
