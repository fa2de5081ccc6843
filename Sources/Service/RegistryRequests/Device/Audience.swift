package import LinkspanCore
package import PushTerms

/// What a campaign chooses devices by: every condition that is given has to hold.
package struct Audience: Hashable, Sendable {
  /// Every one of them.
  package var tags: [String] = []
  /// At least one of them, if there is any.
  package var anyTags: [String] = []
  /// Each fits itself and its regions: `de` fits `de`, `de-AT` and `de_AT`. At least one must fit, if there is any.
  package var locales: [String] = []
  package var timeZones: [String] = []
  /// The lowest version, and the first one above.
  package var minimumVersion: String?
  package var belowVersion: String?

  package init() {}

  /// The live devices that fit.
  package func filter(topic: String, environment: PushEnvironment) -> DeviceFilter {
    var filter = DeviceFilter()
    filter.topic = topic
    filter.environment = environment
    filter.isActive = true
    filter.audience = self
    return filter
  }

  /// As the store keeps it and the API answers it.
  package var json: JSON {
    func list(_ texts: [String]) -> JSON { .array(texts.map(JSON.string)) }
    return .object([
      ("tags", list(tags)), ("any_tags", list(anyTags)), ("locales", list(locales)),
      ("time_zones", list(timeZones)), ("from_version", JSON(minimumVersion)),
      ("below_version", JSON(belowVersion)),
    ])
  }

  /// What ``json`` wrote.
  package init(stored text: String) {
    let root = JSONParser.parse(Array(text.utf8)).root
    func list(_ name: String) -> [String] { root?[name]?.array?.compactMap(\.string) ?? [] }
    tags = list("tags")
    anyTags = list("any_tags")
    locales = list("locales")
    timeZones = list("time_zones")
    minimumVersion = root?["from_version"]?.string
    belowVersion = root?["below_version"]?.string
  }
}
