package import LinkspanCore

/// Every rule about experiences, cards, pages and codes, for the reference; an example is what the file or page says.
package enum ClipCardRules {
  package static let all: [CheckRule] = [
    rule(
      "no-default", .warning, "AC15", "A clip has a default experience.",
      "{ clip: { bundle_id: \"com.example.app.Clip\" } }"),
    rule(
      "experience-url", .error, "AC16", "The URL of an experience is https, without a port.",
      "advanced: [{ url: \"http://example.com/\" }]"),
    rule(
      "experience-host", .error, "AC6", "The host of an experience is one of the clip's domains.",
      "clip: { domains: [\"example.com\"] }, advanced: [{ url: \"https://example.org/\" }]"),
    rule(
      "repeated-experience", .error, "AC16", "No URL is registered twice.",
      "advanced: [{ url: \"https://example.com/a\" }, { url: \"https://example.com/a\" }]"),
    rule(
      "prefix-boundary", .warning, "AC17",
      "Which experience takes a URL does not hang on what is documented nowhere.",
      "registered: https://example.com/shop\ninvoked: https://example.com/shopping"),
    rule(
      "limited-entrance", .note, "AC15", "The entrance opens the experience in full.",
      "demo: …\nentrance: messages"),
    rule("demo-link", .error, "AC15", "A demo link is Apple's.", "demo: \"https://example.com/demo\""),
    rule(
      "card-title", .error, "AC18", "A title has 1 to 30 characters.",
      "title: \"A title that is longer than thirty\""),
    rule("card-subtitle", .error, "AC18", "A subtitle has 1 to 56 characters.", "subtitle: \"\""),
    rule("card-action", .error, "AC18", "The action is OPEN, VIEW or PLAY.", "action: \"Open\""),
    rule(
      "card-image", .error, "AC19", "The header image has 1800 by 1200 pixels and is not transparent.",
      "header.png: 600 by 400 pixels"),
    rule(
      "language", .error, "AC27", "A language is one of App Store Connect's.",
      "languages: { XX: { title: \"A\" } }"),
    rule("category", .error, "AC27", "A category is one of App Store Connect's.", "category: \"CAFE\""),
    rule(
      "testflight-count", .error, "AC21", "A build has three invocations for TestFlight at most.",
      "testflight: [\"https://example.com/1\", … four of them]"),
    rule("banner-missing", .warning, "AC20", "A page has an 'apple-itunes-app' tag.", "<head></head>"),
    rule(
      "banner-repeated", .warning, "AC20", "A page has one such tag.",
      "two <meta name=\"apple-itunes-app\" …>"),
    rule(
      "banner-key", .error, "AC20", "The tag is a list of keys and values.", "content=\"app-id 123456789\""),
    rule(
      "banner-app-id", .error, "AC20", "The tag names the app by its number.",
      "content=\"app-id=com.example.app\""),
    rule(
      "banner-clip", .error, "AC20", "The tag names the clip.",
      "content=\"app-id=1, app-clip-bundle-id=com.example.other\""),
    rule(
      "banner-display", .warning, "AC20", "'app-clip-display' is 'card'.",
      "content=\"…, app-clip-display=full\""),
    rule(
      "banner-argument", .note, "AC20", "Nothing for the clip is in 'app-argument'.",
      "content=\"…, app-argument=https://example.com/a\""),
    rule(
      "page-image", .note, "AC20", "A page has a picture for Messages.", "no <meta property=\"og:image\" …>"),
    rule(
      "scheme-disabled", .note, "AC21", "The scheme's '_XCAppClipURL' is switched on.",
      "<EnvironmentVariable key=\"_XCAppClipURL\" value=\"https://example.com\" isEnabled=\"NO\">"),
    rule("code-url", .error, "AC25", "The URL of a code is https, without a port.", "http://example.com"),
    rule(
      "code-host", .error, "AC25", "The host of a code has a to z, dots and hyphens.",
      "https://shop24.example.com"),
    rule(
      "code-character", .error, "AC25", "A code's URL has characters that codes know.",
      "https://example.com/a(b)"),
    rule(
      "code-length", .note, "AC25", "A code's URL is as short as it can be.", "https://www.example.com/a/"),
    rule(
      "code-capacity", .warning, "AC25", "A code's URL can fit into its 128 bits.",
      "https://example.com/a-path-of-more-than-fifty-characters-behind-the-host-of-the-code"),
    rule(
      "code-not-registered", .error, "AC15", "The URL of a code opens the clip.",
      "code: https://example.com/a\nregistered: https://example.com/b"),
    rule(
      "ndef-scheme", .warning, "AC26", "iOS opens the scheme of a tag's URL by itself.",
      "example-app://shop/1"),
    rule(
      "ndef-characters", .warning, "AC26", "A tag's URL is ASCII, as every device reads it.",
      "https://example.com/caf\u{E9}"),
    rule(
      "carrier-credentials", .warning, "AC26",
      "The URL of a tag or a printed code has no user and no password.",
      "https://user:password@example.com/shop"),
    rule(
      "carrier-http", .warning, "AC16", "The URL of a tag or a printed code is https.",
      "http://example.com/shop"),
    rule(
      "carrier-port", .warning, "E3", "The URL of a tag or a printed code has no port.",
      "https://example.com:8443/shop"),
    rule(
      "code-table-header", .error, "AC31", "A table of codes begins with one of the three headers.",
      "Name,Address"),
    rule(
      "code-table", .error, "AC31", "A table of codes is CSV, and each row has the fields of its header.",
      "SVG File Name,URL\na.svg"),
    rule(
      "code-table-size", .error, "AC31", "A table for the generator or for print has 10,000 codes at most.",
      "SVG File Name,URL\n… 10,001 rows"),
    rule(
      "code-table-name", .error, "AC31", "A file name is there once and has 188 characters at most.",
      "SVG File Name,URL\na.svg,https://example.com/a\na.svg,https://example.com/b"),
    rule(
      "code-table-colour", .error, "AC31", "A colour has six hexadecimal digits.",
      "a.svg,https://example.com/a,red,FFFFFF,cam,none"),
    rule(
      "code-table-look", .error, "AC31", "The type is cam or nfc, the logo none or badge.",
      "a.svg,https://example.com/a,FF3B30,FFFFFF,camera,none"),
    rule(
      "code-table-repeated", .note, "AC31", "Each code has a URL of its own.",
      "a.svg,https://example.com/a\nb.svg,https://example.com/a"),
    rule(
      "code-picture", .error, "AC31", "Each picture is in the table, with the URL that the table says.",
      "table: a.svg,https://example.com/a\na.svg: data-payload=\"https://example.com/b\""),
  ]

  private static func rule(
    _ name: String, _ severity: Finding.Severity, _ source: String, _ summary: String, _ bad: String
  ) -> CheckRule {
    CheckRule(identifier: "clip." + name, summary: summary, severity: severity, source: source, bad: [bad])
  }
}
