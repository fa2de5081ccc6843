package import AppSiteAssociation
package import AssociatedDomains
package import LinkspanCore

/// What a device knows about one (service, app, domain), as `swcutil show` prints it (section 5).
package struct AssociationRecord: Sendable {
  /// `unspecified` until a check or the user decides; the raw values are those of `swcutil`.
  package enum Approval: String, Hashable, Sendable, CaseIterable {
    case unspecified
    case approved
    case denied
  }

  /// The application identifier.
  package var app: String
  package var domain: AssociatedDomain
  /// Set by the user's choice; `denied` means the browser.
  package var userApproval = Approval.unspecified
  /// Set by checks: whether the host's file names the app.
  package var siteApproval = Approval.unspecified
  /// Virtual time; nil before the first check has ended.
  package var lastChecked: Duration?
  /// Virtual time; nil before the first check has ended.
  package var nextCheck: Duration?
  /// What went wrong at the last check.
  package var problem: FetchProblem?
  /// Failed checks in a row that are retried; a refusal ends the row.
  package var retries = 0
  /// The file that was fetched last and could be read; it may fail to name the app.
  package var file: StoredFile?
  /// Which installation of the app it belongs to, so that an answer that comes too late is noticed.
  var installation: Int

  package init(app: String, domain: AssociatedDomain, installation: Int) {
    self.app = app
    self.domain = domain
    self.installation = installation
  }

  /// R1: about every 3 hours, up to 8 times.
  static let retryLimit = 8

  /// Whether the next check is a retry, and not the regular one.
  package var isRetrying: Bool { (1...Self.retryLimit).contains(retries) }

  /// Whether links may open the app as far as this record decides. A Mac additionally requires the user's approval.
  package var isUsable: Bool { siteApproval == .approved && userApproval != .denied }

  /// The hosts that its file speaks for.
  package var scope: HostScope { HostScope(of: domain) }

  package struct Key: Hashable, Comparable, Sendable {
    var app: String
    /// The entry in its plain form.
    var entry: String

    package var lane: String { app + " " + entry }

    package init(app: String, entry: String) {
      self.app = app
      self.entry = entry
    }

    package static func < (left: Self, right: Self) -> Bool {
      (left.app, left.entry) < (right.app, right.entry)
    }
  }

  package var key: Key { Key(app: app, entry: domain.canonicalText) }
}

/// Why a check failed, and what to do about it.
package struct FetchProblem: Hashable, Sendable, HasProvenance {
  /// What it does to an association that was approved, and to the time of the next check.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// It passes: 5xx, no answer (R1). The approval stays.
    case temporary
    /// The host said no: 3xx, 4xx (R1). That answer counts until the regular re-check.
    case refused
    /// Something came that is no association file.
    case unreadable

    /// Whether the device asks again within hours: R1 after what passes, V2 after a file that was not JSON.
    package var isRetried: Bool { self != .refused }
  }

  package var kind: Kind
  /// A whole clause: "Apple's CDN answers 404: SWCERR00301 Timeout".
  package var reason: String
  /// What the owner of the site can do about it, as a sentence.
  package var change: String
  package var rules: [String]
  package var certainty: Certainty
  /// The error that a device shows for it, where one was published.
  package var error: PublishedError?

  /// - Source: section 4, section 11.2, and reports in Apple's forums.
  package enum PublishedError: Hashable, Sendable {
    case noUsableCopy
    case notJSON
  }
}

/// An association file as a device keeps it.
package struct StoredFile: Sendable {
  /// Compiled for the device's release.
  package var matcher: AssociationMatcher
  package var body: [UInt8]
  /// A short fingerprint of its bytes, for the trace.
  var digest: String

  package init(matcher: AssociationMatcher, body: [UInt8], digest: String) {
    self.matcher = matcher
    self.body = body
    self.digest = digest
  }
}
