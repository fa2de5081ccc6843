internal import AssociatedDomains
internal import LinkspanCore

extension AssociationRule {
  static let appClipIdentifier = AssociationRule(
    identifier: "aasa.app-clip-identifier",
    summary: "\"appclips\" lists App Clips; \"applinks\" lists the apps that they belong to.",
    severity: .warning,
    source: "J4",
    bad: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a"}]}]},"appclips":{"apps":[⟦"ABCDE12345.com.example.app"⟧]}}"#,
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app",⟦"ABCDE12345.com.example.app.Clip"⟧],"components":[{"/":"/a"}]}]},"appclips":{"apps":["ABCDE12345.com.example.app.Clip"]}}"#,
    ],
    good: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a"}]}]},"appclips":{"apps":["ABCDE12345.com.example.app.Clip"]}}"#
    ]
  ) { file, report in
    let apps = Set(file.entries.flatMap(file.applications).map { $0.text })
    let pointer = JSONPointer().appending(Service.appclips.rawValue).appending("apps")
    for (index, node) in (file.root?[Service.appclips.rawValue]?["apps"]?.array ?? []).enumerated() {
      guard let text = node.string, apps.contains(text), app(ofClip: text, among: apps) == nil else {
        continue
      }
      report.add(
        node.range, pointer.appending(index),
        "'\(text)' is listed under 'appclips' and is also an app of "
          + "'applinks'",
        help:
          "An App Clip has its own identifier: the app's identifier plus a suffix, such as '\(text).Clip'. "
          + "The app's identifier does not authorize the App Clip.")
    }
    let clips = Set((file.root?[Service.appclips.rawValue]?["apps"]?.array ?? []).compactMap { $0.string })
    for identifier in file.applicationIdentifiers where identifier.service == .applinks {
      let text = identifier.text
      guard let app = app(ofClip: text, among: apps),
        clips.contains(text) || ASCII.lowercased(text).hasSuffix("clip")
      else { continue }
      report.add(
        identifier.range, identifier.pointer, "'\(text)' is an App Clip, but is listed under 'applinks'",
        help:
          "App Clips are authorized under 'appclips'. List the App Clip there, and only the app, '\(app)', here."
      )
    }
  }

  /// The app among those of a file whose identifier a clip's begins with.
  private static func app(ofClip text: String, among apps: Set<String>) -> String? {
    guard let dot = text.lastIndex(of: ".") else { return nil }
    let app = String(text[..<dot])
    return apps.contains(app) ? app : nil
  }
}
