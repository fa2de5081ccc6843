internal import PushCampaigns

extension CampaignOptions {
  /// The payload for a device.
  ///
  /// - Parameter draw: What the keyed hash draws for its person.
  /// - Returns: nil for the campaign's own.
  package func payload(for device: DeviceTraits, draw: UInt64) -> String? {
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
package struct DeviceTraits: Hashable, Sendable {
  package var token: String
  package var alias: String?
  package var language: String?
  package var locale: String?
  package var timeZone: String?
  package var appVersion: String?
  package var badge: Int64 = 0
  package var tags: [String] = []

  package init(
    token: String, alias: String? = nil, language: String? = nil, locale: String? = nil,
    timeZone: String? = nil, appVersion: String? = nil, badge: Int64 = 0, tags: [String] = []
  ) {
    self.token = token
    self.alias = alias
    self.language = language
    self.locale = locale
    self.timeZone = timeZone
    self.appVersion = appVersion
    self.badge = badge
    self.tags = tags
  }

  /// As a template asks for them.
  var values: PayloadTemplate.Values {
    let texts: [PayloadTemplate.Name: String?] = [
      .alias: alias, .language: language, .locale: locale, .timeZone: timeZone, .appVersion: appVersion,
      .badge: "\(badge)",
    ]
    return PayloadTemplate.Values(texts: texts.compactMapValues { $0 }, tags: tags)
  }
}
