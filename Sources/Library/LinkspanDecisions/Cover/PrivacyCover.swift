/// Decides when private content is hidden from the app switcher, and behind what.
///
/// A value without UIKit: tell it what the system calls, and do what it answers. Use one for each scene.
///
///     var cover = PrivacyCover()
///     if let step = cover.handle(.willResignActive) { perform(step) }
///
/// The system takes the switcher's picture shortly after `didEnterBackground` returns; but while the switcher shows an app
/// that was active just now, it shows the app's live interface, and the app is only inactive. So the default covers as
/// soon as the app resigns active, and uncovers when it is active again. Uncovering at `willEnterForeground` instead would
/// leave the cover on after a return without a background phase, so no policy does that after covering earlier.
public struct PrivacyCover: Hashable, Sendable {
  /// When the cover is on.
  public enum Policy: Hashable, Sendable, CaseIterable {
    /// While the app is not active. Nothing private is seen in the switcher; behind calls, Control Centre and prompts the
    /// cover appears for a moment (see ``PrivacyCover/beginPrompt()`` for the app's own prompts).
    case whileInactive
    /// From `didEnterBackground` to `willEnterForeground`. The picture on disk is safe and no prompt shows the cover, but
    /// the switcher shows a still active app live.
    case whileInBackground
  }

  /// What covers.
  public enum Form: Hashable, Sendable {
    /// One colour: shows nothing, costs nothing, turns with the device.
    case opaque(BlurEffect.Tint)
    /// A view of the app's own, such as its launch screen.
    case ownView
    /// The interface itself, drawn into a picture and blurred. Drawing takes time in `willResignActive`, and large text
    /// stays legible under a small radius. After a rotation or a failed drawing ``opaque(_:)`` takes its place.
    case blurred(BlurEffect)
  }

  /// Where the cover lies.
  public enum Placement: Hashable, Sendable, CaseIterable {
    /// In the scene's window: what the app presents over it, such as an alert, stays visible.
    case inWindow
    /// In a window of its own one level above alerts: covers presented controllers too.
    case windowAboveAlerts
  }

  /// What the system or the app tells.
  public enum Event: Hashable, Sendable, CaseIterable {
    case willResignActive
    case didEnterBackground
    case willEnterForeground
    case didBecomeActive
    /// The scene's interface has another size, as after a rotation: a blurred picture no longer fits.
    case sizeChanged
    /// The interface could not be drawn into a picture.
    case drawingFailed
    /// The scene is gone, and its windows with it.
    case didDisconnect
  }

  /// What to do.
  public enum Step: Hashable, Sendable {
    /// Put the cover on, without an animation: the picture is taken soon.
    case cover(Form)
    /// The cover is on already; another form takes its place.
    case replace(with: Form)
    /// Take the cover off.
    case uncover
  }

  /// When the cover is on.
  public let policy: Policy
  /// What covers, as long as it fits.
  public let form: Form
  /// Where it lies: for the code that shows it.
  public let placement: Placement
  /// What a blurred cover falls back to.
  public let fallback: BlurEffect.Tint
  /// The form that is on now; nil while the interface can be seen.
  public private(set) var shown: Form?
  private var prompts = 0
  /// Whether the app resigned active, and is not active again.
  private var isInactive = false

  /// A cover that is off.
  ///
  /// - Parameters:
  ///   - form: Opaque white unless another is named: the safe one.
  ///   - fallback: The colour where a blurred picture cannot be shown.
  public init(
    policy: Policy = .whileInactive, form: Form = .opaque(BlurEffect.Tint(white: 1, alpha: 1)),
    placement: Placement = .inWindow, fallback: BlurEffect.Tint = BlurEffect.Tint(white: 1, alpha: 1)
  ) {
    self.policy = policy
    self.form = Self.solid(form)
    self.placement = placement
    self.fallback = Self.solid(fallback)
  }

  /// Whether the cover is on.
  public var isOn: Bool { shown != nil }

  /// The app is about to show a prompt of the system, such as for Face ID or a permission: the cover stays away while it is
  /// up. In the background it is on all the same.
  public mutating func beginPrompt() { prompts += 1 }

  /// The prompt was answered, or the system took it away. Calls without a ``beginPrompt()`` are ignored.
  ///
  /// - Returns: What to do now; nil for nothing. An app that is still inactive is covered until it is active: the person may
  ///   have left for the switcher, and the system says no second time that the app resigns active.
  public mutating func endPrompt() -> Step? {
    guard prompts > 0 else { return nil }
    prompts -= 1
    return coverWhileInactive()
  }

  /// Takes in what happened.
  ///
  /// - Returns: What to do now; nil for nothing. A repeated event never asks for the same step twice.
  public mutating func handle(_ event: Event) -> Step? {
    switch event {
    case .willResignActive:
      isInactive = true
      return coverWhileInactive()
    case .didEnterBackground:
      isInactive = true
      // The last chance before the picture: on whatever the policy, and behind a prompt too.
      return coverOn()
    case .willEnterForeground: return policy == .whileInBackground ? coverOff() : nil
    case .didBecomeActive:
      isInactive = false
      return coverOff()
    case .sizeChanged, .drawingFailed: return fallBack()
    case .didDisconnect: return forget()
    }
  }

  private mutating func coverWhileInactive() -> Step? {
    isInactive && policy == .whileInactive && prompts == 0 ? coverOn() : nil
  }

  private mutating func coverOn() -> Step? {
    guard shown == nil else { return nil }
    shown = form
    return .cover(form)
  }

  private mutating func coverOff() -> Step? {
    guard shown != nil else { return nil }
    shown = nil
    return .uncover
  }

  private mutating func fallBack() -> Step? {
    guard case .blurred = shown else { return nil }
    shown = .opaque(fallback)
    return .replace(with: .opaque(fallback))
  }

  private mutating func forget() -> Step? {
    shown = nil
    prompts = 0
    isInactive = false
    return nil
  }

  /// An opaque cover lets nothing through, whatever alpha its colour came with.
  private static func solid(_ form: Form) -> Form {
    if case .opaque(let colour) = form { return .opaque(solid(colour)) }
    return form
  }

  private static func solid(_ colour: BlurEffect.Tint) -> BlurEffect.Tint {
    var colour = colour
    colour.alpha = 1
    return colour
  }
}
