internal import LinkspanCore

/// Who is logged in, and the forms that were sent to them; in memory only, so a restart logs everybody out.
final class ConsoleSessions: Sendable {
  /// Without a request. Ours.
  static let idleMilliseconds: Int64 = 30 * 60_000
  /// In all. Ours: a working day.
  static let wholeMilliseconds: Int64 = 12 * 3_600_000
  /// Ours; beyond it the oldest ends.
  static let sessionLimit = 1_000
  /// Pages of one session with forms that were not sent back yet. Ours; beyond it the oldest is void.
  static let formLimit = 200
  /// Login forms that were not sent back yet. Ours, as above.
  private static let loginLimit = 5_000

  struct Session: Sendable {
    let user: String
    /// When the user's password was set: with another one the session is over.
    private let passwordSetAt: WallTime
    let startedAt: WallTime
    fileprivate(set) var seenAt: WallTime
    /// Forms that may be sent back, each once.
    fileprivate var forms: [String] = []

    fileprivate init(_ user: ConsoleUser, at now: WallTime) {
      self.user = user.name
      passwordSetAt = user.createdAt
      startedAt = now
      seenAt = now
    }

    /// Whether the user is still there, and with the same password.
    func isOf(_ users: [ConsoleUser]) -> Bool {
      users.contains { $0.name == user && $0.createdAt == passwordSetAt }
    }

    fileprivate func isOver(_ now: WallTime) -> Bool {
      !(0..<idleMilliseconds).contains(now.milliseconds - seenAt.milliseconds)
        || !(0..<wholeMilliseconds).contains(now.milliseconds - startedAt.milliseconds)
    }
  }

  private struct State {
    /// By the SHA-256 of the cookie, so that memory holds none.
    var sessions: [String: Session] = [:]
    var loginForms: [String] = []
  }

  private let state = LockedState(State())

  /// - Parameter secret: The cookie's text, from the system's generator for secrets.
  func begin(_ user: ConsoleUser, secret: String, at now: WallTime) {
    state.withLock { state in
      state.sessions = state.sessions.filter { !$0.value.isOver(now) }
      if state.sessions.count >= Self.sessionLimit,
        let oldest = state.sessions.min(by: { $0.value.seenAt < $1.value.seenAt })
      {
        state.sessions[oldest.key] = nil
      }
      state.sessions[Self.key(secret)] = Session(user, at: now)
    }
  }

  /// The session of a cookie; nil without one, and after its end.
  ///
  /// - Parameter isActive: Whether this counts as a request of the person.
  func session(_ secret: String, at now: WallTime, isActive: Bool = true) -> Session? {
    state.withLock { state in
      let key = Self.key(secret)
      guard var session = state.sessions[key] else { return nil }
      guard !session.isOver(now) else {
        state.sessions[key] = nil
        return nil
      }
      if isActive {
        session.seenAt = now
        state.sessions[key] = session
      }
      return session
    }
  }

  func end(_ secret: String) { state.withLock { $0.sessions[Self.key(secret)] = nil } }

  // MARK: - Forms

  /// Notes a form that is sent to a session.
  func add(form: String, to secret: String) {
    state.withLock { state in
      guard var session = state.sessions[Self.key(secret)] else { return }
      session.forms.append(form)
      if session.forms.count > Self.formLimit { session.forms.removeFirst() }
      state.sessions[Self.key(secret)] = session
    }
  }

  /// Whether a form was sent to the session and comes back for the first time.
  func take(form: String, of secret: String) -> Bool {
    state.withLock { state in
      guard var session = state.sessions[Self.key(secret)],
        let place = session.forms.firstIndex(of: form)
      else { return false }
      session.forms.remove(at: place)
      state.sessions[Self.key(secret)] = session
      return true
    }
  }

  func add(loginForm: String) {
    state.withLock { state in
      state.loginForms.append(loginForm)
      if state.loginForms.count > Self.loginLimit { state.loginForms.removeFirst() }
    }
  }

  func take(loginForm: String) -> Bool {
    state.withLock { state in
      guard let place = state.loginForms.firstIndex(of: loginForm) else { return false }
      state.loginForms.remove(at: place)
      return true
    }
  }

  private static func key(_ secret: String) -> String { SHA256.hexDigest(of: Array(secret.utf8)) }
}
