internal import SimulatedStores

/// One thing that happens to the service.
enum ServiceStep: Hashable, Sendable {
  /// How Apple's servers behave from now on.
  enum Mood: String, Hashable, Sendable, CaseIterable {
    case healthy
    /// Each answer takes seconds.
    case slow
    /// 503, with a Retry-After every other time.
    case failing
    /// 429 for the token, with a Retry-After every other time.
    case tooMany = "too-many"
    /// Connections end in the middle of requests; of some only the answer is lost.
    case cutting
    /// No answer at all.
    case silent
    /// 403 for the key.
    case refusingKey = "refusing-key"
    /// 400 for two of three pushes: something is wrong with what is sent.
    case rejecting

    /// Those that are drawn one by one.
    static let usual = allCases.filter { $0 != .rejecting }
  }

  /// How the disk behaves from now on.
  enum Disk: String, Hashable, Sendable, CaseIterable {
    case healthy, full
    case failingWrites = "failing-writes"
    case failingSyncs = "failing-syncs"
    case failingReads = "failing-reads"
  }

  typealias Database = VirtualPostgres.State

  /// What an operator wants of a host.
  enum Order: String, Hashable, Sendable, CaseIterable {
    case rollback, pin, release, remove
  }

  case register(device: Int, person: Int)
  case delete(device: Int)
  case look(device: Int)
  /// Somebody comes with a credential that is none.
  case intrude
  /// A client asks for something in a wrong way, one of ``ClientMistake/all``.
  case mistake(number: Int, credential: Int)
  /// Reads something that the API lists.
  case survey(credential: Int)
  /// An operator imports devices of a person from another service.
  case importing(person: Int)
  /// Looks at devices, many within a moment.
  case burst(credential: Int, count: Int)
  case erase(person: Int)
  /// - Parameter key: An `Idempotency-Key`, which several requests may share.
  case notify(person: Int, credential: Int, key: Int?)
  case campaign(credential: Int)
  /// A push by a route of 2013.
  case message(credential: Int)
  case pause, resume, cancel
  /// Something about a broadcast channel or a Live Activity.
  case channel(ChannelAsk.Act, credential: Int, key: Int?)
  /// A server writes the days of the journal that are over to files.
  case export
  /// The server removes journals whose time is over.
  case prune
  /// The app is removed from a phone, which APNs learns at once.
  case uninstall(device: Int)
  case wait(milliseconds: Int64)
  /// The wall clock is set; backwards for a negative number.
  case clock(milliseconds: Int64)
  /// `kill -9`.
  case kill
  case powerCut
  /// A server stops as it is told to, and starts again.
  case restart
  case apns(Mood)
  case disk(Disk)
  case database(Database)
  /// The database server ends every connection and goes on.
  case restartDatabase

  /// Files of a host are put into its folder. Every fourth version is damaged.
  case deploy(host: Int, version: Int)
  /// The folder of a host is removed.
  case undeploy(host: Int)
  /// The server reads the folders again.
  case read
  /// A device or a CDN asks for a host's file.
  case fetch(host: Int)
  /// A monitor reads the pages for operators.
  case scrape
  /// A client of the API sends files of a host.
  case upload(host: Int, version: Int)
  case order(Order, host: Int)
  /// An operator writes another configuration file. Every fourth version has a mistake.
  case configure(version: Int)
  /// A server reads its configuration and its folders again.
  case reload

  /// Somebody logs in to the console of the first server.
  case login(browser: Int, user: Int)
  /// Somebody tries wrong passwords.
  case guess(browser: Int, user: Int, count: Int)
  case page(browser: Int)
  /// Deletes a device by a form of the console, which is sent twice.
  case form(browser: Int, device: Int)
  case logout(browser: Int)
  /// An operator gives a user another password.
  case password(user: Int)

  /// The name and the values, in the order of a story's file.
  var members: [(String, Value)] {
    switch self {
    case .register(let device, let person):
      [("do", "register"), ("device", .int(device)), ("person", .int(person))]
    case .delete(let device): [("do", "delete"), ("device", .int(device))]
    case .look(let device): [("do", "look"), ("device", .int(device))]
    case .intrude: [("do", "intrude")]
    case .mistake(let number, let credential):
      [("do", "mistake"), ("number", .int(number)), ("credential", .int(credential))]
    case .survey(let credential): [("do", "survey"), ("credential", .int(credential))]
    case .burst(let credential, let count):
      [("do", "burst"), ("credential", .int(credential)), ("count", .int(count))]
    case .erase(let person): [("do", "erase"), ("person", .int(person))]
    case .notify(let person, let credential, let key):
      [("do", "notify"), ("person", .int(person)), ("credential", .int(credential))]
        + (key.map { [("key", .int($0))] } ?? [])
    case .campaign(let credential): [("do", "campaign"), ("credential", .int(credential))]
    case .message(let credential): [("do", "message"), ("credential", .int(credential))]
    case .importing(let person): [("do", "import"), ("person", .int(person))]
    case .pause: [("do", "pause")]
    case .resume: [("do", "resume")]
    case .cancel: [("do", "cancel")]
    case .channel(let act, let credential, let key):
      [("do", "channel"), ("act", .text(act.rawValue)), ("credential", .int(credential))]
        + (key.map { [("key", .int($0))] } ?? [])
    case .export: [("do", "export")]
    case .prune: [("do", "prune")]
    case .uninstall(let device): [("do", "uninstall"), ("device", .int(device))]
    case .wait(let milliseconds): [("do", "wait"), ("ms", .int(Int(milliseconds)))]
    case .clock(let milliseconds): [("do", "clock"), ("ms", .int(Int(milliseconds)))]
    case .kill: [("do", "kill")]
    case .powerCut: [("do", "power-cut")]
    case .restart: [("do", "restart")]
    case .apns(let mood): [("do", "apns"), ("mood", .text(mood.rawValue))]
    case .disk(let disk): [("do", "disk"), ("state", .text(disk.rawValue))]
    case .database(let database): [("do", "database"), ("state", .text(database.rawValue))]
    case .restartDatabase: [("do", "database-restart")]
    case .deploy(let host, let version): Self.files("deploy", host, version)
    case .undeploy(let host): [("do", "undeploy"), ("host", .int(host))]
    case .read: [("do", "read")]
    case .fetch(let host): [("do", "fetch"), ("host", .int(host))]
    case .scrape: [("do", "scrape")]
    case .upload(let host, let version): Self.files("upload", host, version)
    case .order(let order, let host): [("do", .text(order.rawValue)), ("host", .int(host))]
    case .configure(let version): [("do", "configure"), ("version", .int(version))]
    case .reload: [("do", "reload")]
    case .login(let browser, let user):
      [("do", "login"), ("browser", .int(browser)), ("user", .int(user))]
    case .guess(let browser, let user, let count):
      [("do", "guess"), ("browser", .int(browser)), ("user", .int(user)), ("count", .int(count))]
    case .page(let browser): [("do", "page"), ("browser", .int(browser))]
    case .form(let browser, let device):
      [("do", "form"), ("browser", .int(browser)), ("device", .int(device))]
    case .logout(let browser): [("do", "logout"), ("browser", .int(browser))]
    case .password(let user): [("do", "password"), ("user", .int(user))]
    }
  }

  private static func files(_ name: String, _ host: Int, _ version: Int) -> [(String, Value)] {
    [("do", .text(name)), ("host", .int(host)), ("version", .int(version))]
  }

  /// What it is called in a story's file.
  var name: String { if case .text(let name)? = members.first?.1 { name } else { "" } }

  /// Every name, for what a swarm never did.
  static let names: [String] =
    [
      "register", "delete", "look", "intrude", "mistake", "burst", "erase", "notify", "campaign", "message",
      "import",
      "pause", "resume",
      "cancel", "channel", "export", "prune", "uninstall", "wait", "clock", "kill", "power-cut", "restart",
      "apns",
      "disk",
      "database", "database-restart",
      "deploy", "undeploy", "read", "fetch", "scrape", "upload", "login", "guess", "page", "form", "logout",
      "password", "configure", "reload",
    ] + Order.allCases.map(\.rawValue)

  enum Value: Hashable, Sendable, ExpressibleByStringLiteral {
    case int(Int)
    case text(String)

    init(stringLiteral text: String) { self = .text(text) }
  }

  /// Whether it disturbs the service rather than asks something of it.
  var isFault: Bool {
    switch self {
    case .kill, .powerCut, .clock, .restartDatabase: true
    case .apns(let mood): mood != .healthy
    case .disk(let disk): disk != .healthy
    case .database(let database): database != .healthy
    default: false
    }
  }
}
