internal import AppBundle
internal import AppSiteAssociation
internal import LinkspanSimulator

extension StoryReader {
  /// Reads what a story names from the folder the story lies in.
  static func files(beside story: String) -> StoryReader {
    let folder = story.lastIndex(of: "/").map { String(story[...$0]) } ?? ""
    @Sendable func resolved(_ path: String) -> String { path.hasPrefix("/") ? path : folder + path }
    return StoryReader(
      file: { path throws(StoryReaderError) in
        let path = resolved(path)
        do throws(CommandError) {
          guard try FileReader.kind(of: path) == .file else { return nil }
          return try FileReader.bytes(path)
        } catch {
          throw StoryReaderError(error.message)
        }
      },
      claims: { path throws(StoryReaderError) in
        let path = resolved(path)
        do throws(CommandError) {
          guard try FileReader.kind(of: path) == .file else { return nil }
          guard let claims = try AppReader.read([path]).first else { return nil }
          return Claims(
            identifier: claims.applicationIdentifier()?.description,
            domains: claims.entitlements?.associatedDomains?.map(\.text) ?? [],
            isBrowser: claims.entitlements?.isBrowser ?? false)
        } catch {
          throw StoryReaderError(error.message)
        }
      })
  }
}
