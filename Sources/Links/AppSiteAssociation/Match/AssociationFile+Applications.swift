package import AssociatedDomains
internal import LinkspanCore

extension AssociationFile {
  /// The apps the file names for a service, in its order; for `applinks` those of every release.
  package func applications(for service: Service) -> [String] {
    service == .applinks ? AssociationMatcher(self).applicationsOfAnyRelease : apps[service] ?? []
  }

  /// Whether a release reads the app's name in an entry for links; nil stands for the newest behaviour.
  package func namesForLinks(_ app: String, on os: OSVersion?) -> Bool {
    AssociationMatcher.isRead(self, on: os)
      && (appLinks?.entries.contains { $0.applications(on: os).contains(exactly: app) } ?? false)
  }

  /// The apps it names for any service, each once.
  package var allApplications: [String] {
    var seen: Set<ExactText> = []
    return Service.allCases.flatMap { applications(for: $0) }.filter { seen.insert(ExactText($0)).inserted }
  }
}

extension [AssociatedDomain] {
  /// The apps that association files name where these entries claim their hosts, for the services they claim them
  /// for; those of all files when they claim none of the hosts.
  ///
  /// - Parameter files: By host; nil for a file whose host is not known.
  package func candidates(in files: [(host: String?, file: AssociationFile)]) -> [String] {
    let claimed = files.flatMap { host, file in
      filter { entry in host.map { entry.host.isExactly($0) } ?? false }.flatMap {
        file.applications(for: $0.service)
      }
    }
    return claimed.isEmpty ? files.flatMap { $0.file.allApplications } : claimed
  }
}
