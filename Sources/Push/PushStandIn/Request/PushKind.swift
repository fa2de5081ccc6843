/// A push type with the suffix of its topic (push notes, 2.1).
enum PushKind: String, Sendable, CaseIterable {
  case alert, background, complication, controls, fileprovider, liveactivity, location, mdm, pushtotalk, voip
  case widgets

  var suffix: String {
    switch self {
    case .alert, .background, .mdm: ""
    case .complication: ".complication"
    case .controls: ".push-type.controls"
    case .fileprovider: ".pushkit.fileprovider"
    case .liveactivity: ".push-type.liveactivity"
    case .location: ".location-query"
    case .pushtotalk: ".voip-ptt"
    case .voip: ".voip"
    case .widgets: ".push-type.widgets"
    }
  }

  /// The largest payload, in bytes (push notes, 2.2).
  var payloadLimitBytes: Int { self == .voip ? 5_120 : 4_096 }

  private static let suffixes: [(String, PushKind)] = allCases.filter { !$0.suffix.isEmpty }
    .map { ($0.suffix, $0) }.sorted { $0.0.utf8.count > $1.0.utf8.count }

  /// The bundle identifier in a topic, and the type that its suffix implies; of two suffixes the longest counts.
  static func parts(of topic: String) -> (bundle: Substring, implied: PushKind?) {
    for (suffix, kind) in suffixes where topic.hasSuffix(suffix) && topic.utf8.count > suffix.utf8.count {
      return (topic.dropLast(suffix.count), kind)
    }
    return (topic[...], nil)
  }
}
