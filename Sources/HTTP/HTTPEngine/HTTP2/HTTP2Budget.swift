internal import CNGHTTP2

/// What the peer of an HTTP/2 connection may still cost: allowances that are used up by what costs us work and brings
/// nobody an answer, and that come back with answers that were taken.
struct HTTP2Budget {
  private let limits: HTTP2Limits
  private var controlFrames = 0
  private var resets = 0
  private var creditBytes = 0
  /// Bytes received since a request or a piece of a body last began.
  private(set) var idleBytes = 0

  init(_ limits: HTTP2Limits) { self.limits = limits }

  /// What the peer has used up, or nil.
  var exceeded: ServerClosing? {
    if resets > limits.resets { return .resets }
    return controlFrames > limits.controlFrames ? .controlFrames : nil
  }

  var isIdleTooLong: Bool { idleBytes > limits.idleBytes }

  mutating func received(bytes: Int) { idleBytes += bytes }

  /// A request, or a piece of a body, has begun.
  mutating func noteProgress() { idleBytes = 0 }

  mutating func noteControlFrame() { controlFrames += 1 }

  mutating func noteReset() { resets += 1 }

  /// Bytes of bodies went either way.
  mutating func credit(_ bytes: Int) {
    creditBytes += bytes
    controlFrames = max(0, controlFrames - creditBytes / 1_024)
    creditBytes %= 1_024
  }

  /// An answer was taken.
  mutating func creditAnswer() {
    controlFrames = max(0, controlFrames - limits.controlFramesPerAnswer)
    resets = max(0, resets - 1)
  }
}
