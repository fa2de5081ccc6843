internal import AppSiteAssociation
internal import LinkspanCore

/// An association file as one release reads it. Making it costs as much as reading every rule; an answer costs little.
public struct FileReading: Sendable {
  /// The release that reads the file.
  public let release: OSRelease
  private let matcher: AssociationMatcher?
  /// Whether nothing is known of the file but that it is larger than a device reads.
  private let isTooLarge: Bool

  init(_ file: AppSiteAssociation.AssociationFile?, _ release: OSRelease, isTooLarge: Bool) {
    self.release = release
    self.isTooLarge = isTooLarge
    matcher = file.map { AssociationMatcher($0, os: release.version) }
  }

  /// The application identifiers that the file names for links, in their order.
  public var applications: [String] { matcher?.applications ?? [] }

  /// Whether the file sends a URL to an application. See ``AssociationFile/opens(_:in:on:)``.
  public func opens(_ url: some CustomStringConvertible, in application: String) -> Bool {
    decision(for: url, in: application).verdict == .opens
  }

  /// What the file says of a URL for an application, with the rule that decides.
  public func decision(for url: some CustomStringConvertible, in application: String) -> LinkDecision {
    guard let matcher else {
      return LinkDecision(
        verdict: .staysInBrowser, entry: nil, rule: nil,
        reason: "a device drops the file, because it "
          + (isTooLarge ? "has more than 128 KB" : "is not a JSON object"))
    }
    let link = LinkURL(written: url.description, on: release.version)
    var work = WorkBudget.answer
    let trace = matcher.trace(link, app: application, host: .exactly(link.host), &work)
    return LinkDecision(trace)
  }
}
