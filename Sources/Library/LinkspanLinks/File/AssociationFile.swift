internal import AppSiteAssociation
internal import AssociationCheck
internal import LinkspanCore

/// An `apple-app-site-association` file, as a device reads it.
///
///     let file = AssociationFile(text)
///     #expect(file.opens("https://example.com/shop/1", in: "ABCDE12345.com.example.app", on: .iOS(17)))
///     #expect(file.check().isEmpty)
///
/// Every file can be asked, a broken one too: a device drops it, so it opens nothing, and ``check()`` says why. Answers are
/// about the file: whether the app claims the host in its entitlements, and whether the device has fetched the file, they
/// leave out.
public struct AssociationFile: Sendable {
  let source: AssociationSource

  /// - Parameter bytes: The file as it is served: JSON, or JSON in a CMS signature, which is not verified.
  public init(_ bytes: some Sequence<UInt8>) {
    source = AssociationSource(SourceText(name: "apple-app-site-association", bytes: Array(bytes)))
  }

  /// - Parameter text: The file's JSON.
  public init(_ text: some StringProtocol) { self.init(text.utf8) }

  /// Whether a device can read the file at all: it has at most 128 KB, and its JSON is well-formed and an object.
  public var isReadable: Bool { source.content.file != nil }

  /// Whether the file sends a URL to an application.
  ///
  /// The URL is read as one in a page or a message: a device makes it what it holds, such as `%20` for a blank. Its host is
  /// the host that the file is for, so only the path, the query and the fragment are compared. One with another scheme than
  /// `https` or `http`, or with a port, is no universal link.
  ///
  /// - Parameters:
  ///   - url: A `String`, or another value whose description is the URL, such as an absolute `URL` of Foundation.
  ///   - application: The application identifier: prefix, dot and bundle identifier.
  ///   - release: The release that reads the file.
  /// - Returns: false also for a URL that takes too much work to decide; ``decision(for:in:on:)`` tells the two apart.
  public func opens(
    _ url: some CustomStringConvertible, in application: String, on release: OSRelease = .newest
  ) -> Bool {
    decision(for: url, in: application, on: release).verdict == .opens
  }

  /// What the file says of a URL for an application, with the rule that decides. See ``opens(_:in:on:)``.
  public func decision(
    for url: some CustomStringConvertible, in application: String, on release: OSRelease = .newest
  ) -> LinkDecision {
    reading(on: release).decision(for: url, in: application)
  }

  /// The file as one release reads it, for many URLs.
  public func reading(on release: OSRelease = .newest) -> FileReading {
    FileReading(source.content.file, release, isTooLarge: source.isTooLarge)
  }
}
