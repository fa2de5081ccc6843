internal import AppBundle
internal import AppSiteAssociation
internal import AssociatedDomains
internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanFiles
internal import SiteInput

/// The apps that a person asks `match` about.
struct MatchApps {
  /// nil for every app of the file.
  let identifiers: [String]?
  /// What was assumed of an app's identifier, a sentence each without its full stop.
  private(set) var assumptions: [String] = []

  init(_ arguments: Arguments, file: AssociationFile) throws(LinkspanError) {
    let reader = try AppReader(arguments, only: [])
    let stated = reader.stated
    let named = arguments.all("--app")
    guard !named.isEmpty else {
      identifiers = try Self.fitting(stated, in: file)
      return
    }
    var identifiers: [String] = []
    var paths: [String] = []
    for text in named {
      if try FileReader.kind(of: text) != .missing {
        paths.append(text)
      } else {
        let identifier: ApplicationIdentifier
        do throws(ApplicationIdentifierProblem) {
          identifier = try AppReader.identifier(text, prefix: stated.prefix)
        } catch {
          guard file.applications(for: .applinks).contains(where: { $0.isExactly(text) }) else {
            throw AppReader.noApp(text, error, in: [file])
          }
          identifiers.append(text)
          continue
        }
        try reader.refuseContradiction(to: identifier)
        identifiers.append(identifier.description)
        if !file.applications(for: .applinks).contains(exactly: identifier.description),
          file.applications(for: .appclips).contains(exactly: identifier.description)
        {
          assumptions.append(
            "\(identifier) is an App Clip of the file, which no rule opens: 'linkspan clip url' says which URLs do (AC15)"
          )
        }
      }
    }
    let claimants = paths.isEmpty ? [] : try AppReader(arguments, only: paths).appsForLinks()
    for claims in claimants {
      let gap = claims.identityGap
      switch claims.partialIdentifier.resolved(among: claims.associatedDomains.candidates(in: [(nil, file)]))
      {
      case .known(let identifier): identifiers.append(identifier)
      case .assumed(let identifier):
        identifiers.append(identifier)
        assumptions.append(
          "\(claims.name) is assumed to be \(identifier), the only app in the file that matches: \(gap)")
      case .ambiguous(let fitting):
        identifiers += fitting
        assumptions.append("\(claims.name) matches several apps in the file; the answer covers each: \(gap)")
      case .unknown:
        throw LinkspanError(
          "the application identifier of \(claims.name) is not known: \(gap).",
          help: "Give it with '--team' and '--bundle-identifier'; the file names no app that matches.")
      }
    }
    self.identifiers = identifiers
  }

  /// The identifier that was stated, or the file's apps with the half that was.
  private static func fitting(_ stated: StatedIdentity, in file: AssociationFile) throws(LinkspanError)
    -> [String]?
  {
    if stated.isEmpty { return nil }
    let partial = PartialIdentifier(prefix: stated.prefix, bundle: stated.bundleIdentifier)
    if let complete = partial.complete { return [complete.description] }
    let all = file.applications(for: .applinks)
    let fitting = all.filter(partial.fits)
    guard fitting.isEmpty else { return fitting }
    let half = stated.prefix.map { "prefix '\($0)'" } ?? "bundle identifier '\(stated.bundleIdentifier!)'"
    throw LinkspanError(
      "the file names no app with the \(half).",
      help: all.isEmpty ? "It names none at all." : "It names \(all.prefix(5).joined(separator: ", ")).")
  }
}
