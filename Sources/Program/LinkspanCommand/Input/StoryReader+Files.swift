internal import AppBundle
internal import AppSiteAssociation
internal import LinkspanCore
internal import LinkspanFiles
internal import LinkspanSimulator
package import LinkspanStories
internal import SiteInput

extension StoryReader {
  /// Reads what a story names from the folder the story lies in.
  package static func files(beside story: String) -> StoryReader {
    let folder = story.lastIndex(of: "/").map { String(story[...$0]) } ?? ""
    @Sendable func resolved(_ path: String) -> String { path.hasPrefix("/") ? path : folder + path }
    return StoryReader(
      file: { path throws(StoryReaderError) in
        let path = resolved(path)
        do throws(LinkspanError) {
          switch try FileReader.kind(of: path) {
          case .missing: return nil
          case .file: return try FileReader.bytes(path)
          case .folder: throw LinkspanError("it is a folder; expected a file")
          case .special: throw LinkspanError("it is a device or a pipe; expected a file")
          }
        } catch {
          throw StoryReaderError(error, of: [path])
        }
      },
      claims: { paths, stated throws(StoryReaderError) in
        let paths = paths.map(resolved)
        do throws(LinkspanError) {
          for path in paths where try FileReader.kind(of: path) == .missing {
            if paths.count == 1 { return nil }
            throw LinkspanError("there is no '\(path)'")
          }
          let all = try AppReader.claims(of: paths, stated: stated)
          guard let app = all.first else { return nil }
          var claims = Claims(app)
          claims.clips = all.dropFirst().map { Claims($0) }
          return claims
        } catch {
          throw StoryReaderError(error, of: paths)
        }
      })
  }
}

extension StoryReaderError {
  /// The error as a clause: the sentence around it names the paths and ends with a full stop.
  fileprivate init(_ error: LinkspanError, of paths: [String]) {
    guard let place = error.place, paths == [place] else {
      let message = error.message
      self.init(message.hasSuffix(".") ? String(message.dropLast()) : message)
      return
    }
    let isUnreadable = error.what == "cannot be read" && error.reason != nil
    let what = isUnreadable ? nil : "it \(error.what)"
    self.init([what, error.reason].compactMap(\.self).joined(separator: ": "))
  }
}

extension StoryReader.Claims {
  fileprivate init(_ claims: AppClaims) {
    self.init(
      identifier: claims.partialIdentifier, identityGap: claims.identityGap,
      domains: claims.entitlements?.associatedDomains?.map(\.text) ?? [],
      isBrowser: claims.entitlements?.isBrowser ?? false,
      apsEnvironment: claims.entitlements?.apsEnvironment?.value,
      backgroundModes: claims.infoPlist?.backgroundModes ?? [])
    groups = claims.entitlements?.applicationGroups ?? []
  }
}
