/// A key that means something in a statement list: what the checker knows, an editor offers and a schema allows.
package struct StatementKey: Sendable {
  /// What its value is.
  package enum Value: Sendable {
    case relations, target, extensions, url, namespace, packageName, fingerprints, site
  }

  package let name: String
  package let value: Value
  /// What it says, in a sentence.
  package let summary: String

  private init(_ name: String, _ value: Value, _ summary: String) {
    self.name = name
    self.value = value
    self.summary = summary
  }

  /// A statement.
  package static let statement = [
    StatementKey(
      "relation", .relations, "What the site allows the target, such as to handle all of its URLs."),
    StatementKey("target", .target, "The app or the website that the statement is about."),
    StatementKey("relation_extensions", .extensions, "More about a relation, such as dynamic App Links."),
    StatementKey(
      "include", .url, "The URL of another statement list, whose statements count as if they stood here."),
  ]

  /// The target of a statement.
  package static let target = [
    StatementKey("namespace", .namespace, "'android_app' for an app, 'web' for a website."),
    StatementKey("package_name", .packageName, "The app's applicationId, such as com.example.app."),
    StatementKey(
      "sha256_cert_fingerprints", .fingerprints,
      "SHA-256 fingerprints of the certificates that sign the app, in upper-case hexadecimal pairs with colons."
    ),
    StatementKey("site", .site, "The website, such as https://www.example.com."),
  ]

  /// Keys that articles show beside or inside a target (D11).
  package static let invented = [
    "path", "paths", "pathPrefix", "pathPattern", "exclude", "excludes", "components", "details",
  ]

  /// The one extension of a relation, with rules of Android's.
  package static let dynamicComponents = "dynamic_app_link_components"

  /// The keys of such a rule.
  package static let dynamicComponentKeys = ["/", "?", "#", "exclude", "comment"]
}
