internal import LinkspanCore

extension AssociationRule {
  static let appClipIdentifier = AssociationRule(
    identifier: "aasa.app-clip-identifier",
    summary: "\"appclips\" names the App Clips, and \"applinks\" the apps they belong to.",
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
    let apps = Set(file.entries.flatMap(file.applications).map(\.text))
    let pointer = JSONPointer().appending(Service.appclips.rawValue).appending("apps")
    for (index, node) in (file.root?[Service.appclips.rawValue]?["apps"]?.array ?? []).enumerated() {
      guard let text = node.string, apps.contains(text), app(ofClip: text, among: apps) == nil else {
        continue
      }
      report.add(
        node.range, pointer.appending(index), "'\(text)' is an app of 'applinks', and hardly an App Clip",
        help:
          "An App Clip has an identifier of its own, the app's with a word behind it, as in '\(text).Clip'. "
          + "With the app's identifier the clip's invocations are not granted.")
    }
    let clips = Set((file.root?[Service.appclips.rawValue]?["apps"]?.array ?? []).compactMap(\.string))
    for identifier in file.applicationIdentifiers where identifier.service == .applinks {
      let text = identifier.text
      guard let app = app(ofClip: text, among: apps),
        clips.contains(text) || ASCII.lowercased(text).hasSuffix("clip")
      else { continue }
      report.add(
        identifier.range, identifier.pointer, "'\(text)' is an App Clip, and stands under 'applinks'",
        help:
          "An App Clip is invoked by what 'appclips' grants. Name it there, and here the app alone, '\(app)'."
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
