internal import LinkspanCore
internal import PushCampaigns
internal import PushProvider

/// The part of a campaign's request that goes beyond a push, an audience and a throttle.
extension MessageReader {
  /// Languages of a payload, and variants of a campaign. Ours.
  package static let languageLimit = 64
  package static let variantLimit = 16

  static let optionNames = [
    "starts_at", "repeat", "quiet_hours", "payloads", "cap", "variants", "holdout", "template",
  ]

  /// The payloads of a campaign.
  struct CampaignPayloads {
    var texts = CampaignOptions.PayloadTexts(fallback: nil)
    var variants: [CampaignOptions.Variant] = []
    /// The one that the push type is found by.
    var main: PlacedPayload?
    var others: [PlacedPayload] = []

    mutating func add(_ payload: PlacedPayload) {
      if main == nil { main = payload } else { others.append(payload) }
    }
  }

  mutating func campaignPayloads(_ node: JSONNode, _ bytes: [UInt8]) -> CampaignPayloads {
    var payloads = CampaignPayloads()
    let variants = given(node, "variants")
    if variants == nil || given(node, "payload") != nil || given(node, "payloads") != nil {
      payloads.texts = texts(node, "", bytes, &payloads)
    }
    guard let variants else { return payloads }
    guard let list = variants.array, (1...Self.variantLimit).contains(list.count) else {
      values.report("/variants", "Expected an array of 1 to \(Self.variantLimit) variants.")
      return payloads
    }
    for (index, element) in list.enumerated() {
      variant(element, "/variants/\(index)", bytes, &payloads)
    }
    let shares = payloads.variants.map(\.share)
    if shares.count == list.count { complete(shares, &payloads) }
    return payloads
  }

  private mutating func variant(
    _ node: JSONNode, _ base: String, _ bytes: [UInt8], _ payloads: inout CampaignPayloads
  ) {
    guard let members = node.object else {
      values.report(base, "A variant is an object such as {\"name\":\"b\",\"share\":0.5,\"payload\":{…}}.")
      return
    }
    let names = ["name", "share", "payload", "payloads"]
    reportUnknown(members, names, "a variant", at: base)
    let share = share(node, "share", at: base)
    if share == nil, given(node, "share") == nil { values.report(base + "/share", "'share' is missing.") }
    let name = given(node, "name").flatMap { values.text($0, base + "/name", limit: DeviceReader.tagLimit) }
    if given(node, "name") == nil { values.report(base + "/name", "'name' is missing.") }
    if let name, payloads.variants.contains(where: { $0.name == name }) {
      values.report(base + "/name", "Another variant is called '\(name)' too.")
    }
    let texts = texts(node, base, bytes, &payloads)
    if let name, let share { payloads.variants.append(.init(name: name, share: share, texts: texts)) }
  }

  /// Without a payload of the campaign's own the variants have to share everybody.
  private mutating func complete(_ shares: [Int64], _ payloads: inout CampaignPayloads) {
    let isWhole = payloads.texts.fallback == nil
    guard let shares = isWhole ? CampaignArms.completed(shares) : CampaignArms.limited(shares) else {
      return values.report(
        "/variants",
        isWhole
          ? "The shares are not 1 together. Make them so, or give a 'payload' for those who get no variant."
          : "The shares are more than 1 together.")
    }
    for (index, share) in shares.enumerated() { payloads.variants[index].share = share }
  }

  /// Reads `payload`, or `payloads` by language.
  private mutating func texts(
    _ node: JSONNode, _ base: String, _ bytes: [UInt8], _ payloads: inout CampaignPayloads
  ) -> CampaignOptions.PayloadTexts {
    func text(_ node: JSONNode) -> String { String(decoding: bytes[node.range], as: UTF8.self) }
    var texts = CampaignOptions.PayloadTexts(fallback: nil)
    guard let languages = given(node, "payloads") else {
      if let payload = payload(node, at: base) {
        payloads.add(payload)
        texts.fallback = text(payload.node)
      }
      return texts
    }
    let place = base + "/payloads"
    if given(node, "payload") != nil {
      values.report(
        place, "'payload' and 'payloads' exclude each other; the first one is 'default' in the second.")
    }
    guard let members = languages.object, (1...Self.languageLimit + 1).contains(members.count) else {
      values.report(
        place, "Expected an object with 'default' and at most \(Self.languageLimit) languages, such as 'de'.")
      return texts
    }
    // The default decides about the push type.
    for member in members.sorted(by: {
      $0.name == LanguageChoice.fallback && $1.name != LanguageChoice.fallback
    }) {
      let pointer = place + JSONPointer().appending(member.name).description
      guard member.value.object != nil else {
        values.report(pointer, "Expected a payload such as {\"aps\":{\"alert\":\"Hi\"}}.")
        continue
      }
      payloads.add(PlacedPayload(node: member.value, pointer: pointer))
      if member.name == LanguageChoice.fallback {
        texts.fallback = text(member.value)
      } else if !LanguageChoice.isTag(member.name) {
        values.report(pointer, "'\(member.name)' is not a language such as 'de' or 'pt-BR'.")
      } else if texts.languages.updateValue(text(member.value), forKey: LanguageChoice.canonical(member.name))
        != nil
      {
        values.report(pointer, "The language '\(member.name)' occurs twice.")
      }
    }
    if texts.fallback == nil {
      values.report(place, "'default' is missing: the payload for every other language.")
    }
    return texts
  }

  // MARK: - Templates

  private static let templateAdvice =
    "A campaign with 'template' fills such places with what is known of each device."

  mutating func flag(_ node: JSONNode, _ name: String) -> Bool {
    guard let value = given(node, name) else { return false }
    if value.bool == nil { values.report("/" + name, "Expected true or false.") }
    return value.bool ?? false
  }

  /// Judges a payload, and where it is a template what each of its branches makes of it.
  mutating func lintBranches(
    _ payload: [UInt8], _ headers: PushHeaders, _ place: String, isMain: Bool = true
  ) {
    let text = String(decoding: payload, as: UTF8.self)
    guard isTemplate else {
      if let tag = PayloadTemplate.place(in: text) {
        warn(place, "'\(tag)' is sent as it is written. \(Self.templateAdvice)")
      }
      return lint(payload, headers, place, isMain: isMain)
    }
    switch PayloadTemplate.reading(text) {
    case .success(let template):
      for text in template.renderings { lint(Array(text.utf8), headers, place, isMain: isMain) }
    case .failure(let problem): values.report(place, problem.message)
    }
  }

  // MARK: - When, and how often

  mutating func options(
    _ node: JSONNode, _ payloads: CampaignPayloads, expiration: Int64?
  ) -> CampaignOptions {
    var options = CampaignOptions()
    // A payload without languages is the message's own.
    if !payloads.texts.languages.isEmpty || !payloads.variants.isEmpty || isTemplate {
      options.texts = payloads.texts
    }
    options.isTemplate = isTemplate
    options.variants = payloads.variants
    options.holdout = share(node, "holdout") ?? 0
    if options.holdout == CampaignArms.whole {
      values.report("/holdout", "A holdout of 1 leaves no device. Expected a share below 1, such as 0.1.")
    }
    if let start = given(node, "starts_at") { readStart(start, &options) }
    if let rule = given(node, "repeat") {
      options.recurrence = recurrence(rule)
      if expiration ?? 0 > 0 {
        values.report(
          "/expiration",
          "'expiration' is one moment, and a campaign that repeats would need another one each time.")
      }
    }
    if let start = options.startsAt, let expiration, expiration > 0, expiration * 1_000 <= start.milliseconds
    {
      values.report("/expiration", "The push expires before the campaign starts.")
    }
    if let quiet = given(node, "quiet_hours") { options.quietHours = quietHours(quiet) }
    if let cap = given(node, "cap") { options.cap = self.cap(cap) }
    return options
  }

  /// RFC 3339, in UTC or with an offset.
  private mutating func readStart(_ node: JSONNode, _ options: inout CampaignOptions) {
    guard let text = node.string, let (time, offset) = Self.moment(text) else {
      values.report(
        "/starts_at", "Expected a moment such as \"2026-12-24T08:00:00Z\" or \"2026-12-24T09:00:00+01:00\".")
      return
    }
    options.startsAt = time
    options.offsetSeconds = offset
  }

  private static func moment(_ written: String) -> (WallTime, offset: Int64)? {
    // RFC 3339 allows small letters.
    let text = written.uppercased()
    if let time = WallTime(text) { return (time, 0) }
    let tail = Array(text.utf8.suffix(6))
    guard tail.count == 6, tail[0] == UInt8(ascii: "+") || tail[0] == UInt8(ascii: "-"),
      let minutes = ClockTime.minutes(String(text.suffix(5))), let time = WallTime(text.dropLast(6) + "Z")
    else { return nil }
    let offset = Int64(tail[0] == UInt8(ascii: "+") ? minutes : -minutes) * 60
    return (time.advanced(by: .seconds(-offset)), offset)
  }

  /// A rule as RFC 5545 writes it, or its parts as an object.
  private mutating func recurrence(_ node: JSONNode) -> Recurrence? {
    var text = node.string
    if let members = node.object {
      text = members.map { member in
        let list = member.value.array?.compactMap(\.string).joined(separator: ",")
        return "\(member.name)=\(member.value.string ?? list ?? member.value.int.map { "\($0)" } ?? "")"
      }.joined(separator: ";")
    }
    guard let text else {
      values.report("/repeat", "Expected a rule such as \"FREQ=WEEKLY;BYDAY=MO,FR;COUNT=10\".")
      return nil
    }
    switch Recurrence.reading(text) {
    case .success(let rule): return rule
    case .failure(let problem):
      values.report("/repeat", problem.message)
      return nil
    }
  }

  private mutating func quietHours(_ node: JSONNode) -> QuietHours? {
    let names = ["from", "to"]
    reportUnknown(node.object ?? [], names, "quiet hours", at: "/quiet_hours")
    let times = names.map { node[$0]?.string.flatMap(ClockTime.minutes) }
    // In words that the console's form has, too.
    let example = "'from' and 'to', such as \"22:00\" and \"08:00\""
    guard let from = times[0], let to = times[1] else {
      values.report("/quiet_hours", "Expected two times of day with two digits each, \(example).")
      return nil
    }
    if let quiet = QuietHours(from: from, to: to), quiet.leaveTime { return quiet }
    values.report(
      "/quiet_hours",
      from == to
        ? "Expected two different times, \(example)."
        : "They leave one minute of the day, and no push is sent in the last minute before them."
    )
    return nil
  }

  private mutating func cap(_ node: JSONNode) -> FrequencyCap? {
    reportUnknown(node.object ?? [], ["count", "per_s"], "a cap", at: "/cap")
    guard node.object != nil, given(node, "count") != nil, given(node, "per_s") != nil else {
      values.report(
        "/cap", "Expected a number of pushes, 'count', and a time in seconds, 'per_s', such as 2 and 86400.")
      return nil
    }
    let count = number(node, "count", 1...FrequencyCap.largestCount, at: "/cap")
    let seconds = number(node, "per_s", 1...FrequencyCap.longestSeconds, at: "/cap")
    guard let count, let seconds else { return nil }
    return FrequencyCap(count: count, seconds: seconds)
  }

  private mutating func share(_ node: JSONNode, _ name: String, at base: String = "") -> Int64? {
    guard let value = given(node, name) else { return nil }
    if case .number(let text) = value.value, let share = CampaignArms.share(text) { return share }
    values.report(base + "/" + name, "Expected a share from 0 to 1, such as 0.25.")
    return nil
  }

  private mutating func reportUnknown(
    _ members: [JSONMember], _ names: [String], _ what: String, at base: String
  ) {
    for member in members where !names.contains(member.name) {
      let advice = Spelling.nearest(to: member.name, among: names).map { " Did you mean '\($0)'?" } ?? ""
      values.report(
        base + JSONPointer().appending(member.name).description,
        "'\(member.name)' is not a key of \(what).\(advice)")
    }
  }
}
