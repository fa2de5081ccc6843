internal import LinkspanCore

/// What a device wrote about its associations: the text of `swcutil show` (`swcutil_show.txt` of a
/// sysdiagnose), lines of swcd's log, or both in one file.
///
/// - Source: sections 11.2 and 11.3.
package struct DeviceState: Sendable {
  /// The entries of the section `DATABASE`, in their order.
  package var associations: [DeviceAssociation] = []
  /// The entries of the section `SETTINGS`.
  package var settings: [DeviceSetting] = []
  /// The lines of swcd's log that have a known meaning.
  package var events: [DeviceEvent] = []
  /// Whether the text was longer than ``DeviceStateReader`` reads.
  package var isCut = false

  package var isEmpty: Bool { associations.isEmpty && settings.isEmpty && events.isEmpty }
}

/// One (service, app, domain) as the device knows it. Everything may be absent: files come cut and edited.
package struct DeviceAssociation: Sendable {
  package enum Approval: Hashable, Sendable {
    case unspecified
    case approved
    case denied
    /// A word no public source has.
    case other(String)

    init(_ text: String) {
      switch ASCII.lowercased(text) {
      case "unspecified": self = .unspecified
      case "approved": self = .approved
      case "denied": self = .denied
      default: self = .other(text)
      }
    }

    package var name: String {
      switch self {
      case .unspecified: "unspecified"
      case .approved: "approved"
      case .denied: "denied"
      case .other(let text): text
      }
    }
  }

  /// The line it begins on, from 1.
  package var line: Int
  package var service = ""
  package var app = ""
  package var appVersion: String?
  /// Lower-case, without its mode; `*.` stays.
  package var domain = ""
  /// The text after `?mode=`.
  package var mode: String?
  /// How many patterns it holds; nil when they are absent or cannot be counted.
  package var patternCount: Int?
  package var userApproval: Approval?
  package var siteApproval: Approval?
  /// Words such as `developer`; otherwise opaque.
  package var flags: [String] = []
  package var lastChecked: DeviceTime?
  package var nextCheck: DeviceTime?
  package var error: DeviceError?
  /// Failed checks in a row.
  package var retries: Int?
  /// Keys no public source has, in their order.
  package var others: [String] = []

  /// The host its file comes from: for a wildcard the parent (E6).
  package var host: String { domain.hasPrefix("*.") ? String(domain.dropFirst(2)) : domain }
}

/// One entry of `SETTINGS`: what the user chose (section 11.2, observed).
package struct DeviceSetting: Hashable, Sendable {
  package var service: String
  package var app: String
  /// nil for `(null)`: every domain.
  package var domain: String?
  /// The value of `com.apple.LaunchServices.enabled`; nil when it is absent.
  package var isEnabled: Bool?
}

/// An error as `NSError` describes itself.
package struct DeviceError: Hashable, Sendable {
  package struct Cause: Hashable, Sendable {
    package var domain: String
    package var code: Int
  }

  package let text: String
  /// The error and what it says lies under it, outermost first.
  package let causes: [Cause]

  /// Our choice: a description nests a few errors.
  private static let causeLimit = 16

  package init(_ text: String) {
    self.text = text
    var causes: [Cause] = []
    // `Error Domain=NSCocoaErrorDomain Code=3840 "…"`, and within sentences `(SWCErrorDomain error 7.)`.
    for piece in text.split(separator: "Domain=", omittingEmptySubsequences: false).dropFirst() {
      let domain = piece.prefix { !$0.isWhitespace && $0 != "}" }
      guard let place = piece.firstRange(of: "Code="), piece[domain.endIndex..<place.lowerBound].count < 4
      else { continue }
      let digits = piece[place.upperBound...].prefix { $0 == "-" || $0.isNumber }
      if let code = Int(digits), causes.count < Self.causeLimit {
        causes.append(Cause(domain: String(domain), code: code))
      }
    }
    for piece in text.split(separator: "(", omittingEmptySubsequences: false).dropFirst() {
      let words = piece.prefix { $0 != ")" }.split(separator: " ")
      guard words.count >= 3, words[1] == "error", causes.count < Self.causeLimit,
        let code = Int(words[2].filter { $0 != "." })
      else { continue }
      let cause = Cause(domain: String(words[0]), code: code)
      if !causes.contains(cause) { causes.append(cause) }
    }
    self.causes = causes
  }
}
