package import AssociatedDomains

/// Fetches what a story names, so that the simulator itself never touches a file.
///
/// Paths are as written in the story; whoever makes the reader resolves them against the story's folder and
/// refuses those that lead out of where it may look.
package struct StoryReader: Sendable {
  /// What an app claims, read from its files.
  package struct Claims: Hashable, Sendable {
    /// What the files, and the story, say of its application identifier.
    package var identifier: PartialIdentifier
    /// Why the identifier isn't known, in one sentence; empty when it is.
    package var identityGap: String
    /// The strings of `com.apple.developer.associated-domains`.
    package var domains: [String]
    /// It holds `com.apple.developer.web-browser` (E22).
    package var isBrowser: Bool
    /// The entitlement `aps-environment`; nil without it.
    package var apsEnvironment: String?
    /// The strings of `UIBackgroundModes`.
    package var backgroundModes: [String]
    /// The strings of `com.apple.security.application-groups`.
    package var groups: [String] = []
    /// Of a bundle: what the clips in it claim.
    package var clips: [Claims] = []

    package init(
      identifier: PartialIdentifier, identityGap: String = "", domains: [String], isBrowser: Bool = false,
      apsEnvironment: String? = nil, backgroundModes: [String] = []
    ) {
      self.identifier = identifier
      self.identityGap = identityGap
      self.domains = domains
      self.isBrowser = isBrowser
      self.apsEnvironment = apsEnvironment
      self.backgroundModes = backgroundModes
    }
  }

  /// The bytes of a file; nil when there is none.
  package var file: @Sendable (_ path: String) throws(StoryReaderError) -> [UInt8]?
  /// What the files of one app say, together with what the story states; nil when the only one is not there.
  package var claims:
    @Sendable (_ paths: [String], _ stated: StatedIdentity) throws(StoryReaderError) -> Claims?

  package init(
    file: @escaping @Sendable (_ path: String) throws(StoryReaderError) -> [UInt8]?,
    claims:
      @escaping @Sendable (_ paths: [String], _ stated: StatedIdentity) throws(StoryReaderError) ->
      Claims?
  ) {
    self.file = file
    self.claims = claims
  }

  /// For stories that name no file.
  package static let none = StoryReader(
    file: { _ throws(StoryReaderError) in nil }, claims: { _, _ throws(StoryReaderError) in nil })
}

/// Why a file that is there could not be read.
package struct StoryReaderError: Error, Hashable, Sendable {
  /// A clause that goes on after "'path' cannot be read: ".
  package var reason: String

  package init(_ reason: String) { self.reason = reason }
}
