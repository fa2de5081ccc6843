internal import LinkspanCore

extension AssociationRule {
  static let appClipIdentifier = AssociationRule(
    identifier: "aasa.app-clip-identifier",
    summary: "\"appclips\" names the App Clips, and not the apps they belong to.", severity: .warning,
    source: "J4",
    bad: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a"}]}]},"appclips":{"apps":[⟦"ABCDE12345.com.example.app"⟧]}}"#
    ],
    good: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a"}]}]},"appclips":{"apps":["ABCDE12345.com.example.app.Clip"]}}"#
    ]
  ) { file, report in
    let apps = Set(file.entries.flatMap(file.applications).map(\.text))
    let pointer = JSONPointer().appending(Service.appclips.rawValue).appending("apps")
    for (index, node) in (file.root?[Service.appclips.rawValue]?["apps"]?.array ?? []).enumerated() {
      guard let text = node.string, apps.contains(text) else { continue }
      report.add(
        node.range, pointer.appending(index), "'\(text)' is an app of 'applinks', and hardly an App Clip",
        help:
          "An App Clip has an identifier of its own, the app's with a word behind it, as in '\(text).Clip'. "
          + "With the app's identifier the clip's invocations are not granted.")
    }
  }
}
