extension SpecificationRule {
  /// What the system calls in an app when something arrives, and when the app leaves the screen.
  static let lifeCycle = """
    LC1 | documented | L-UL, L-SC | Its life cycle and its start decide how a link or an activity reaches an app: without scenes by launch options and a callback, with scenes by connection options after a cold start and by a callback while it runs, in SwiftUI by 'onContinueUserActivity' or 'onOpenURL'.
    LC2 | observed | REP | An app that was built with the iOS 27 SDK and declares no scenes does not launch.
    LC3 | inferred | OWN | An app keeps what arrives until its interface and its session are ready, recognises a payload that is delivered again, and routes each payload exactly once.
    LC4 | documented | L-CYC | A call, an alert, Control Centre or the switcher makes an app inactive; it enters the background when the home screen or another app takes its place, and passes through inactive on its way back.
    LC5 | documented | L-BACK, QA1838 | The system takes the switcher's picture of an app shortly after the callback for entering the background returns.
    """
}
