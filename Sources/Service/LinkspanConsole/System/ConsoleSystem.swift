package import LinkspanCore
package import LinkspanServer
package import RegistryServer

/// What the console knows of the program that it belongs to: functions, so that tests make their own.
///
/// They are called on threads of the server's pool and may wait.
package struct ConsoleSystem: Sendable {
  /// What is live, and what is refused.
  package var sites: @Sendable () -> ConsoleSites
  /// The publications and drafts of a host.
  package var history: @Sendable (_ host: String) -> Result<ConsoleHistory, ConsoleFailure>
  /// Does what a person wants, and returns when it is served, with a sentence about what was done.
  package var order: @Sendable (_ order: PublicationOrder, _ actor: String) -> Result<String, ConsoleFailure>
  /// What somebody should look at beside the hosts.
  package var notices: @Sendable () -> [ConsoleNotice]
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
    history: @escaping @Sendable (String) -> Result<ConsoleHistory, ConsoleFailure>,
    order: @escaping @Sendable (PublicationOrder, String) -> Result<String, ConsoleFailure>,
    notices: @escaping @Sendable () -> [ConsoleNotice],
    copy: @escaping @Sendable (String) -> Result<ConsoleCopy, ConsoleFailure>,
    metrics: @escaping @Sendable () -> [UInt8],
    users: @escaping @Sendable () -> Result<[ConsoleUser], ConsoleFailure>,
    registry: @escaping @Sendable () -> RegistryAPI?, now: @escaping @Sendable () -> WallTime,
    uptime: @escaping @Sendable () -> Duration, random: @escaping @Sendable (Int) -> [UInt8]?,
    log: @escaping @Sendable (String) -> Void, version: String
  ) {
    self.sites = sites
    self.history = history
    self.order = order
    self.notices = notices
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
  package var hosts: [HostReport] { didSet { survey() } }
  /// Those that need somebody, in the order of the server. Found once, since every page of ten thousand hosts asks.
  private(set) var waiting: [HostReport] = []
  /// How many hosts there are in each state, those that need somebody first.
  private(set) var counts: [(state: HostReport.State, count: Int)] = []
  /// Why nothing could be read the last time; nil when it could.
  package var problem: String?

  package init(hosts: [HostReport] = [], problem: String? = nil) {
    self.hosts = hosts
    self.problem = problem
    survey()
  }

  private mutating func survey() {
    var found: [HostReport.State: Int] = [:]
    waiting = []
    for index in hosts.indices {
      found[hosts[index].state, default: 0] += 1
      if hosts[index].needsAttention { waiting.append(hosts[index]) }
    }
    counts = HostReport.State.allCases.compactMap { state in found[state].map { (state, $0) } }
  }

  /// What is served, in the order of the server.
  package var live: [AssociationSite] { hosts.compactMap(\.site) }
}

/// Something that a person should look at, beside the hosts.
package struct ConsoleNotice: Sendable {
  package var text: String
  /// The page of the console that says more.
  package var link: String

  package init(_ text: String, link: String = "/health") {
    self.text = text
    self.link = link
  }
}

/// What a host published, and what it did not.
package struct ConsoleHistory: Sendable {
  /// Newest first.
  package var publications: [ConsolePublication]
  /// Files that were refused or held back; newest first.
  package var drafts: [ConsoleDraft]
  /// Why no order about the host can be carried out; nil when it can.
  package var obstacle: String?

  package init(_ publications: [ConsolePublication], drafts: [ConsoleDraft] = [], obstacle: String? = nil) {
    self.publications = publications
    self.drafts = drafts
    self.obstacle = obstacle
  }
}

/// Files of a host that were not served.
package struct ConsoleDraft: Sendable {
  package var number: Int
  package var keptAt: WallTime
  package var site: AssociationSite
  /// Who sent it over the API; nil for files of the folder.
  package var author: String?

  package init(number: Int, keptAt: WallTime, site: AssociationSite, author: String?) {
    self.number = number
    self.keptAt = keptAt
    self.site = site
    self.author = author
  }
}

/// One publication of a host.
package struct ConsolePublication: Sendable {
  package var number: Int
  package var publishedAt: WallTime
  package var site: AssociationSite
  /// The publication that a rollback went back to.
  package var rolledBackTo: Int?
  /// Who published it over the API; nil for files of the folder and for a rollback.
  package var author: String?

  package var associationFile: [UInt8]? { site.associationFile }

  package init(
    number: Int, publishedAt: WallTime, site: AssociationSite, rolledBackTo: Int? = nil, author: String? = nil
  ) {
    self.author = author
    self.number = number
    self.publishedAt = publishedAt
    self.site = site
    self.rolledBackTo = rolledBackTo
  }
}

/// What Apple's CDN has for a host.
package struct ConsoleCopy: Sendable {
  /// What was asked: Apple's CDN, or a stand-in for it.
  package var name: String
  package var url: String
  /// What it answered, in sentences.
  package var words: String
  /// The file, where it has one.
  package var file: [UInt8]?

  /// Whether the CDN did not answer, or failed itself.
  package var isUnknown: Bool

  package init(name: String, url: String, words: String, file: [UInt8]?, isUnknown: Bool = false) {
    self.name = name
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
