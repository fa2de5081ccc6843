internal import LinkspanCore
internal import PushProvider

/// What a person sees of a push on the lock screen, drawn from its payload, at three of the text sizes that they may have set.
///
/// - Source: for the sizes Apple, Human Interface Guidelines, Typography: subhead has 15 points at Large, the default, 21 at
///   xxxLarge, and 36 at AX3. How many lines fit is observed: four of the text, fewer where it is larger.
struct LockScreen {
  /// A text that the payload has, or the key of one that the app has.
  private struct Text {
    var words: String
    var isKey = false
  }

  private struct Size {
    let name: String
    let kind: Markup
  }

  private static let sizes = [
    Size(name: "Text size Large, the default", kind: "large"),
    Size(name: "Text size xxxLarge", kind: "xxxlarge"), Size(name: "Accessibility size AX3", kind: "ax3"),
  ]

  private let app: String
  private let title: Text?
  private let subtitle: Text?
  private let body: Text?
  private let notes: [String]

  /// - Parameter topic: The bundle identifier; its last part stands for the app's name.
  /// - Returns: nil for a payload that is not JSON or has no `aps`.
  init?(payload: String, topic: String) {
    guard let root = JSONParser.parse(Array(payload.utf8)).root, let aps = root["aps"] else { return nil }
    app = topic.split(separator: ".").last.map(String.init) ?? "The app"
    let alert = aps["alert"]
    func text(_ name: String, key: String) -> Text? {
      if let words = alert?[name]?.string, !words.isEmpty { return Text(words: words) }
      return alert?[key]?.string.map { Text(words: $0, isKey: true) }
    }
    title = text("title", key: "title-loc-key")
    subtitle = text("subtitle", key: "subtitle-loc-key")
    body = alert?.string.map { Text(words: $0) } ?? text("body", key: "loc-key")
    var notes: [String] = []
    if aps["sound"] != nil { notes.append("It plays a sound, unless the device is silent or in a Focus.") }
    if let badge = aps["badge"]?.wholeNumber { notes.append("The app's badge becomes \(badge).") }
    switch aps["interruption-level"]?.string {
    case "passive": notes.append("Passive: the screen stays dark, and it waits in the list of notifications.")
    case "time-sensitive": notes.append("Time sensitive: it also appears in a Focus that allows that.")
    case "critical": notes.append("Critical: it also sounds on a silent device; Apple has to allow that.")
    default: break
    }
    if aps["mutable-content"]?.wholeNumber == 1 {
      notes.append("An extension of the app may change what is shown (mutable-content).")
    }
    if [title, subtitle, body].contains(where: { $0?.isKey == true }) {
      notes.append("A text in brackets is a key: the app has the words, in the language of the device.")
    }
    self.notes = notes
  }

  private var showsAlert: Bool { title != nil || subtitle != nil || body != nil }

  var markup: Markup {
    let remarks = notes.map { "<li>\($0)</li>" as Markup }
    let list: Markup = remarks.isEmpty ? .none : "<ul class=\"plain\">\(remarks)</ul>"
    guard showsAlert else {
      return
        "<h2>On the lock screen</h2>\(Piece.notice("Nothing is shown: the payload has no alert.", "warn"))\(list)"
    }
    let phones = Self.sizes.map { size -> Markup in
      """
      <figure class="phone \(size.kind)"><div class="alert"><p class="soft">\(app)<span>now</span></p>\
      \(Self.line(title, "title"))\(Self.line(subtitle, "title"))\(Self.line(body, "text"))</div>\
      <figcaption>\(size.name)</figcaption></figure>
      """
    }
    return "<h2>On the lock screen</h2><div class=\"phones\">\(phones)</div>\(list)"
  }

  private static func line(_ text: Text?, _ kind: Markup) -> Markup {
    guard let text else { return .none }
    // A device finds out the direction from the text as well.
    return "<p class=\"\(kind)\" dir=\"auto\">\(text.isKey ? "[\(text.words)]" : text.words)</p>"
  }
}
