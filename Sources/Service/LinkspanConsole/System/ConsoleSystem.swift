package import LinkspanCore
package import LinkspanServer

/// What the console knows of the program that it belongs to: functions, so that tests make their own.
///
/// They are called on threads of the server's pool and may wait.
package struct ConsoleSystem: Sendable {
  /// What is live, and what is refused.
  package var sites: @Sendable () -> ConsoleSites
  /// The publications of a host, newest first.
  package var publications: @Sendable (_ host: String) -> Result<[ConsolePublication], ConsoleFailure>
  /// Puts a publication of a host back; gives a sentence about what was done.
  package var rollBack: @Sendable (_ host: String, _ number: Int) -> Result<String, ConsoleFailure>
  /// What Apple's CDN answers for a host.
  package var copy: @Sendable (_ host: String) -> Result<ConsoleCopy, ConsoleFailure>
  /// The page of metrics, in the text format of Prometheus.
  package var metrics: @Sendable () -> [UInt8]
  /// The users, as they are stored now.
  package var users: @Sendable () -> Result<[ConsoleUser], ConsoleFailure>
  /// The registry's API; nil without a registry.
  package var registry: @Sendable () -> RegistryAPI?
  package var now: @Sendable () -> WallTime
  /// Time since the program began, of a clock that nobody sets.
  package var uptime: @Sendable () -> Duration
  /// Bytes from the system's generator for secrets; nil where it fails.
  package var random: @Sendable (_ count: Int) -> [UInt8]?
  /// Takes a line for the operator's log.
  package var log: @Sendable (String) -> Void
  package var version: String

  package init(
    sites: @escaping @Sendable () -> ConsoleSites,
    publications: @escaping @Sendable (String) -> Result<[ConsolePublication], ConsoleFailure>,
    rollBack: @escaping @Sendable (String, Int) -> Result<String, ConsoleFailure>,
    copy: @escaping @Sendable (String) -> Result<ConsoleCopy, ConsoleFailure>,
    metrics: @escaping @Sendable () -> [UInt8],
    users: @escaping @Sendable () -> Result<[ConsoleUser], ConsoleFailure>,
    registry: @escaping @Sendable () -> RegistryAPI?, now: @escaping @Sendable () -> WallTime,
    uptime: @escaping @Sendable () -> Duration, random: @escaping @Sendable (Int) -> [UInt8]?,
    log: @escaping @Sendable (String) -> Void, version: String
  ) {
    self.sites = sites
    self.publications = publications
    self.rollBack = rollBack
    self.copy = copy
    self.metrics = metrics
    self.users = users
    self.registry = registry
    self.now = now
    self.uptime = uptime
    self.random = random
    self.log = log
    self.version = version
  }
}

/// Every host, as it is now.
package struct ConsoleSites: Sendable {
  /// In the order of the server.
  package var live: [AssociationSite]
  package var refused: [Readiness.Refused]
  /// Why nothing could be read the last time; nil when it could.
  package var problem: String?

  package init(live: [AssociationSite] = [], refused: [Readiness.Refused] = [], problem: String? = nil) {
    self.live = live
    self.refused = refused
    self.problem = problem
  }
}

/// One publication of a host.
package struct ConsolePublication: Sendable {
  package var number: Int
  package var publishedAt: WallTime
  package var associationFile: [UInt8]?
  /// The publication that a rollback went back to.
  package var rolledBackTo: Int?

  package init(number: Int, publishedAt: WallTime, associationFile: [UInt8]?, rolledBackTo: Int? = nil) {
    self.number = number
    self.publishedAt = publishedAt
    self.associationFile = associationFile
    self.rolledBackTo = rolledBackTo
  }
}

/// What Apple's CDN has for a host.
package struct ConsoleCopy: Sendable {
  package var url: String
  /// What it answered, in sentences.
  package var words: String
  /// The file, where it has one.
  package var file: [UInt8]?

  /// Whether the CDN did not answer, or failed itself.
  package var isUnknown: Bool

  package init(url: String, words: String, file: [UInt8]?, isUnknown: Bool = false) {
    self.isUnknown = isUnknown
    self.url = url
    self.words = words
    self.file = file
  }
}

/// Why something could not be done, in words for the person at the console.
package struct ConsoleFailure: Error, Sendable {
  package var message: String

  package init(_ message: String) { self.message = message }
}
