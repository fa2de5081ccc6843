internal import AppBundle
internal import AppSiteAssociation
internal import LinkspanDaemon
internal import LinkspanSimulator

extension StoryReader {
  /// Reads what a story names from the folder the story lies in.
  static func files(beside story: String) -> StoryReader {
    let folder = story.lastIndex(of: "/").map { String(story[...$0]) } ?? ""
    @Sendable func resolved(_ path: String) -> String { path.hasPrefix("/") ? path : folder + path }
    return StoryReader(
      file: { path throws(StoryReaderError) in
        let path = resolved(path)
        do throws(DaemonError) {
          guard try FileReader.kind(of: path) == .file else { return nil }
          return try FileReader.bytes(path)
        } catch {
          throw StoryReaderError(error.message)
        }
      },
      claims: { paths, stated throws(StoryReaderError) in
        let paths = paths.map(resolved)
        do throws(DaemonError) {
          for path in paths where try FileReader.kind(of: path) == .missing {
            if paths.count == 1 { return nil }
            throw DaemonError("there is no '\(path)'")
          }
          guard let claims = try AppReader.claims(of: paths, stated: stated) else { return nil }
          return Claims(
            identifier: claims.partialIdentifier, identityGap: claims.identityGap,
            domains: claims.entitlements?.associatedDomains?.map(\.text) ?? [],
            isBrowser: claims.entitlements?.isBrowser ?? false)
        } catch {
          throw StoryReaderError(error.message)
        }
      })
  }
}
