internal import AppSiteAssociation
internal import AssociationDelivery
internal import LinkspanCore

/// A page that is served instead of the file, asked whether it wants a login: ours, what such pages have and others seldom.
struct LoginPage {
  /// In lower case, without quotation marks and without blanks around '='.
  private let text: String

  private static let limitBytes = 65_536

  /// Words of titles.
  private static let titles = [
    "log in", "login", "log-in", "log on", "logon", "sign in", "sign-in", "signin", "anmelden", "anmeldung",
    "einloggen", "connexion", "se connecter", "iniciar sesi", "inicia sesi", "accedi", "entrar", "inloggen",
    "logga in", "zaloguj", "войти", "вход", "ログイン", "サインイン", "登录", "登入", "로그인",
  ]

  init(_ page: [UInt8]) {
    let words = String(decoding: page.prefix(Self.limitBytes), as: UTF8.self).lowercased()
    text = words.filter { !"\"'".contains($0) }
      .split(separator: "=", omittingEmptySubsequences: false)
      .map { part in
        String(part.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
      }
      .joined(separator: "=")
  }

  /// Whether it has a field for a password, a title that says so, or leads on to a login.
  var isLogin: Bool {
    if text.contains("type=password") { return true }
    if let title = between("<title", "</title>"), Self.titles.contains(where: title.contains) { return true }
    let targets = [value(of: "action=", in: "<form"), value(of: "url=", in: "<meta http-equiv=refresh")]
    return targets.contains { $0.map { OriginCheck.isLogin(LinkURL($0)) } ?? false }
  }

  private func between(_ start: String, _ end: String) -> Substring? {
    guard let first = text.firstRange(of: start) else { return nil }
    let rest = text[first.upperBound...]
    return rest.firstRange(of: end).map { rest[..<$0.lowerBound] }
  }

  /// What an attribute of the first such tag says.
  private func value(of attribute: String, in tag: String) -> String? {
    guard let inside = between(tag, ">"), let start = inside.firstRange(of: attribute) else { return nil }
    return String(inside[start.upperBound...].prefix { !$0.isWhitespace })
  }
}
