internal import PushCampaigns
internal import RegistryDatabases
internal import RegistryRequests

extension RegistryStore {
  /// Adds what the index of devices knows.
  func add(_ audience: Audience, to conditions: inout SQLFilter) {
    let tag = "\(database.dialect.position)(tags, ?) > 0"
    for name in audience.tags { conditions.add(tag, [.text(Self.stored([name]))]) }
    if !audience.anyTags.isEmpty {
      conditions.add(
        "(\(audience.anyTags.map { _ in tag }.joined(separator: " OR ")))",
        audience.anyTags.map { .text(Self.stored([$0])) })
    }
    for name in audience.withoutTags {
      conditions.add("\(database.dialect.position)(tags, ?) = 0", [.text(Self.stored([name]))])
    }
    if !audience.locales.isEmpty {
      // As `LanguageChoice` compares them; an identifier of Apple's may carry keywords behind '@'.
      let column = "lower(replace(locale, '_', '-'))"
      let one = "\(column) = ? OR \(column) LIKE ? ESCAPE '\\' OR \(column) LIKE ? ESCAPE '\\'"
      conditions.add(
        "(\(audience.locales.map { _ in one }.joined(separator: " OR ")))",
        audience.locales.flatMap { locale -> [SQLValue] in
          let tag = LanguageChoice.canonical(locale)
          let start = Self.escaped(tag)
          return [.text(tag), .text(start + "-%"), .text(start + "@%")]
        })
    }
    if !audience.timeZones.isEmpty { conditions.add("time_zone", in: audience.timeZones) }
    if let version = audience.minimumVersion {
      conditions.add("version_key >= ?", [.text(VersionKey.key(of: version))])
    }
    if let version = audience.belowVersion {
      conditions.add("version_key < ?", [.text(VersionKey.key(of: version))])
    }
  }
}
