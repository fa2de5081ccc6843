package import LinkspanCore
package import PushTerms

/// What a campaign chooses devices by: every condition that is given has to hold.
package struct Audience: Hashable, Sendable {
  /// Every one of them.
  package var tags: [String] = []
  /// At least one of them, if there is any.
  package var anyTags: [String] = []
  /// None of them.
  package var withoutTags: [String] = []
  /// Each fits itself and its regions: `de` fits `de`, `de-AT` and `de_AT`. At least one must fit, if there is any.
  package var locales: [String] = []
  package var timeZones: [String] = []
  /// The lowest version, and the first one above.
  package var minimumVersion: String?
  package var belowVersion: String?
  /// How long ago the last registration may be at most, in seconds.
  package var seenWithin: Int64?
  /// How long ago it has to be, and more.
  package var notSeenFor: Int64?
  /// JSON pointers to stored conditions that this build does not understand, as `/query/near`. Nothing may be sent to an
  /// audience that has some: it would reach devices that they leave out.
  package private(set) var unread: [String] = []

  package init() {}

  /// What the API calls the conditions that are lists, their values, and how many characters a value may have.
  package var texts: [(condition: String, values: [String], limit: Int)] {
    let (tag, text) = (DeviceReader.tagLimit, DeviceReader.textLimit)
    return [
      ("tags", tags, tag), ("any_tags", anyTags, tag), ("without_tags", withoutTags, tag),
      ("locales", locales, text), ("time_zones", timeZones, text),
    ]
  }

  /// Of ``seenWithin`` and ``notSeenFor``. Ours: ten years.
  package static let secondsRange: ClosedRange<Int64> = 1...315_360_000

  /// Why no device can fit, whatever the registry has; nil where some could.
  ///
  /// - Parameter named: What the person calls a condition, from what the API calls it.
  /// - Returns: The condition as the API calls it, and what is wrong with it.
  package func contradiction(_ named: (String) -> String) -> (condition: String, problem: String)? {
    for (name, version) in [("from_version", minimumVersion), ("below_version", belowVersion)] {
      if let problem = version.flatMap(Self.problem(ofVersion:)) { return (name, problem) }
    }
    if let seenWithin, let notSeenFor, seenWithin <= notSeenFor {
      let bound = named("not_seen_for_s")
      return ("not_seen_for_s", "No device fits: '\(named("seen_within_s"))' has to be more than '\(bound)'.")
    }
    if let minimumVersion, let belowVersion,
      VersionKey.key(of: minimumVersion) >= VersionKey.key(of: belowVersion)
    {
      let bound = named("from_version")
      return ("below_version", "No device fits: '\(named("below_version"))' has to be later than '\(bound)'.")
    }
    let isUnwanted = { (tag: String) in withoutTags.contains { tag.isStored(as: $0) } }
    if let tag = tags.first(where: isUnwanted) {
      return ("without_tags", "No device fits: '\(tag)' is one of '\(named("tags"))' as well.")
    }
    if !anyTags.isEmpty, anyTags.allSatisfy(isUnwanted) {
      return ("without_tags", "No device fits: every tag of '\(named("any_tags"))' is here as well.")
    }
    return nil
  }

  /// Why others cannot be compared with a version; nil where they can.
  static func problem(ofVersion version: String) -> String? {
    guard version.utf8.first.map(ASCII.isDigit) != true else { return nil }
    return "Expected a version that begins with a number, such as \"2.10\"."
  }

  /// Whom it may have at another time; nil where time changes nothing.
  package var later: Audience? {
    guard seenWithin != nil || notSeenFor != nil else { return nil }
    var later = self
    (later.seenWithin, later.notSeenFor) = (nil, nil)
    return later
  }

  /// The live devices that fit.
  ///
  /// - Parameter now: What ``seenWithin`` and ``notSeenFor`` are counted from.
  package func filter(topic: String, environment: PushEnvironment, at now: WallTime) -> DeviceFilter {
    var filter = DeviceFilter()
    filter.topic = topic
    filter.environment = environment
    filter.isActive = true
    filter.choose(self, at: now)
    return filter
  }

  /// As the store keeps it and the API answers it.
  package var json: JSON {
    func list(_ texts: [String]) -> JSON { .array(texts.map(JSON.string)) }
    return .object([
      ("tags", list(tags)), ("any_tags", list(anyTags)), ("without_tags", list(withoutTags)),
      ("locales", list(locales)), ("time_zones", list(timeZones)), ("from_version", JSON(minimumVersion)),
      ("below_version", JSON(belowVersion)), ("seen_within_s", JSON(seenWithin.map { Int($0) })),
      ("not_seen_for_s", JSON(notSeenFor.map { Int($0) })),
    ])
  }

  /// What ``json`` wrote.
  package init(stored text: String) {
    let root = JSONParser.parse(Array(text.utf8)).root
    func list(_ name: String) -> [String] { root?[name]?.array?.compactMap(\.string) ?? [] }
    tags = list("tags")
    anyTags = list("any_tags")
    withoutTags = list("without_tags")
    locales = list("locales")
    timeZones = list("time_zones")
    minimumVersion = root?["from_version"]?.string
    belowVersion = root?["below_version"]?.string
    seenWithin = root?["seen_within_s"]?.int.map { Int64($0) }
    notSeenFor = root?["not_seen_for_s"]?.int.map { Int64($0) }
    unread = StoredForm.unread(text, writtenAs: json, at: "/query")
  }
}
