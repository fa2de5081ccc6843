/// A recording's text that cannot be read.
public struct ArrivalRecordingError: Error, Sendable, Equatable, CustomStringConvertible {
  /// Which line, what is wrong with it, and what it should be.
  public let description: String
}

extension ArrivalRecording {
  /// Reads what ``description`` wrote. Empty lines do not count.
  ///
  /// - Throws: ``ArrivalRecordingError``, which names the line.
  public init(text: String) throws(ArrivalRecordingError) {
    entries = []
    // CR and LF are one character.
    let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    for (index, line) in lines.enumerated() {
      let words = line.split { $0 == " " || $0 == "\r" || $0 == "\t" }.map(String.init)
      guard !words.isEmpty else { continue }
      do throws(EntryProblem) {
        entries.append(try Entry(words: words))
      } catch {
        throw ArrivalRecordingError(description: "Line \(index + 1) of the recording: \(error.text).")
      }
    }
  }
}

private struct EntryProblem: Error {
  var text: String
}

extension ArrivalRecording.Entry {
  private static let visible = ByteSet((0x21...0x7E).filter { $0 != UInt8(ascii: "%") })

  private static func field(_ name: String, _ value: String) -> String {
    name + "=" + URLText.encoded(value, keeping: visible)
  }

  private static func fields(_ activity: IncomingActivity) -> [String] {
    var fields = [field("type", activity.activityType)]
    if let page = activity.webpageURL { fields.append(field("page", page)) }
    if let clip = activity.clipURL { fields.append(field("clip", clip)) }
    for (key, value) in activity.userInfo.sorted(by: { $0.key < $1.key }) {
      let plain = visible.intersection(ByteSet("=".utf8).inverted)
      fields.append(field("info." + URLText.encoded(key, keeping: plain), value))
    }
    return fields
  }

  private static func road(_ road: DeliveryRoad) -> [String] { road == .launch ? ["by=launch"] : [] }

  var text: String {
    let (name, fields): (String, [String]) =
      switch callback {
      case .connect(let activities, let urls):
        ("connect", activities.flatMap(Self.fields) + urls.map { Self.field("url", $0) })
      case .receive(let activity, let road): ("receive", Self.fields(activity) + Self.road(road))
      case .open(let url, let road): ("open", [Self.field("url", url)] + Self.road(road))
      case .willContinue(let type): ("will-continue", [Self.field("type", type)])
      case .update(let type): ("update", [Self.field("type", type)])
      case .fail(let type, let isCancelled):
        ("fail", [Self.field("type", type)] + (isCancelled ? ["cancelled=yes"] : []))
      case .restore(let activity): ("restore", Self.fields(activity))
      case .interfaceIsReady: ("interface-is-ready", [])
      case .interfaceIsGone: ("interface-is-gone", [])
      case .lifeCycleIsObserved: ("life-cycle-is-observed", [])
      case .didBecomeActive: ("did-become-active", [])
      case .willResignActive: ("will-resign-active", [])
      case .didEnterBackground: ("did-enter-background", [])
      case .didDisconnect: ("did-disconnect", [])
      case .openGate(let gate): ("open-gate", [Self.field("gate", gate)])
      case .closeGate(let gate): ("close-gate", [Self.field("gate", gate)])
      case .refuseGate(let gate): ("refuse-gate", [Self.field("gate", gate)])
      }
    let place = scene.map { [Self.field("scene", $0)] } ?? []
    return ([Self.text(of: time), name] + place + fields).joined(separator: " ")
  }

  /// `0.25s`: whole nanoseconds, without zeros at the end.
  private static func text(of time: Duration) -> String {
    let (seconds, attoseconds) = time.components
    let nanoseconds = abs(attoseconds / 1_000_000_000)
    let sign = seconds < 0 || attoseconds < 0 ? "-" : ""
    guard nanoseconds > 0 else { return "\(sign)\(abs(seconds))s" }
    var digits = String(nanoseconds)
    digits = String(repeating: "0", count: 9 - digits.count) + digits
    while digits.last == "0" { digits.removeLast() }
    return "\(sign)\(abs(seconds)).\(digits)s"
  }

  private static func time(_ word: String) -> Duration? {
    guard word.hasSuffix("s") else { return nil }
    let isNegative = word.hasPrefix("-")
    let parts = word.dropFirst(isNegative ? 1 : 0).dropLast().split(
      separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, let first = parts.first, let seconds = Int64(first), first.count < 16,
      first.first != "-"
    else { return nil }
    var nanoseconds: Int64 = 0
    if parts.count == 2 {
      let digits = parts[1]
      guard digits.count <= 9, !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }) else {
        return nil
      }
      nanoseconds = Int64(digits + String(repeating: "0", count: 9 - digits.count)) ?? 0
    }
    let time = Duration.seconds(seconds) + .nanoseconds(nanoseconds)
    return isNegative ? .zero - time : time
  }

  fileprivate init(words: [String]) throws(EntryProblem) {
    guard let time = Self.time(words[0]) else {
      throw EntryProblem(text: "'\(words[0])' is no time; expected seconds, such as 0.25s")
    }
    guard words.count > 1 else { throw EntryProblem(text: "expected a call after the time, such as connect") }
    var fields = EntryFields()
    for word in words.dropFirst(2) { try fields.add(word) }
    self.init(at: time, scene: fields.scene, try fields.callback(words[1]))
  }
}

/// The words of a line behind its call.
private struct EntryFields {
  var scene: String?
  private var activities: [IncomingActivity] = []
  private var urls: [String] = []
  private var gate: String?
  private var road = DeliveryRoad.callback
  private var isCancelled = false

  mutating func add(_ word: String) throws(EntryProblem) {
    guard let equals = word.firstIndex(of: "=") else {
      throw EntryProblem(text: "expected name=value, got '\(word)'")
    }
    let value = Self.decoded(word[word.index(after: equals)...])
    switch word[..<equals] {
    case "scene": scene = value
    case "type": activities.append(IncomingActivity(activityType: value))
    case "url": urls.append(value)
    case "gate": gate = value
    case "by": road = value == "launch" ? .launch : .callback
    case "cancelled": isCancelled = value == "yes"
    case let name:
      guard !activities.isEmpty else { throw EntryProblem(text: "'\(name)=' comes before its 'type='") }
      let place = activities.count - 1
      switch name {
      case "page": activities[place].webpageURL = value
      case "clip": activities[place].clipURL = value
      case _ where name.hasPrefix("info."):
        activities[place].userInfo[Self.decoded(name.dropFirst(5))] = value
      default:
        throw EntryProblem(
          text: "unknown name '\(name)'; expected scene, type, page, clip, info.NAME, url, by, cancelled or "
            + "gate")
      }
    }
  }

  private static func decoded(_ text: Substring) -> String {
    Array(text.utf8).withUnsafeBufferPointer { URLText.decoded($0[...]) }
  }

  func callback(_ name: String) throws(EntryProblem) -> ArrivalCallback {
    func activity() throws(EntryProblem) -> IncomingActivity {
      guard let activity = activities.first else { throw EntryProblem(text: "'\(name)' has no 'type='") }
      return activity
    }
    func named(_ value: String?, _ field: String) throws(EntryProblem) -> String {
      guard let value else { throw EntryProblem(text: "'\(name)' has no '\(field)='") }
      return value
    }
    switch name {
    case "connect": return .connect(activities: activities, urls: urls)
    case "receive": return .receive(try activity(), by: road)
    case "open": return .open(try named(urls.first, "url"), by: road)
    case "will-continue": return .willContinue(activityType: try activity().activityType)
    case "update": return .update(activityType: try activity().activityType)
    case "fail": return .fail(activityType: try activity().activityType, isCancelled: isCancelled)
    case "restore": return .restore(try activity())
    case "interface-is-ready": return .interfaceIsReady
    case "interface-is-gone": return .interfaceIsGone
    case "life-cycle-is-observed": return .lifeCycleIsObserved
    case "did-become-active": return .didBecomeActive
    case "will-resign-active": return .willResignActive
    case "did-enter-background": return .didEnterBackground
    case "did-disconnect": return .didDisconnect
    case "open-gate": return .openGate(try named(gate, "gate"))
    case "close-gate": return .closeGate(try named(gate, "gate"))
    case "refuse-gate": return .refuseGate(try named(gate, "gate"))
    default: throw EntryProblem(text: "unknown call '\(name)'")
    }
  }
}
