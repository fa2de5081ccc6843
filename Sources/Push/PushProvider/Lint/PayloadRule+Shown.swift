internal import LinkspanCore

/// Rules about what a person sees and hears.
extension PayloadRule {
  static let shown: [PayloadRule] = [
    emptyAlert, showsNothing, badge, localizationArguments, mutableWithoutAlert, targetContent,
    interruptionLevel, criticalSound, volume, relevanceScore,
  ]

  private static let emptyAlert = PayloadRule(
    "empty-alert", "An alert says something.", .warning, source: .payload,
    bad: [#"{"aps":{"alert":⟦{}⟧}}"#, #"{"aps":{"alert":⟦""⟧}}"#]
  ) { source, report in
    guard let alert = source.aps?["alert"], alert.object?.isEmpty == true || alert.string == "" else {
      return
    }
    report.add(
      alert.range, source.apsPointer.appending("alert"), "the alert is empty",
      help: "The device shows no notification. Write a 'body', or leave 'alert' out.")
  }

  private static let showsNothing = PayloadRule(
    "shows-nothing", "An alert push shows or plays something.", .warning, source: .payload,
    bad: [#"{"aps":⟦{}⟧}"#, #"{"aps":⟦{"alert":{"launch-image":"a"}}⟧}"#],
    good: [exampleAlert, exampleSilent]
  ) { source, report in
    guard source.type == .alert, let aps = source.aps, !source.content.isVisible,
      // An empty alert and a misplaced key are other rules'.
      aps["alert"]?.string != "", aps["alert"]?.object?.isEmpty != true, source.content.misplacedKey == nil
    else { return }
    report.add(
      aps.range, source.apsPointer, "the push is an alert and shows none",
      help: source.content.asksForWake
        ? "The device may drop it. Send it as push type background with apns-priority 5."
        : "The device does nothing with it. Write an 'alert', or \"content-available\": 1 to wake the app.")
  }

  private static let badge = PayloadRule(
    "badge", "The badge is a whole number from 0.", .error, source: .payload,
    bad: [#"{"aps":{"badge":⟦"1"⟧}}"#, #"{"aps":{"badge":⟦-1⟧}}"#, #"{"aps":{"badge":⟦1.5⟧}}"#],
    good: [#"{"aps":{"badge":0}}"#, #"{"aps":{"badge":3.0}}"#],
    effect: .valueOnly
  ) { source, report in
    guard let badge = source.aps?["badge"], badge.wholeNumber.map({ $0 < 0 }) ?? true else { return }
    report.add(
      badge.range, source.apsPointer.appending("badge"), "the badge is not an integer ≥ 0",
      help: "The badge does not change. Write an integer without quotation marks; 0 removes the badge.")
  }

  private static let localizationArguments = PayloadRule(
    "loc-args", "Arguments of localized texts are strings, and go with the key of the text.", .error,
    source: .payload,
    bad: [
      #"{"aps":{"alert":{"loc-key":"K","loc-args":⟦[1]⟧}}}"#,
      #"{"aps":{"alert":{"body":"Hello",⟦"loc-args"⟧:["1"]}}}"#,
      #"{"aps":{"alert":{"loc-key":"K",⟦"title-loc-args"⟧:["1"]}}}"#,
    ],
    good: [#"{"aps":{"alert":{"loc-key":"K","loc-args":["1"]}}}"#], effect: .valueOnly
  ) { source, report in
    guard let alert = source.aps?["alert"] else { return }
    func check(_ node: JSONNode, _ pointer: JSONPointer) {
      for member in node.object ?? [] {
        let place = pointer.appending(member.name)
        if member.name == "loc-args" || member.name.hasSuffix("-loc-args") {
          if member.value.strings == nil {
            report.add(
              member.value.range, place, "'\(member.name)' is not an array of strings",
              help: "The text is shown without its arguments. Write every argument in quotation marks.")
          }
          let key = String(member.name.dropLast("args".count)) + "key"
          if node[key] == nil {
            report.add(
              member.nameRange, place, "'\(member.name)' has no '\(key)' beside it",
              help: "It has no effect: the arguments are for the localized text that '\(key)' names. Add it.",
              severity: .warning)
          }
        } else if ["title", "subtitle", "body"].contains(member.name), member.value.object != nil {
          check(member.value, place)
        }
      }
    }
    check(alert, source.apsPointer.appending("alert"))
  }

  private static let mutableWithoutAlert = PayloadRule(
    "mutable-without-alert", "'mutable-content' goes with an alert.", .warning, source: .extension,
    bad: [#"{"aps":{⟦"mutable-content"⟧:1}}"#], good: [#"{"aps":{"alert":"Hello","mutable-content":1}}"#]
  ) { source, report in
    guard let aps = source.aps, aps["alert"] == nil,
      let member = aps.object?.last(where: { $0.name == "mutable-content" }), member.value.wholeNumber != 0
    else { return }
    report.add(
      member.nameRange, source.apsPointer.appending(member.name), "'mutable-content' has no alert beside it",
      help: "The notification service extension runs only for a push that shows an alert. Add 'alert'.")
  }

  private static let targetContent = PayloadRule(
    "target-content-id", "'target-content-id' names a window, and goes with an alert.", .warning,
    source: .payload,
    bad: [
      #"{"aps":{"alert":"Hello","target-content-id":⟦""⟧}}"#,
      #"{"aps":{"content-available":1,⟦"target-content-id"⟧:"basket"}}"#,
    ], good: [#"{"aps":{"alert":"Hello","target-content-id":"basket"}}"#], effect: .valueOnly
  ) { source, report in
    guard source.type != .liveactivity, let aps = source.aps,
      let member = aps.object?.last(where: { $0.name == "target-content-id" }),
      let text = member.value.string
    else { return }
    let pointer = source.apsPointer.appending(member.name)
    if text.isEmpty {
      report.add(
        member.value.range, pointer, "'target-content-id' is empty",
        help: "It has no effect. Write the identifier of a window's content, or remove the key.")
    } else if aps["alert"] == nil {
      report.add(
        member.nameRange, pointer, "'target-content-id' has no alert beside it",
        help: "It has no effect: who taps the notification brings the window forward. Add 'alert'.")
    }
  }

  private static let interruptionLevel = PayloadRule(
    "interruption-level", "The interruption level is one of Apple's four.", .error, source: .payload,
    bad: [#"{"aps":{"alert":"Hello","interruption-level":⟦"urgent"⟧}}"#],
    good: [#"{"aps":{"alert":"Hello","interruption-level":"time-sensitive"}}"#], effect: .valueOnly
  ) { source, report in
    guard let level = source.aps?["interruption-level"], let text = level.string,
      Aps.InterruptionLevel(rawValue: text) == nil
    else { return }
    let known = Aps.InterruptionLevel.allCases.map { $0.rawValue }
    report.add(
      level.range, source.apsPointer.appending("interruption-level"),
      "'\(text)' is not an interruption level",
      help: "It is ignored. "
        + (Spelling.nearest(to: text, among: known).map { "Did you mean '\($0)'?" }
          ?? "Write \(known.joined(separator: ", "))."))
  }

  private static let criticalSound = PayloadRule(
    "critical-sound", "A critical alert has a sound dictionary.", .warning, source: .payload,
    bad: [#"{"aps":{"alert":"Hello","sound":"default","interruption-level":⟦"critical"⟧}}"#],
    good: [
      #"{"aps":{"alert":"Hello","sound":{"critical":1,"name":"default","volume":0.8},"interruption-level":"critical"}}"#
    ]
  ) { source, report in
    guard let aps = source.aps, let level = aps["interruption-level"], level.string == "critical",
      aps["sound"]?.object == nil
    else { return }
    report.add(
      level.range, source.apsPointer.appending("interruption-level"),
      "the alert is critical and has no sound dictionary",
      help:
        "It stays silent when the device is muted. Write \"sound\": {\"critical\": 1, \"name\": \"default\"}."
    )
  }

  private static let volume = PayloadRule(
    "volume", "The volume of a critical alert is from 0 to 1.", .error, source: .payload,
    bad: [#"{"aps":{"sound":{"critical":1,"name":"default","volume":⟦1.5⟧}}}"#],
    good: [#"{"aps":{"sound":{"critical":1,"name":"default","volume":1}}}"#]
  ) { source, report in
    guard let volume = source.aps?["sound"]?["volume"], volume.double.map({ !(0...1).contains($0) }) ?? true
    else { return }
    report.add(
      volume.range, source.apsPointer.appending("sound").appending("volume"),
      "the volume is not a number from 0 to 1",
      help: "What a device does with the alert is documented nowhere. Write 1 for the loudest.")
  }

  private static let relevanceScore = PayloadRule(
    "relevance-score", "The relevance score is from 0 to 1, except in a Live Activity.", .error,
    source: .payload, bad: [#"{"aps":{"alert":"Hello","relevance-score":⟦2⟧}}"#],
    good: [#"{"aps":{"alert":"Hello","relevance-score":0.5}}"#], effect: .valueOnly
  ) { source, report in
    guard source.type != .liveactivity, let score = source.aps?["relevance-score"],
      let number = score.double, !(0...1).contains(number)
    else { return }
    report.add(
      score.range, source.apsPointer.appending("relevance-score"), "the relevance score is not from 0 to 1",
      help: "The notification summary ignores it. Only a Live Activity may have any number.")
  }
}
