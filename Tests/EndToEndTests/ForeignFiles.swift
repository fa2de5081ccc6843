/// Files of fifty kinds that `--fix` must not touch: JSON, JSON5, YAML, property lists and Swift of other programs, and
/// of this one. Each has something that a repair of JSON would take for a mistake, or keys that an association file has.
enum ForeignFiles {
  static let all: [(name: String, text: String)] = json + ours + lists + others

  private static func list(_ members: String) -> String {
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\"><dict>\(members)</dict></plist>\n"
  }

  static let json: [(name: String, text: String)] = [
    ("tsconfig.json", "{\n  // strict\n  \"compilerOptions\": { \"strict\": true, },\n}\n"),
    (
      "package.json",
      "{\"name\":\"site\",\"version\":\"1.0.0\",\"scripts\":{\"test\":\"jest\",},\"applinks\":{}}\n"
    ),
    ("package-lock.json", "{\"name\":\"site\",\"lockfileVersion\":3,\"packages\":{},}\n"),
    ("composer.json", "{\"require\":{\"php\":\">=8.1\",},\"autoload\":{}}\n"),
    ("app.json", "{\"expo\":{\"ios\":{\"associatedDomains\":[\"applink:example.com\"]},},}\n"),
    ("eas.json", "{\"cli\":{\"version\":\">= 3.0.0\"},\"build\":{\"production\":{},},}\n"),
    ("firebase.json", "{\"hosting\":{\"public\":\"dist\",\"appAssociation\":\"AUTO\",},}\n"),
    ("vercel.json", "{\"rewrites\":[{\"source\":\"/(.*)\",\"destination\":\"/\",},],}\n"),
    ("netlify.json", "{redirects: [{from: '/*', to: '/index.html', status: 200}]}\n"),
    ("manifest.webmanifest", "{\"name\":\"Shop\",\"start_url\":\"/\",\"related_applications\":[],}\n"),
    ("openapi.json", "{\"openapi\":\"3.1.0\",\"paths\":{\"/a\":{},},}\n"),
    ("schema.json", "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"type\":\"object\",}\n"),
    ("en.json", "{\"applinks\":{\"title\":\"App links\",\"details\":\"Details\",},\"home\":{}}\n"),
    ("de.json", "{\"applinks\":{\"title\":\"App-Links\"},}\n"),
    ("angular.json", "{\"$schema\":\"x\",\"projects\":{\"web\":{\"paths\":[\"*\"],},},}\n"),
    ("settings.json", "{\n  // an editor's\n  \"files.exclude\": { \"**/.git\": true, },\n}\n"),
    (".eslintrc.json", "{ rules: { semi: 'error' }, /* more */ extends: ['base'], }\n"),
    (
      "Contents.json",
      "{\"images\":[{\"idiom\":\"universal\",},],\"info\":{\"author\":\"xcode\",\"version\":1}}\n"
    ),
    ("Package.resolved", "{\"pins\":[{\"identity\":\"swift-log\",},],\"version\":2}\n"),
    ("Localizable.xcstrings", "{\"sourceLanguage\":\"en\",\"strings\":{\"apps\":{},},\"version\":\"1.0\"}\n"),
    ("data.geojson", "{\"type\":\"FeatureCollection\",\"features\":[{},],}\n"),
    ("trace.har", "{\"log\":{\"version\":\"1.2\",\"creator\":{\"name\":\"browser\"},\"entries\":[,]}}\n"),
    ("payload.apns", "{\"aps\":{\"alert\":\"Hello\",},\"link\":\"https://example.com/a\"}\n"),
    ("list.json", "[\"/buy/:id\", \"/help/*\",]\n"),
    ("lines.jsonl", "{\"id\":1}\n{\"id\":2}\n"),
    (
      "embedded.json",
      "{\"name\":\"x\",\"applinks\":{\"details\":[{\"appIDs\":[\"ABCDE12345.com.example\"],}]}}\n"
    ),
  ]

  /// What this program's own commands read and write.
  static let ours: [(name: String, text: String)] = [
    (
      "linkspan.json5",
      "{\n  // Where the files are.\n  sites: [\"sites\"],\n  // apps: [\"App.entitlements\"],\n}\n"
    ),
    (
      "generate.json5",
      "{apps: [{id: 'ABCDE12345.com.example.app', routes: ['/buy/:id'],}], host: 'example.com'}\n"
    ),
    (
      "story.json5",
      "{ sites: { 'example.com': {} }, devices: { phone: {} }, script: [ { open: 'https://example.com' }, ] }\n"
    ),
    ("fleet.json5", "{\n  // How many.\n  devices: 1000000,\n  versions: [],\n}\n"),
    ("experiences.json5", "{ clip: { bundle_id: 'com.example.app.Clip', }, experiences: [] }\n"),
    ("findings.json", "{\"type\":\"check\",\"findings\":[],\"summary\":{\"errors\":0,},}\n"),
    (
      "batch.json", "{\"id\":1,\"file\":{\"applinks\":{\"details\":[]}},\"url\":\"https://example.com/a\",}\n"
    ),
  ]

  static let lists: [(name: String, text: String)] = [
    ("Info.plist", list("<key>CFBundleIdentifier</key><string>com.example.app</string>")),
    (
      "ExportOptions.plist",
      list("<key>method</key><string>app-store</string><key>teamID</key><string>ABCDE12345</string>")
    ),
    (
      "GoogleService-Info.plist",
      list("<key>API_KEY</key><string>x</string><key>BUNDLE_ID</key><string>com.example</string>")
    ),
    ("launchd.plist", list("<key>Label</key><string>com.example.job</string><key>RunAtLoad</key><true/>")),
    (
      "profile.mobileconfig",
      list(
        "<key>PayloadType</key><string>Configuration</string><key>com.apple.developer.associated-domains</key>"
          + "<array><string>applink:example.com</string></array>")
    ),
    (
      "array.plist",
      "<?xml version=\"1.0\"?><plist version=\"1.0\"><array><string>applink:a.example</string></array></plist>\n"
    ),
    ("Settings.xml", list("<key>StringsTable</key><string>Root</string>")),
    ("AndroidManifest.xml", "<manifest><application android:label=\"x\"></application></manifest>\n"),
  ]

  static let others: [(name: String, text: String)] = [
    ("docker-compose.yaml", "---\nservices:\n  web: {image: 'nginx', ports: ['80:80',]}\n"),
    ("pubspec.yaml", "name: shop\ndependencies:\n  flutter: {sdk: flutter,}\n"),
    ("openapi.yml", "openapi: 3.1.0\npaths: {}\n"),
    ("applinks.yaml", "applinks:\n  details: [{appIDs: ['ABCDE12345.com.example.app'],}]\n"),
    (
      "App.swift", "import SwiftUI\n\n@main struct App: SwiftUI.App { let applinks = [\"details\": [1,],] }\n"
    ),
    (
      "Package.swift",
      "// swift-tools-version: 6.0\nimport PackageDescription\nlet package = Package(name: \"x\",)\n"
    ),
    ("Router.swift", "{ \"applinks\": { \"details\": [ ] } }\n// a snippet\nlet x = { 1 }\n"),
    ("notes.md", "# Links\n\n```json\n{\"applinks\": {\"details\": [],}}\n```\n"),
    ("codes.csv", "SVG File Name,URL\na.svg,https://example.com/a\n"),
    ("main.tf", "resource \"aws_s3_bucket\" \"applinks\" { bucket = \"x\" }\n"),
  ]
}
