internal import PushCampaigns
internal import RegistryRequests

extension CampaignOptions {
  /// The payload for a device.
  ///
  /// - Parameter draw: What the keyed hash draws for its person.
  /// - Returns: nil for the campaign's own.
  func payload(for device: DeviceTraits, draw: UInt64) -> String? {
    var chosen = texts
    if case .variant(let index) = arms.arm(draw) { chosen = variants[index].texts }
    let text = chosen.text(for: device)
    guard isTemplate, let text, case .success(let template) = PayloadTemplate.reading(text) else {
      return text
    }
    return template.text(for: device.values)
  }
}

extension CampaignOptions.PayloadTexts {
  fileprivate func text(for device: DeviceTraits) -> String? {
    guard !languages.isEmpty,
      let language = LanguageChoice.language(device.language, device.locale, among: Set(languages.keys))
    else { return fallback }
    return languages[language]
  }
}

/// What a campaign knows of a device when it chooses what to send to it.
struct DeviceTraits: Hashable, Sendable {
  var token: String
  var alias: String?
  var language: String?
  var locale: String?
  var timeZone: String?
  var appVersion: String?
  var badge: Int64 = 0
  var tags: [String] = []

  /// As a template asks for them.
  var values: PayloadTemplate.Values {
    let texts: [PayloadTemplate.Name: String?] = [
      .alias: alias, .language: language, .locale: locale, .timeZone: timeZone, .appVersion: appVersion,
      .badge: "\(badge)",
    ]
    return PayloadTemplate.Values(texts: texts.compactMapValues { $0 }, tags: tags)
  }
}
