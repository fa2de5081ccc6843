internal import LinkspanCore
internal import LinkspanCrypto

/// What a browser keeps of a login: it shows that the user has logged in with this browser, and lets nobody in.
///
/// Its key is the user's stored password hash, with a salt that nobody else knows. So it outlives a restart without being
/// stored, and is void as soon as the user has another password or is removed.
struct DeviceCookie: Hashable, Sendable {
  /// Ours: somebody who logs in once a month stays known.
  static let lifetime = Duration.seconds(30 * 86_400)
  static let numberBytes = 16

  /// One for each login, in hexadecimal digits.
  let number: String
  private let user: String
  private let issuedAt: WallTime

  /// - Parameter number: ``numberBytes`` random bytes in hexadecimal digits.
  init(_ user: ConsoleUser, number: String, at now: WallTime) {
    self.number = number
    self.user = user.name
    issuedAt = now
  }

  /// Reads what ``text(for:)`` wrote.
  ///
  /// - Returns: nil for a cookie of somebody else or of another password, and after ``lifetime``.
  init?(_ text: String, of user: ConsoleUser, at now: WallTime) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let issued = Int64(parts[0]) else { return nil }
    number = String(parts[1])
    self.user = user.name
    issuedAt = WallTime(milliseconds: issued)
    guard HMAC.proves(parts[2], message, key: Self.key(user)),
      now < issuedAt.advanced(by: Self.lifetime)
    else { return nil }
  }

  func text(for user: ConsoleUser) -> String {
    "\(issuedAt.milliseconds).\(number)." + ASCII.hexText(HMAC.digest(of: message, key: Self.key(user)))
  }

  /// A part of the cookie's name, so that a browser can be known for several users.
  static func label(_ user: String) -> String {
    ASCII.hexText(Array(SHA256.digest(of: Array(user.utf8)).prefix(8)))
  }

  private var message: [UInt8] { Array("device\n\(issuedAt.milliseconds)\n\(number)\n\(user)".utf8) }

  private static func key(_ user: ConsoleUser) -> [UInt8] { Array(user.password.text.utf8) }
}
