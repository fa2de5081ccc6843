internal import LinkspanCore

/// Rules about the payload as a whole.
extension PayloadRule {
  static let structure: [PayloadRule] = [
    syntax, notAnObject, missingAps, mdmMagic, tooLarge, duplicateKey, outsideAps, twin, valueType, notOne,
    unknownKey,
    unknownPartKey, simulatorTarget,
  ]

  /// Each kind of mistake is reported as `json.` and its name, as in association files.
  static let syntax = PayloadRule(
    "json", "A payload is JSON as RFC 8259 has it.", .error, source: .payload,
    bad: [#"{"aps":{"alert":"Hello"⟦,⟧}}"#]
  ) { source, report in
    for error in source.document.errors {
      report.add(
        error.range, JSONPointer(), error.message,
        help: source.text.bytes.isEmpty ? "APNs answers 400 PayloadEmpty. \(error.help)" : error.help,
        rule: "json.\(error.kind.rawValue)")
    }
  }

  private static let notAnObject = PayloadRule(
    "not-an-object", "A payload is an object.", .error, source: .payload, bad: ["⟦[]⟧"]
  ) { source, report in
    guard let payload = source.payload, payload.object == nil else { return }
    report.add(
      payload.range, source.pointer, "the payload is \(payload.typeName), not an object",
      help: "APNs takes an object only. Write {\"aps\": {…}}.")
  }

  /// What a VoIP push without 'aps' needs: its keys are the app's own.
  static let emptyApsHelp = "An empty one is enough: write \"aps\": {} beside the app's own keys."

  private static let missingAps = PayloadRule(
    "missing-aps", "A payload has an object 'aps', except one for MDM.", .error, source: .payload,
    bad: [
      #"⟦{⟧"alert":"Hello"}"#, #"{"aps":⟦"Hello"⟧}"#, #"{⟦"APS"⟧:{"alert":"Hello"}}"#,
      #"⟦{⟧"notification":{"body":"Hello"},"data":{"a":"b"}}"#,
    ], good: [exampleAlert, #"{"mdm":"magic"}"#]
  ) { source, report in
    guard let payload = source.payload, payload.object != nil, source.type != .mdm, source.aps == nil else {
      return
    }
    if payload["aps"] == nil, let near = payload.object?.first(where: isMeantAsAps) {
      return report.add(
        near.nameRange, source.pointer.appending(near.name), "the payload has no 'aps', but '\(near.name)'",
        help: "The device ignores the push. Did you mean 'aps'?")
    }
    let help =
      if payload["payload"]?["aps"] != nil {
        "It looks like a recorded request, which is sent as it is. Send what it has as 'payload' alone."
      } else if let service = envelope(payload) {
        service
      } else if source.type == .voip {
        // 5.2 wants one of every type but MDM; that a device drops a VoIP push without is nowhere said.
        emptyApsHelp
      } else {
        "The device ignores the push. Put Apple's keys into {\"aps\": {…}}, and your own beside it."
      }
    if let aps = payload["aps"] {
      report.add(aps.range, source.apsPointer, "'aps' is \(aps.typeName), not an object", help: help)
    } else {
      report.add(source.start, source.pointer, "the payload has no 'aps'", help: help)
    }
  }

  /// Whether a member is 'aps' in another spelling: in capitals, with blanks, or one letter off with Apple's keys in it.
  private static func isMeantAsAps(_ member: JSONMember) -> Bool {
    if ApsKey.folded(member.name.filter { !" \t\r\n".contains($0) }) == "aps" { return true }
    let holdsKeys = member.value.object?.contains { ApsKey.named($0.name) != nil } ?? false
    return holdsKeys && Spelling.nearest(to: member.name, among: ["aps"]) != nil
  }

  /// What a message for a service between the sender and APNs is, and what to do; nil for any other payload. Such a
  /// service takes the message apart and sends APNs a payload of its own.
  ///
  /// - Source: Firebase, REST resource projects.messages; Amazon, "Publishing Amazon SNS notifications with
  ///   platform-specific payloads".
  private static func envelope(_ payload: JSONNode) -> String? {
    let message = payload["message"] ?? payload
    // The key of the message that goes on to APNs.
    if let apns = message["apns"]?["payload"], apns["aps"] != nil {
      return "It is a message for Firebase Cloud Messaging (FCM). Send what it has as 'apns.payload' alone."
    }
    if message["notification"]?.object != nil {
      return "It looks like a message for Firebase Cloud Messaging (FCM); APNs does not know 'notification'."
        + " Write its title and body into {\"aps\": {\"alert\": {…}}}, and what 'data' has beside 'aps'."
    }
    let platforms = ["APNS", "APNS_SANDBOX", "APNS_VOIP", "APNS_VOIP_SANDBOX"]
    guard let platform = platforms.first(where: { payload[$0]?.string != nil }) else { return nil }
    return "It looks like a message for Amazon SNS. Send the text of '\(platform)' alone: it is the payload."
  }

  private static let mdmMagic = PayloadRule(
    "mdm", "A push for MDM has the device's PushMagic, a string, as 'mdm'.", .error, source: .mdm,
    bad: [#"{"mdm":⟦1⟧}"#, #"{"mdm":⟦""⟧}"#], good: [#"{"mdm":"magic"}"#]
  ) { source, report in
    guard source.type == .mdm, let payload = source.payload, payload.object != nil else { return }
    let help =
      "The device has nothing to compare and does not ask its server."
      + " Write the PushMagic that it sent with its token: {\"mdm\": \"…\"}."
    guard let magic = payload["mdm"] else {
      return report.add(source.start, source.pointer, "the payload has no 'mdm'", help: help)
    }
    guard magic.string?.isEmpty ?? true else { return }
    report.add(
      magic.range, source.pointer.appending("mdm"),
      magic.string == nil ? "'mdm' is \(magic.typeName); expected a string" : "'mdm' is empty", help: help)
  }

  private static let tooLarge = PayloadRule(
    "too-large", "A payload has at most 4096 bytes, one of type voip 5120.", .error, source: .payload,
    bad: ["⟦{⟧\"aps\":{\"alert\":\"\(String(repeating: "a", count: 4_077))\"}}"]
  ) { source, report in
    guard source.refusals.contains(where: { $0.reason == .payloadTooLarge }) else { return }
    let type = source.headers.knownType ?? .alert
    report.add(
      source.start, source.pointer,
      "the payload has \(source.sizeBytes) bytes; at most \(type.payloadLimitBytes) are allowed for type \(type.rawValue)",
      help: "APNs answers 413 PayloadTooLarge. Send less, and let the app fetch the rest.")
  }

  private static let duplicateKey = PayloadRule(
    "duplicate-key", "No object has the same key twice.", .warning, source: .payload,
    bad: [#"{"aps":{"alert":"Hello",⟦"alert"⟧:"World"}}"#]
  ) { source, report in
    if let payload = source.payload { DuplicateKeys.report(in: payload, of: source.text, to: &report) }
  }

  private static let outsideAps = PayloadRule(
    "outside-aps", "Apple's keys are inside 'aps', not outside it or deeper.", .error, source: .payload,
    bad: [
      #"{⟦"content-available"⟧:1,"aps":{"alert":"Hello"}}"#,
      #"{"aps":{"alert":{"body":"Hello",⟦"sound"⟧:"default"}}}"#,
      #"{"aps":{"alert":{"body":"Hello",⟦"content-available"⟧:1}}}"#,
    ], good: [exampleSilent, #"{"aps":{"alert":"Hello"},"category":"news"}"#],
    effect: .valueOnly
  ) { source, report in
    func check(
      _ node: JSONNode?, _ pointer: JSONPointer, _ place: String, isMisplaced: (String) -> Bool
    ) {
      for member in node?.object ?? [] where ApsKey.named(member.name) != nil && isMisplaced(member.name) {
        let wakes = member.name == "content-available"
        report.add(
          member.nameRange, pointer.appending(member.name), "'\(member.name)' is \(place)",
          help: (wakes ? "It has no effect there: the app is not woken." : "It has no effect there.")
            + " Move it into 'aps'.", severity: wakes ? .error : .warning)
      }
    }
    // A word without a hyphen may well be a key of the app's own there; an alert has none.
    check(source.payload, source.pointer, "outside 'aps'") { $0.contains("-") }
    let ofAlert = ApsKey.names(inside: "alert", isLiveActivity: source.type == .liveactivity)
    check(source.aps?["alert"], source.apsPointer.appending("alert"), "inside 'alert'") {
      $0 != "alert" && !ofAlert.contains($0)
    }
  }

  private static let twin = PayloadRule(
    "misspelt-key", "Keys of 'aps' are written with hyphens.", .error, source: .payload,
    bad: [#"{"aps":{⟦"content_available"⟧:1}}"#, #"{"aps":{"alert":"Hello",⟦"threadId"⟧:"a"}}"#],
    effect: .valueOnly
  ) { source, report in
    for member in source.aps?.object ?? [] {
      guard let key = ApsKey.twin(of: member.name) else { continue }
      report.add(
        member.nameRange, source.apsPointer.appending(member.name), "'\(member.name)' is not a key of 'aps'",
        help: "It has no effect. Write '\(key.name)'.")
    }
  }

  private static let valueType = PayloadRule(
    "value-type", "Every value in 'aps' has the type that Apple's key has.", .error, source: .payload,
    bad: [
      #"{"aps":{"alert":⟦5⟧}}"#, #"{"aps":{"alert":"Hello","thread-id":⟦7⟧}}"#,
      #"{"aps":{"alert":{"title":⟦1⟧,"body":"Hello"}}}"#,
    ], good: [exampleAlert, #"{"aps":{"alert":{"title":"News","body":"Hello"}}}"#], effect: .valueOnly
  ) { source, report in
    func check(_ member: JSONMember, _ kind: ApsKey.Kind, _ pointer: JSONPointer) {
      guard !kind.accepts(member.value) else { return }
      report.add(
        member.value.range, pointer.appending(member.name),
        "'\(member.name)' is \(member.value.typeName); expected \(kind.name)",
        help: "The device ignores the value. Write \(kind.name).")
    }
    for member in source.aps?.object ?? [] {
      guard let key = ApsKey.named(member.name), !key.isFlag, key.name != "badge" else { continue }
      check(member, key.kind, source.apsPointer)
      let inner = ApsKey.kinds(inside: key.name, isLiveActivity: source.type == .liveactivity)
      for part in member.value.object ?? [] {
        if let kind = inner[part.name] { check(part, kind, source.apsPointer.appending(key.name)) }
      }
    }
  }

  private static let notOne = PayloadRule(
    "flag-not-1", "Flags in 'aps' are the number 1.", .warning, source: .payload,
    bad: [#"{"aps":{"content-available":⟦true⟧}}"#, #"{"aps":{"alert":"Hello","mutable-content":⟦"1"⟧}}"#],
    good: [exampleSilent, #"{"aps":{"alert":"Hello","mutable-content":1}}"#]
  ) { source, report in
    for member in source.aps?.object ?? [] {
      guard ApsKey.named(member.name)?.isFlag == true, ![0, 1].contains(member.value.wholeNumber)
      else { continue }
      // Without one a background push wakes nothing, which another rule says.
      let isNearlyOne = member.value.string == "1" || member.value.bool == true
      if source.type == .background, member.name == "content-available", !isNearlyOne { continue }
      report.add(
        member.value.range, source.apsPointer.appending(member.name),
        "'\(member.name)' is not the number 1", help: "Apple documents the number only. Write 1.")
    }
  }

  private static let unknownKey = PayloadRule(
    "unknown-key", "Every key of 'aps' is one of Apple's.", .warning, source: .payload,
    bad: [#"{"aps":{"alert":"Hello",⟦"colour"⟧:"red"}}"#],
    good: [#"{"aps":{"alert":"Hello"},"colour":"red"}"#]
  ) { source, report in
    for member in source.aps?.object ?? [] {
      // A header is another rule's.
      guard ApsKey.named(member.name) == nil, ApsKey.twin(of: member.name) == nil,
        headerName(member.name) == nil
      else { continue }
      let near = Spelling.nearest(to: member.name, among: ApsKey.all.map { $0.name })
      report.add(
        member.nameRange, source.apsPointer.appending(member.name), "'\(member.name)' is not a key of 'aps'",
        help: near.map { "It is ignored. Did you mean '\($0)'?" }
          ?? "It is ignored. Put the app's own keys beside 'aps'.")
    }
  }

  private static let unknownPartKey = PayloadRule(
    "unknown-part-key", "Every key of an alert and of a sound is one of Apple's.", .warning, source: .payload,
    bad: [
      #"{"aps":{"alert":{⟦"titel"⟧:"News","body":"Hello"}}}"#,
      #"{"aps":{"alert":"Hello","sound":{"critical":1,⟦"file"⟧:"a.caf"}}}"#,
    ], good: [#"{"aps":{"alert":{"title":"News","body":"Hello"},"sound":{"critical":1,"name":"a.caf"}}}"#]
  ) { source, report in
    for key in ["alert", "sound"] {
      let known = ApsKey.names(inside: key, isLiveActivity: source.type == .liveactivity)
      for member in source.aps?[key]?.object ?? [] where !known.contains(member.name) {
        let name = member.name
        // What belongs into 'aps' itself, and a header, are other rules'.
        let isOfAps =
          ApsKey.named(name) != nil && (key == "alert" ? name != "alert" : name.contains("-"))
        let isElsewhere = isOfAps || headerName(name) != nil
        guard !isElsewhere else { continue }
        let twin = known.first { ApsKey.folded($0) == ApsKey.folded(name) }
        let near = twin ?? Spelling.nearest(to: name, among: known)
        report.add(
          member.nameRange, source.apsPointer.appending(key).appending(name),
          "'\(name)' is not a key of '\(key)'",
          help: near.map { "It is ignored. Did you mean '\($0)'?" }
            ?? "It is ignored. Put the app's own keys beside 'aps'.")
      }
    }
  }

  private static let simulatorTarget = PayloadRule(
    "simulator-target", "A file for the simulator names its app.", .note, source: .payload,
    bad: [], good: [#"{"Simulator Target Bundle":"com.example.app","aps":{"alert":"Hello"}}"#]
  ) { source, report in
    guard source.isSimulatorFile, let payload = source.payload, payload.object != nil,
      payload[ReceivedPayload.simulatorKey]?.string == nil
    else { return }
    report.add(
      source.start, source.pointer, "the file has no \"\(ReceivedPayload.simulatorKey)\"",
      help:
        "It cannot be dropped onto a simulator, and 'simctl push' needs the bundle identifier as an argument."
    )
  }
}
