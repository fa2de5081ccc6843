extension SpecificationRule {
  /// What the code of an app has to do where links and activities enter it, and where its screen leaves it.
  static let source = """
    SR1 | observed | L-UL, REP | Universal links, Handoff, Spotlight and App Clips reach an app as NSUserActivity through one function; code branches on the activity type first.
    SR2 | observed | REP | The activities that a scene is connected with are a set without an order; one is chosen by its type.
    SR3 | documented | L-SC, L-UL | When a scene starts the app, the activity or URL is in the connection options, and the callback for a running app is not called.
    SR4 | documented | L-UL | A link that the association file covers and the app has no screen for is shown in the browser or in a web view of the app.
    SR5 | observed | REP | Without scenes a cold start delivers a URL twice: in the launch options and by the callback, unless the launch answers false.
    SR6 | observed | L-CYC, REP | An app can become active again without having been in the background, so a cover put on at willResignActive is taken off at didBecomeActive.
    SR7 | observed | DTS, REP | The switcher shows an app that was active just now live, before didEnterBackground.
    SR8 | documented | L-OBS | Key-value observers and observers with a block are removed by the code that added them; observers with a selector end by themselves since iOS 9.
    SR9 | documented | L-EQ | Equal objects have equal hashes: isEqual and hash are overridden together.
    SR10 | documented | L-COL | nil in a literal collection or in setObject:forKey: raises an exception, and ends a nil-terminated list early.
    SR11 | documented | QA1480 | A date formatter with a fixed format has the locale en_US_POSIX; the user's own changes hours and calendar.
    SR12 | observed | REP | A view controller that a link can open anywhere holds no network code: it gets values from a type that is tested without it.
    SR13 | observed | REP | Answering false for a universal link makes iOS open it in the browser, whether or not the app has shown it.
    SR14 | documented | L-CYC | The system waits for the completion handler that it hands to a callback, and holds against the app that it was not called.
    SR15 | observed | REP | Since iOS 13 the description of a device token is not its bytes in hexadecimal digits.
    SR16 | documented | L-UL | Anybody can write a link that opens the app, so code checks its parts before it uses them.
    SR17 | documented | L-SC | In an app with scenes the system calls the scene delegate for links, and not the app delegate.
    """
}
