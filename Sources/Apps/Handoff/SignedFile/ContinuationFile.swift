package import LinkspanCore
package import LinkspanCrypto

/// The association file of iOS 8 as a device of that time takes it: signed, with `activitycontinuation` in it.
///
/// Read here by itself, apart from the code that signs and checks such files.
///
/// - Source: rule HO9, documented and observed.
package struct ContinuationFile: Hashable, Sendable {
  /// Where releases before iOS 9.3 look for it.
  package static let path = "/apple-app-site-association"

  /// The application identifiers that may continue the site's pages.
  package let apps: [String]

  /// Why a file is not taken.
  package struct Refusal: Error, Hashable, Sendable {
    /// The name of a signature problem, such as `signature-mismatch`, or `no-json`, `no-apps`.
    package var name: String
    /// A sentence.
    package var message: String

    package init(name: String, message: String) {
      self.name = name
      self.message = message
    }

    /// Every name that ``ContinuationFile/init(_:trusting:at:)`` throws.
    package static let names = SignatureProblem.Name.allCases.map(\.rawValue) + ["no-json", "no-apps"]
  }

  /// - Parameters:
  ///   - bytes: DER CMS SignedData.
  ///   - authorities: Whom the device trusts; nil for nobody.
  ///   - moment: The device's time, at which the certificates have to be valid.
  /// - Throws: The first reason why the device does not take it.
  package init(_ bytes: [UInt8], trusting authorities: TrustedAuthorities?, at moment: WallTime)
    throws(Refusal)
  {
    let report = SignatureReport(bytes, trusting: authorities, at: moment, purposes: [.server, .mail])
    // What is wrong with the file itself comes first: with it no authority helps.
    if let problem = report.problems.first { throw Refusal(name: problem.name, message: problem.message) }
    guard authorities != nil else {
      throw Refusal(
        name: SignatureProblem.Name.unknownAuthority.rawValue,
        message: "The device trusts no certificate authority.")
    }
    guard let content = report.content, let root = JSONParser.parse(content).root, root.object != nil else {
      throw Refusal(name: "no-json", message: "The signed content is not a JSON object.")
    }
    guard let list = root["activitycontinuation"]?["apps"]?.array else {
      throw Refusal(
        name: "no-apps", message: "The file has no 'activitycontinuation' with a list of 'apps'.")
    }
    apps = list.compactMap(\.string)
  }
}
