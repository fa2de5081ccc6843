internal import LinkspanCore
internal import LinkspanServer

/// Counts logins, and says when to wait.
///
/// Logins from browsers that are known count by themselves. So strangers who try a name as often as they like have other
/// strangers refused, and never the user's own browser.
final class LoginGate: Sendable {
  /// Ours: a person mistypes fewer, a program tries many more.
  static let limitByNetwork = 10
  /// From all networks together. Ours: higher, so that it takes a stranger more than ten guesses to have others refused.
  static let limitByName = 50
  /// Of a browser that is known. Ours, as for a network.
  static let limitByBrowser = 10
  static let window = Duration.seconds(15 * 60)
  /// Networks that are kept apart (``ClientNetwork``). Ours: 1.5 MB.
  private static let networks = 65_536
  /// Names that are kept apart. Ours: ``ConsoleUser/countLimit`` users, and names that strangers make up.
  private static let names = 16_384
  /// Browsers that are kept apart. Ours: each user has four.
  private static let browsers = 4_096

  /// Who tries to log in.
  enum Visitor: Hashable, Sendable {
    case stranger(SocketAddress?, name: String)
    /// A browser with a ``DeviceCookie`` or a session of the user.
    case known(browser: String)
  }

  /// A login that was counted.
  struct Try: Sendable {
    let visitor: Visitor
    /// How many tries of the network or browser are wrong, should this one be.
    var count: Int { standings[0].used }
    let limit: Int
    fileprivate let standings: [RequestLimiter.Standing]
  }

  enum Outcome: Sendable {
    /// The password may be checked.
    case allowed(Try)
    case wait(seconds: Int)
  }

  private struct Limiters {
    var networks: RequestLimiter
    var names: RequestLimiter
    var browsers: RequestLimiter
  }

  private let limiters: LockedState<Limiters>

  /// - Parameter secret: Random bytes of this process.
  init(secret: [UInt8]) {
    let limiter = { (limit, clients) in
      RequestLimiter(limit: limit, window: Self.window, clients: clients, secret: secret)
    }
    limiters = LockedState(
      Limiters(
        networks: limiter(Self.limitByNetwork, Self.networks), names: limiter(Self.limitByName, Self.names),
        browsers: limiter(Self.limitByBrowser, Self.browsers)))
  }

  /// How many seconds every stranger of an address has to wait; nil where they have tries left.
  func wait(of address: SocketAddress?, at uptime: Duration) -> Int? {
    let standing = limiters.withLock { $0.networks.standing(Self.network(address), at: uptime) }
    return standing.isAllowed ? nil : standing.seconds
  }

  /// Counts a login as wrong before its password is checked: of logins at the same time, no more than the limit are checked.
  func begin(_ visitor: Visitor, at uptime: Duration) -> Outcome {
    limiters.withLock { limiters in
      switch visitor {
      case .known(let browser):
        let standing = limiters.browsers.count(Array(browser.utf8), at: uptime)
        guard standing.isAllowed else { return .wait(seconds: standing.seconds) }
        return .allowed(Try(visitor: visitor, limit: Self.limitByBrowser, standings: [standing]))
      case .stranger(let address, let name):
        let (network, user) = Self.keys(address, name)
        // Counted in both or in neither.
        let refusals = [
          limiters.networks.standing(network, at: uptime), limiters.names.standing(user, at: uptime),
        ].filter { !$0.isAllowed }
        if let seconds = refusals.map(\.seconds).max() { return .wait(seconds: seconds) }
        let standings = [
          limiters.networks.count(network, at: uptime), limiters.names.count(user, at: uptime),
        ]
        return .allowed(Try(visitor: visitor, limit: Self.limitByNetwork, standings: standings))
      }
    }
  }

  /// Takes back what ``begin(_:at:)`` has counted, because the password was right or nobody has checked it.
  func takeBack(_ login: Try) {
    limiters.withLock { limiters in
      switch login.visitor {
      case .known(let browser): limiters.browsers.takeBack(Array(browser.utf8), login.standings[0])
      case .stranger(let address, let name):
        let (network, user) = Self.keys(address, name)
        limiters.networks.takeBack(network, login.standings[0])
        limiters.names.takeBack(user, login.standings[1])
      }
    }
  }

  /// Clients whose address nobody knows share a count, and so do names that no user can have.
  private static func keys(_ address: SocketAddress?, _ name: String) -> (network: [UInt8], user: [UInt8]) {
    let user = ConsoleUser.fault(ofName: name) == nil ? ASCII.lowercased(name) : ""
    return (network(address), Array(user.utf8))
  }

  private static func network(_ address: SocketAddress?) -> [UInt8] {
    address.map { ClientNetwork($0).octets } ?? []
  }
}
