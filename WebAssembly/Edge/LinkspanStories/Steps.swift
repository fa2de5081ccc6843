// What only stories have, and no question of one link.

package enum PushStep: Sendable {
  static let verbs: [String] = []
}

package enum ContinuityStep: Sendable {
  static let verbs: [String] = []
}

package enum ClipStep: Sendable {
  static let verbs: [String] = []
}

package struct AppPush: Hashable, Sendable {}

package struct AppContinuity: Hashable, Sendable {}

package struct Clip: Sendable {}
