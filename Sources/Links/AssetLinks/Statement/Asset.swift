internal import LinkspanCore

/// The source or the target of a statement: a website or an app.
package enum Asset: Hashable, Sendable {
  case web(WebSite)
  case androidApp(AndroidApp)
}

/// An Android app signed with one certificate.
package struct AndroidApp: Hashable, Sendable {
  package let packageName: String
  package let fingerprint: CertificateFingerprint

  package init(packageName: String, fingerprint: String) throws(StatementFault) {
    try Self.check(packageName: packageName)
    self.packageName = packageName
    self.fingerprint = try CertificateFingerprint(fingerprint)
  }

  /// - Throws: What keeps a text from being the name of an Android application.
  package static func check(packageName: String) throws(StatementFault) {
    let isName =
      !packageName.isEmpty
      && packageName.utf8.allSatisfy { ASCII.isLetter($0) || ASCII.isDigit($0) || "._".utf8.contains($0) }
    guard isName else {
      let hint =
        packageName.contains("-") ? " Bundle identifiers may contain '-', package names may not." : ""
      throw StatementFault(
        .packageName, "'\(packageName)' is not a package name",
        help: "Write the app's applicationId: letters, digits, '_' and '.', such as 'com.example.app'.\(hint)"
      )
    }
  }
}

/// The target of a statement; for an app, one matching fingerprint is enough (D4).
package enum StatementTarget: Hashable, Sendable {
  case web(WebSite)
  case androidApp(packageName: String, fingerprints: [CertificateFingerprint])

  /// Whether the statement is about this asset.
  package func includes(_ asset: Asset) -> Bool {
    switch (self, asset) {
    case (.web(let mine), .web(let other)): mine == other
    case (.androidApp(let name, let fingerprints), .androidApp(let app)):
      name == app.packageName && fingerprints.contains(app.fingerprint)
    default: false
    }
  }
}
