package import AppSiteAssociation
package import LinkspanCore

extension Flag {
  /// The releases that an answer is about.
  ///
  /// - Parameter standard: What counts without it, in parentheses.
  package static func releases(_ help: String, standard: String) -> Flag {
    Flag("--os", "RELEASES", repeats: true, "\(help): ios:17.4, ios:15..26, or a list (\(standard))")
  }
}

extension Arguments {
  /// The releases that `--os` names; nil without the flag.
  package func releases() throws(LinkspanError) -> ReleaseSet? {
    let texts = all("--os")
    guard !texts.isEmpty else { return nil }
    do throws(OSVersionError) {
      return try ReleaseSet(texts)
    } catch {
      throw LinkspanError("\(error)")
    }
  }
}
