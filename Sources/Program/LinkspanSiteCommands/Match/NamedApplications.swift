internal import AppSiteAssociation
internal import AssociatedDomains
internal import LinkspanCommand
internal import LinkspanCore

/// Application identifiers that a person names for files to be compared.
enum NamedApplications {
  /// - Throws: The first identifier that none of the files names: of such an app there is nothing to say.
  static func refuseUnknown(_ apps: [String], in files: [AssociationFile]) throws(LinkspanError) {
    let known = files.flatMap { file in
      Service.allCases.flatMap { file.applications(for: $0) }
    }
    guard let unknown = apps.first(where: { !known.contains($0) }) else { return }
    let near = Arguments.nearest(to: unknown, among: known)
    throw LinkspanError(
      "\(files.count > 1 ? "neither file names" : "the file does not name") '\(unknown)'.",
      help: near.map { "Did you mean '\($0)'?" }
        ?? (known.isEmpty
          ? "It names no app." : "It names \(Set(known).sorted().prefix(5).joined(separator: ", "))."))
  }
}
