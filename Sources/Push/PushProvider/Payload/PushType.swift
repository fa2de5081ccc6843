/// What kind of push a request is: the value of `apns-push-type`.
///
/// - Source: Apple, "Sending notification requests to APNs"; `controls` and `widgets` included.
package enum PushType: String, Hashable, Sendable, CaseIterable {
  case alert
  case background
  case complication
  case controls
  case fileprovider
  case liveactivity
  case location
  case mdm
  case pushtotalk
  case voip
  case widgets

  /// What stands behind the bundle identifier in the topic; empty where nothing does.
  package var topicSuffix: String {
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

  /// The most bytes a payload may have, uncompressed (Apple, "Generating a remote notification").
  package var payloadLimitBytes: Int { self == .voip ? 5_120 : 4_096 }

  /// The priority to send with when nobody says another: a background push must have 5.
  package var usualPriority: PushPriority { self == .background ? .powerAware : .immediate }
}

/// How urgent a push is: the value of `apns-priority`.
package enum PushPriority: Int, Hashable, Sendable, CaseIterable {
  /// Power comes first; the device is never woken.
  case powerFirst = 1
  /// When it costs the device little power.
  case powerAware = 5
  /// At once.
  case immediate = 10

  /// Every value of the header.
  package static let names = allCases.map { $0.text }

  /// The header's value.
  var text: String {
    switch self {
    case .powerFirst: "1"
    case .powerAware: "5"
    case .immediate: "10"
    }
  }

  /// Reads a header's value or a flag's.
  package init?(_ text: String) {
    guard let number = Int(text), let priority = PushPriority(rawValue: number), text == "\(number)" else {
      return nil
    }
    self = priority
  }
}
