/// The states of an app and the callbacks between them.
///
/// - Source: rule LC4. For SwiftUI the phases of a scene stand for the callbacks.
package struct AppProcess: Hashable, Sendable {
  package enum State: String, Hashable, Sendable, CaseIterable {
    case notRunning = "not-running"
    case inactive
    case active
    case background
    case suspended
  }

  package let shape: AppShape
  package private(set) var state = State.notRunning

  package init(_ shape: AppShape) { self.shape = shape }

  /// Starts the app into the inactive state.
  ///
  /// - Returns: The callbacks; nil when the system refuses to start it.
  package mutating func launch() -> [Callback]? {
    precondition(state == .notRunning, "the app runs already")
    guard shape.launches else { return nil }
    state = .inactive
    switch shape.lifeCycle {
    case .appDelegate: return [.didFinishLaunching]
    case .scene: return [.didFinishLaunching, .sceneWillConnect, .sceneWillEnterForeground]
    case .swiftUI: return [.onAppear]
    }
  }

  /// Inactive to active; nothing in any other state.
  package mutating func becomeActive() -> [Callback] {
    guard state == .inactive else { return [] }
    state = .active
    return [callback(.didBecomeActive, .sceneDidBecomeActive, .scenePhaseActive)]
  }

  /// Active to inactive; nothing in any other state.
  package mutating func resignActive() -> [Callback] {
    guard state == .active else { return [] }
    state = .inactive
    return [callback(.willResignActive, .sceneWillResignActive, .scenePhaseInactive)]
  }

  /// Inactive to background; nothing in any other state.
  package mutating func enterBackground() -> [Callback] {
    guard state == .inactive else { return [] }
    state = .background
    return [callback(.didEnterBackground, .sceneDidEnterBackground, .scenePhaseBackground)]
  }

  /// Background or suspended to inactive; nothing in any other state.
  package mutating func enterForeground() -> [Callback] {
    guard state == .background || state == .suspended else { return [] }
    state = .inactive
    return [callback(.willEnterForeground, .sceneWillEnterForeground, .scenePhaseInactive)]
  }

  /// Background to suspended, which calls nothing.
  package mutating func suspend() {
    if state == .background { state = .suspended }
  }

  /// The system ends the app, which calls nothing.
  package mutating func terminate() { state = .notRunning }

  private func callback(_ ofApp: Callback, _ ofScene: Callback, _ phase: Callback) -> Callback {
    switch shape.lifeCycle {
    case .appDelegate: ofApp
    case .scene: ofScene
    case .swiftUI: phase
    }
  }
}
