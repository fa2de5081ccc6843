internal import LinkspanCommand
internal import LinkspanCore
internal import RegistryRequests

extension Arguments {
  /// The devices that flags such as `--tag` choose; every one without such flags.
  ///
  /// - Throws: That no device could fit, in the words of the flags.
  func audience() throws(LinkspanError) -> Audience {
    var audience = Audience()
    audience.tags = all("--tag")
    audience.anyTags = all("--any-tag")
    audience.withoutTags = all("--without-tag")
    audience.locales = all("--locale")
    audience.timeZones = all("--time-zone")
    for (condition, texts, limit) in audience.texts {
      guard let problem = texts.lazy.compactMap({ DeviceReader.lookupProblem($0, limit: limit) }).first else {
        continue
      }
      throw LinkspanError("'\(Self.flag(condition))': \(problem)")
    }
    audience.minimumVersion = value("--from-version")
    audience.belowVersion = value("--below-version")
    audience.seenWithin = try number("--seen-within", in: Audience.secondsRange)
    audience.notSeenFor = try number("--not-seen-for", in: Audience.secondsRange)
    if let (condition, problem) = audience.contradiction(Self.flag) {
      throw LinkspanError("'\(Self.flag(condition))': \(problem)")
    }
    return audience
  }

  /// The flag for what the API calls a condition: it takes one value, and has no unit.
  static func flag(_ condition: String) -> String {
    let ending = condition.hasSuffix("_s") ? 2 : condition.hasSuffix("s") ? 1 : 0
    return "--" + condition.dropLast(ending).replacing("_", with: "-")
  }
}
