package import AppClips
package import LinkspanCore

extension Story {
  /// An App Clip, by the name that the story uses.
  package struct Clip: Sendable {
    package var name: String
    /// The place of its app in the story.
    package var app: Int
    /// The application identifier: prefix, dot, bundle identifier.
    package var identifier: String
    /// The strings of its `com.apple.developer.associated-domains`.
    package var domains: [String]
    /// Its App Groups.
    package var groups: [String]
    package var experiences: ExperienceFile
    /// What ``experiences`` was read from.
    package var experienceDocument: JSON
    /// What its code does; only routes make it run.
    package var continuity = AppContinuity()

    package init(
      name: String, app: Int, identifier: String, domains: [String], groups: [String],
      experiences: AppClips.ExperienceFile, experienceDocument: JSON,
      continuity: AppContinuity = AppContinuity()
    ) {
      self.name = name
      self.app = app
      self.identifier = identifier
      self.domains = domains
      self.groups = groups
      self.experiences = experiences
      self.experienceDocument = experienceDocument
      self.continuity = continuity
    }
  }
}

/// A step about App Clips and the data that an app takes over from its clip (AC28 to AC30).
package enum ClipStep: Sendable {
  case invoke(ClipInvocation)
  case save(ClipData)
  case read(ClipData)
  /// The system removes a clip that was not used for a while, or the user does.
  case remove(clips: [Int], devices: [Int])

  /// The key that makes a step one of these.
  package static let verbs = ["invoke", "save", "read", "remove_clip"]

  package var devices: [Int] {
    switch self {
    case .invoke(let step): step.devices
    case .save(let step), .read(let step): step.devices
    case .remove(_, let devices): devices
    }
  }

  /// The step on other devices; nil without any.
  package func mapping(devices map: (Int) -> Int?) -> ClipStep? {
    let kept = devices.compactMap(map)
    guard !kept.isEmpty else { return nil }
    switch self {
    case .invoke(var step):
      step.devices = kept
      step.expectations = []
      return .invoke(step)
    case .save(var step):
      step.devices = kept
      return .save(step)
    case .read(var step):
      step.devices = kept
      step.isExpected = nil
      return .read(step)
    case .remove(let clips, _): return .remove(clips: clips, devices: kept)
    }
  }
}

/// A person comes to a clip by one of its entrances.
package struct ClipInvocation: Sendable {
  package var clip: Int
  /// nil for an entrance that brings none, such as the App Library.
  package var url: String?
  package var entrance: Entrance
  /// Whether what is opened was running; nil for as it was left.
  package var start: ContinuityStep.Start?
  package var devices: [Int]
  package var expectations: [ClipExpectation]

  package init(
    clip: Int, url: String? = nil, entrance: AppClips.Entrance, start: ContinuityStep.Start? = nil,
    devices: [Int], expectations: [ClipExpectation]
  ) {
    self.clip = clip
    self.url = url
    self.entrance = entrance
    self.start = start
    self.devices = devices
    self.expectations = expectations
  }
}

/// What an entrance should have opened.
package struct ClipExpectation: Hashable, Sendable {
  package enum Outcome: String, Hashable, Sendable {
    case clip, app
    /// The browser, or nothing.
    case browser
  }

  package var opens: Outcome
  /// What the story calls it.
  package var name: String
  /// The URL that the code receives; an empty text for none.
  package var received: String?
  /// The title of the card; an empty text for no card.
  package var card: String?
  /// Where the library led, in a clip or app that has routes.
  package var shows: String?
  package var devices: [Int]
  package var location: Finding.Location
}

/// Something that a clip or an app keeps under a name.
package struct ClipData: Sendable {
  /// By its place in the story.
  package enum Owner: Hashable, Sendable {
    case clip(Int)
    case app(Int)
  }

  package enum Store: Hashable, Sendable {
    /// The files of the clip or app itself.
    case container
    case keychain
    /// The container, or the user defaults, of an App Group.
    case group(String)

    /// As a story writes it.
    package var text: String {
      switch self {
      case .container: "container"
      case .keychain: "keychain"
      case .group(let name): name
      }
    }
  }

  package var key: String
  package var owner: Owner
  package var store: Store
  package var devices: [Int]
  /// For a `read`: whether it should be there.
  package var isExpected: Bool?
  package var location: Finding.Location

  package init(
    key: String, owner: ClipData.Owner, store: ClipData.Store, devices: [Int], isExpected: Bool? = nil,
    location: Finding.Location
  ) {
    self.key = key
    self.owner = owner
    self.store = store
    self.devices = devices
    self.isExpected = isExpected
    self.location = location
  }
}
