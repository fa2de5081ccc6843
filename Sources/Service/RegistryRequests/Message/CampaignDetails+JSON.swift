package import LinkspanCore
internal import PushCampaigns

extension CampaignDetails {
  /// What the API adds to a campaign that has options.
  package var members: [(String, JSON)] {
    let variants = options.variants.enumerated().map { index, variant in
      JSON.object([
        ("name", .string(variant.name)), ("share", .number(CampaignArms.text(variant.share))),
        ("devices", .int(Int(devices[Share.variant(index)] ?? 0))),
      ])
    }
    return [
      ("starts_at", JSON(options.startsAt?.description)), ("next_start", JSON(startsAt?.description)),
      ("repeat", JSON(options.recurrence?.text)), ("series", JSON(series.map { "\($0)" })),
      ("occurrence", .int(Int(occurrence))), ("grown_to", JSON(grownTo.map { Int($0) })),
      ("quiet_hours", options.quietHours?.json ?? .null), ("cap", options.cap?.json ?? .null),
      ("template", .bool(options.isTemplate)), ("languages", .array(options.languages.map(JSON.string))),
      ("variants", .array(variants)),
      ("holdout", options.holdout == 0 ? .null : .number(CampaignArms.text(options.holdout))),
      (
        "shares",
        .object([
          ("own", .int(Int(devices[Share.own] ?? 0))), ("holdout", .int(Int(devices[Share.holdout] ?? 0))),
          ("capped", .int(Int(devices[Share.cap] ?? 0))),
        ])
      ),
    ]
  }

  /// Devices that got nothing on purpose.
  package var passedOver: Int64 { (devices[Share.holdout] ?? 0) + (devices[Share.cap] ?? 0) }
}

extension CampaignOptions {
  /// Every language that there is a payload in, besides the default.
  fileprivate var languages: [String] {
    Set(texts.languages.keys).union(variants.flatMap { $0.texts.languages.keys }).sorted()
      .map(LanguageChoice.written)
  }
}
