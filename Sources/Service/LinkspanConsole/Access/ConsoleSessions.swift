internal import LinkspanCore
internal import LinkspanCrypto

/// Who is logged in, and the forms that were sent to them; in memory only, so a restart logs everybody out.
///
/// Times are of a clock that nobody sets: a change of the wall clock neither ends a session nor makes it last.
final class ConsoleSessions: Sendable {
  /// Without a request. Ours.
  static let idle = Duration.seconds(30 * 60)
  /// In all. Ours: a working day.
  static let whole = Duration.seconds(12 * 3_600)
  /// Ours; beyond it the oldest ends.
  static let sessionLimit = 1_000
  /// Pages of one session with forms that were not sent back yet. Ours; beyond it the oldest is void.
  static let formLimit = 200

  struct Session: Sendable {
    let user: String
    /// The user's password and when it was set: with another one the session is over. Both, since two may be set in one
    /// millisecond, by a clock that was set back as well.
    private let password: PasswordHash
    private let passwordSetAt: WallTime
    private let startedAt: Duration
    fileprivate(set) var seenAt: Duration
    /// Forms that may be sent back, each once.
    fileprivate var forms: [String] = []
    /// Those that came back, the latest last.
    fileprivate var taken: [String] = []

    fileprivate init(_ user: ConsoleUser, at uptime: Duration) {
      self.user = user.name
      password = user.password
      passwordSetAt = user.createdAt
      startedAt = uptime
      seenAt = uptime
    }

    /// Whether the user is still there, and with the same password.
    func isOf(_ users: [ConsoleUser]) -> Bool {
      users.contains { $0.name == user && $0.createdAt == passwordSetAt && $0.password == password }
    }

    fileprivate func isOver(_ uptime: Duration) -> Bool {
      uptime - seenAt >= idle || uptime - startedAt >= whole
    }
  }

  /// By the SHA-256 of the cookie, so that memory holds none.
  private let sessions = LockedState<[String: Session]>([:])

  /// - Parameter secret: The cookie's text, from the system's generator for secrets.
  func begin(_ user: ConsoleUser, secret: String, at uptime: Duration) {
    sessions.withLock { sessions in
      sessions = sessions.filter { !$0.value.isOver(uptime) }
      if sessions.count >= Self.sessionLimit,
        let oldest = sessions.min(by: { $0.value.seenAt < $1.value.seenAt })
      {
        sessions[oldest.key] = nil
      }
      sessions[Self.key(secret)] = Session(user, at: uptime)
    }
  }

  /// The session of a cookie; nil without one, and after its end.
  ///
  /// - Parameter isActive: Whether this counts as a request of the person.
  func session(_ secret: String, at uptime: Duration, isActive: Bool = true) -> Session? {
    let key = Self.key(secret)
    return sessions.withLock { sessions in
      guard var session = sessions[key] else { return nil }
      guard !session.isOver(uptime) else {
        sessions[key] = nil
        return nil
      }
      if isActive {
        session.seenAt = uptime
        sessions[key] = session
      }
      return session
    }
  }

  func end(_ secret: String) { sessions.withLock { $0[Self.key(secret)] = nil } }

  // MARK: - Forms

  /// Notes a form that is sent to a session.
  func add(form: String, to secret: String) {
    sessions.withLock { sessions in
      guard var session = sessions[Self.key(secret)] else { return }
      session.forms.append(form)
      if session.forms.count > Self.formLimit { session.forms.removeFirst() }
      sessions[Self.key(secret)] = session
    }
  }

  enum FormUse: Sendable {
    case first
    /// What the form asks for was answered before.
    case again
    /// Of another session, or too old to be known.
    case unknown
  }

  /// Whether a form was sent to the session and comes back for the first time.
  func take(form: String, of secret: String) -> FormUse {
    sessions.withLock { sessions in
      guard var session = sessions[Self.key(secret)] else { return .unknown }
      guard let place = session.forms.firstIndex(of: form) else {
        return session.taken.contains(form) ? .again : .unknown
      }
      session.taken.append(session.forms.remove(at: place))
      if session.taken.count > Self.formLimit { session.taken.removeFirst() }
      sessions[Self.key(secret)] = session
      return .first
    }
  }

  /// What stands for a cookie where the cookie itself must not be kept.
  static func key(_ secret: String) -> String { SHA256.hexDigest(of: Array(secret.utf8)) }
}
