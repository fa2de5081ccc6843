package import LinkspanCore
package import PushCampaigns

/// What a campaign has besides its push, its audience and its throttle.
package struct CampaignOptions: Hashable, Sendable {
  /// A payload for some of the people.
  package struct Variant: Hashable, Sendable {
    package var name: String
    /// Of those whom the holdout leaves, in millionths.
    package var share: Int64
    package var texts: PayloadTexts

    package init(name: String, share: Int64, texts: PayloadTexts) {
      self.name = name
      self.share = share
      self.texts = texts
    }
  }

  /// One payload in several languages, each sent byte for byte.
  package struct PayloadTexts: Hashable, Sendable {
    /// For devices whose language is not among ``languages``; nil where a campaign has variants alone.
    package var fallback: String?
    /// By canonical language.
    package var languages: [String: String] = [:]

    package init(fallback: String?, languages: [String: String] = [:]) {
      self.fallback = fallback
      self.languages = languages
    }
  }

  /// When it starts; nil for at once.
  package var startsAt: WallTime?
  /// Of the starting time as it was written, in seconds east of UTC; a recurrence counts its days by it.
  package var offsetSeconds: Int64 = 0
  package var recurrence: Recurrence?
  package var quietHours: QuietHours?
  package var cap: FrequencyCap?
  package var texts = PayloadTexts(fallback: nil)
  package var variants: [Variant] = []
  /// In millionths.
  package var holdout: Int64 = 0
  /// Whether payloads have places for what is known of a device.
  package var isTemplate = false
  /// JSON pointers to stored options that this build does not understand. Nothing may be sent of a campaign that has some.
  package private(set) var unread: [String] = []

  package init() {}

  /// Whether a campaign without these would be the same.
  package var isEmpty: Bool { self == CampaignOptions() }

  package var arms: CampaignArms { CampaignArms(holdout: holdout, shares: variants.map(\.share)) }

  /// Whether devices have to be looked at before they get a delivery.
  package var choosesDevices: Bool { holdout > 0 || cap != nil }

  /// Whether what is sent, or when, depends on the device.
  package var isPersonal: Bool {
    quietHours != nil || isTemplate || !variants.isEmpty || !texts.languages.isEmpty
  }
}

/// The stored form.
extension CampaignOptions {
  /// As the store keeps it.
  package var stored: String { form.text }

  private var form: JSON {
    func texts(_ texts: PayloadTexts) -> JSON {
      .object(
        [(LanguageChoice.fallback, JSON(texts.fallback))]
          + texts.languages.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })
    }
    return .object([
      ("starts_at", JSON(startsAt?.description)), ("offset_s", .int(Int(offsetSeconds))),
      ("repeat", JSON(recurrence?.text)), ("quiet_hours", quietHours?.json ?? .null),
      ("cap", cap?.json ?? .null), ("holdout", .int(Int(holdout))), ("template", .bool(isTemplate)),
      ("payloads", texts(self.texts)),
      (
        "variants",
        .array(
          variants.map {
            .object([
              ("name", .string($0.name)), ("share", .int(Int($0.share))), ("payloads", texts($0.texts)),
            ])
          })
      ),
    ])
  }

  /// What ``stored`` wrote.
  package init(stored text: String) {
    let root = JSONParser.parse(Array(text.utf8)).root
    func texts(_ node: JSONNode?) -> PayloadTexts {
      var texts = PayloadTexts(fallback: nil)
      for member in node?.object ?? [] {
        guard let text = member.value.string else { continue }
        if member.name == LanguageChoice.fallback {
          texts.fallback = text
        } else {
          texts.languages[member.name] = text
        }
      }
      return texts
    }
    startsAt = root?["starts_at"]?.string.flatMap { WallTime($0) }
    offsetSeconds = Int64(root?["offset_s"]?.int ?? 0)
    recurrence = root?["repeat"]?.string.flatMap { Recurrence.reading(stored: $0) }
    if let node = root?["quiet_hours"], let from = node["from"]?.string.flatMap(ClockTime.minutes),
      let to = node["to"]?.string.flatMap(ClockTime.minutes)
    {
      quietHours = QuietHours(from: from, to: to)
    }
    if let node = root?["cap"], let count = node["count"]?.int, let seconds = node["per_s"]?.int {
      cap = FrequencyCap(count: Int64(count), seconds: Int64(seconds))
    }
    holdout = Int64(root?["holdout"]?.int ?? 0)
    isTemplate = root?["template"]?.bool ?? false
    self.texts = texts(root?["payloads"])
    variants = (root?["variants"]?.array ?? []).map { node in
      Variant(
        name: node["name"]?.string ?? "", share: Int64(node["share"]?.int ?? 0),
        texts: texts(node["payloads"]))
    }
    unread = StoredForm.unread(text, writtenAs: form)
  }
}

extension QuietHours {
  /// As the API writes them.
  package var json: JSON {
    .object([("from", .string(ClockTime.text(from))), ("to", .string(ClockTime.text(to)))])
  }
}

extension FrequencyCap {
  /// As the API writes it.
  package var json: JSON { .object([("count", .int(Int(count))), ("per_s", .int(Int(seconds)))]) }
}
