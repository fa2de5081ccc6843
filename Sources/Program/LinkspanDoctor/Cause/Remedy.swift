internal import AppSiteAssociation
internal import AssociatedDomains
internal import LinkspanCore

/// Lines to paste, for the causes that have some.
enum Remedy {
  /// A file that opens the app for every page below the link's first folder.
  static func file(app: String, link: LinkURL?) -> String {
    let head = #"{"applinks":{"details":[{"appIDs":[""# + quoted(app)
    return head + #""],"#
      + "\n" + #"  "components":[{"/":""# + quoted(pattern(for: link)) + #""}]}]}}"#
  }

  /// A rule for the link and its neighbours; without a link for every page.
  static func rule(for link: LinkURL?) -> RuleSettings {
    var rule = RuleSettings(path: pattern(for: link))
    rule.fragment = link.flatMap { route(in: $0) }
    return rule
  }

  /// The page that a web application keeps in the fragment, as a pattern for it and its neighbours.
  private static func route(in link: LinkURL) -> String? {
    let fragment = link.text(of: link.fragment)
    let path = fragment.drop { $0 != "/" }
    guard fragment.hasPrefix("/") || fragment.hasPrefix("!/"), let end = path.lastIndex(of: "/") else {
      return nil
    }
    return String(fragment.prefix { $0 != "/" }) + escaped(String(path[...end])) + "*"
  }

  private static func pattern(for link: LinkURL?) -> String {
    guard let link else { return "/*" }
    let path = link.text(of: link.path)
    let first = path.split(separator: "/").first.map(String.init)
    guard let first, path.split(separator: "/").count > 1 || path.hasSuffix("/") else {
      return path.isEmpty ? "/" : escaped(path)
    }
    return "/" + escaped(first) + "/*"
  }

  /// A path as a pattern that means just it: `*` and `?` of a link have no special meaning.
  private static func escaped(_ path: String) -> String {
    String(path.map { $0 == "*" ? "?" : $0 })
  }

  private static func quoted(_ text: String) -> String {
    String(JSON.string(text).text.dropFirst().dropLast())
  }

  /// The section of a file that lists an App Clip (J4).
  static func section(clip: String) -> String {
    #""appclips":{"apps":[""# + quoted(clip) + #""]}"#
  }

  static func entitlement(_ service: Service, host: String) -> String {
    """
    <key>com.apple.developer.associated-domains</key>
    <array><string>\(service.rawValue):\(host)</string></array>
    """
  }

  /// nginx, since most hosts run it; the sentence before names the aim for any other server.
  static let location = """
    location = /.well-known/apple-app-site-association {
      default_type application/json; root /var/www;
    }
    """
}
