internal import AppSiteAssociation
internal import AssociatedDomains
internal import AssociationCheck
internal import LinkspanCore

/// What two association files decide differently, by meaning: text, order and spelling that change nothing don't count.
public struct FileDifference: Hashable, Sendable {
  /// URLs that are decided differently, by one of them.
  public struct Change: Hashable, Sendable, CustomStringConvertible {
    /// One of the URLs.
    public let url: String
    /// The application identifier.
    public let application: String
    /// What the older file said.
    public let old: LinkDecision.Verdict
    /// What the newer file says.
    public let new: LinkDecision.Verdict
    /// For which releases, where not for all: `iOS 13.0 and later`.
    public let releases: String?

    /// `https://example.com/shop: excluded, now opens ABCDE12345.com.example.app`
    public var description: String {
      "\(url): \(old.rawValue), now \(new.rawValue) \(application)" + (releases.map { " (\($0))" } ?? "")
    }
  }

  /// A URL that two applications match.
  public struct Opening: Hashable, Sendable, CustomStringConvertible {
    /// One of the URLs.
    public let url: String
    /// The application identifier of the one that opened it.
    public let old: String
    /// That of the one that opens it.
    public let new: String
    /// For which releases, where not for all: `iOS 13.0 and later`.
    public let releases: String?

    /// `https://example.com/shop: opened by ABCDE12345.com.example.shop, before by ABCDE12345.com.example.app`
    public var description: String {
      "\(url): opened by \(new), before by \(old)" + (releases.map { " (\($0))" } ?? "")
    }
  }

  /// The URLs that users see behave differently, one for each rule that changed.
  public let changes: [Change]
  /// URLs that another application opens where both are installed, since the entries have another order; one for each two.
  public let openedByAnother: [Opening]
  /// Services without URLs whose applications changed, such as `webcredentials`.
  public let services: [String]
  /// What a bound on the work left open; empty when ``changes`` is everything.
  public let undecided: [String]

  /// Whether both files mean the same, and that is certain.
  public var isEmpty: Bool {
    changes.isEmpty && openedByAnother.isEmpty && services.isEmpty && undecided.isEmpty
  }

  init(_ comparison: FileComparison) {
    changes = comparison.changes.map { change in
      Change(
        url: change.url, application: change.app, old: LinkDecision.Verdict(change.old.decision.verdict),
        new: LinkDecision.Verdict(change.new.decision.verdict), releases: change.releases?.name)
    }
    openedByAnother = comparison.precedence.map {
      Opening(url: $0.url, old: $0.old, new: $0.new, releases: $0.releases?.name)
    }
    services = comparison.services.map(\.service.rawValue)
    undecided =
      comparison.undecided
      + (comparison.isCutShort && comparison.undecided.isEmpty ? ["there may be more changes"] : [])
  }

  init(undecided: String) {
    changes = []
    openedByAnother = []
    services = []
    self.undecided = [undecided]
  }
}

extension AssociationFile {
  /// What this file decides differently from an older one, for all releases together.
  ///
  /// - Parameters:
  ///   - old: The file of today, or of the last version.
  ///   - host: The host of both; the URLs in the answer are its own.
  public func difference(from old: AssociationFile, host: String = "example.com") -> FileDifference {
    guard let before = old.source.content.file, let now = source.content.file else {
      let both = old.isReadable ? "this file" : isReadable ? "the older file" : "neither file"
      return FileDifference(
        undecided: "\(both) \(both == "neither file" ? "can" : "cannot") be read; check() says why")
    }
    return FileDifference(FileComparison(before, now, host: host))
  }
}
