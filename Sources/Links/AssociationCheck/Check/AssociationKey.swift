internal import AssociatedDomains

/// A key that means something at one place of an association file: what the checker knows there, an editor offers and a
/// schema allows.
package struct AssociationKey: Sendable {
  /// What its value is.
  package enum Value: Sendable {
    case applications, application, entries, variables, paths, components, defaults, service, appLinks
    case pattern, query, flag, remark
  }

  package let name: String
  package let value: Value
  /// What it does, in a sentence or two.
  package let summary: String
  /// Rules of the specification that say so.
  package let sources: [String]

  private init(_ name: String, _ value: Value, _ summary: String, _ sources: String...) {
    self.name = name
    self.value = value
    self.summary = summary
    self.sources = sources
  }

  /// Words that stand for a key, in lower case, without hyphens, underscores and blanks.
  package static let synonyms = [
    "path": "/", "query": "?", "fragment": "#", "hash": "#", "not": "exclude", "excluded": "exclude",
    "excludes": "exclude", "comments": "comment", "appidds": "appIDs", "bundleid": "appID",
    "variables": "substitutionVariables",
  ]

  /// The top level.
  package static let services = [
    AssociationKey(
      Service.applinks.rawValue, .appLinks, "Universal links: which URLs of the site open which app.", "J1",
      "J2"),
    AssociationKey(
      Service.webcredentials.rawValue, .service, "Apps that share passwords and passkeys with the site.",
      "J2",
      "J3"),
    AssociationKey(
      Service.appclips.rawValue, .service, "App Clips that the site may open, each by its own identifier.",
      "J3",
      "J4"),
    AssociationKey(
      Service.activitycontinuation.rawValue, .service,
      "Apps that continue activities of the site by Handoff.",
      "J2", "J3"),
    AssociationKey(
      Service.authsrv.rawValue, .service,
      "Apps with a sign-on extension; only identity providers publish it.",
      "J2"),
  ]

  /// A service other than `applinks`.
  package static let service = [
    AssociationKey(
      "apps", .applications, "The apps of the service, by their application identifiers.", "J3", "J5")
  ]

  /// `applinks`.
  package static let appLinks = [
    AssociationKey(
      "apps", .applications, "Has to be an empty list before iOS 13; later releases ignore it.", "6.2"),
    AssociationKey(
      "details", .entries,
      "Entries, each with apps and their rules. Their order is the order of precedence of the apps.", "J12",
      "J13"),
    AssociationKey(
      "defaults", .defaults, "Settings that hold for every rule of the file, such as \"caseSensitive\".",
      "6.4"),
    AssociationKey(
      "substitutionVariables", .variables,
      "Variables for patterns: a name and its values. A pattern uses one as $(name).", "S4"),
  ]

  /// An element of `details`.
  package static let entry = [
    AssociationKey(
      "appID", .application, "The one app of the entry, as releases before iOS 13 read it.", "J6", "6.2"),
    AssociationKey(
      "appIDs", .applications, "The apps of the entry, by their application identifiers.", "J5", "J6"),
    AssociationKey(
      "paths", .paths, "Path patterns for releases before iOS 13; \"NOT \" before a pattern excludes.", "J8",
      "J14"),
    AssociationKey(
      "components", .components, "The rules, in order: the first that a URL matches decides. Since iOS 13.",
      "M4",
      "J8"),
    AssociationKey("defaults", .defaults, "Settings that hold for every rule of the entry.", "6.4"),
  ]

  /// An element of `components`, and `defaults`.
  package static let component = [
    AssociationKey(
      "/", .pattern,
      "A pattern for the path: * stands for any text, ? for one character, ?* for at least one.",
      "P7"),
    AssociationKey(
      "?", .query, "A pattern for the query, or an object with a pattern for the value of each item.", "6.4"),
    AssociationKey("#", .pattern, "A pattern for the fragment.", "6.4"),
    AssociationKey(
      "exclude", .flag, "Whether URLs that the rule matches stay in the browser (false).", "J14"),
    AssociationKey("comment", .remark, "Text for people; devices ignore it.", "6.4"),
    AssociationKey("caseSensitive", .flag, "Whether upper and lower case differ in patterns (true).", "6.4"),
    AssociationKey(
      "percentEncoded", .flag,
      "Whether patterns are compared with the URL as it is percent-encoded (true), or decoded.", "6.4"),
  ]
}
