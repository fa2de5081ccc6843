extension SpecificationRule {
  /// How a push reaches a device, and what wakes an app there.
  static let push = """
    push 1.1 | documented | P-SEND | Production pushes go to api.push.apple.com, pushes to apps signed for development to api.sandbox.push.apple.com.
    push 2.1 | documented | P-SEND | The push type fits the payload and the topic; a background push has priority 5, and another one is an error.
    push 2.2 | documented | P-SEND, P-PAY | The payload of a push has at most 4096 bytes, that of a VoIP push 5120.
    push 2.3 | documented | P-REG | An app asks for its device token at every launch, and gets none without the entitlement 'aps-environment'; each environment and app has a token of its own.
    push 4 | documented | P-ANS | APNs answers 200, or a status with a reason such as BadDeviceToken (wrong environment), DeviceTokenNotForTopic, BadPriority or Unregistered.
    push 5.1 | documented | P-PAY | What the system reads is inside 'aps'; 'content-available' is the number 1.
    push 5.3 | documented | RFC 8259 | What a reader of JSON does with half of a surrogate pair, which is no character, is not predictable.
    push 7.1 | documented | P-BACK | A silent push has 'content-available' 1 and no alert, badge or sound, the push type background and priority 5, and its app the background mode remote-notification.
    push 7.2 | documented | P-BACK | Silent pushes have a low priority and no guarantee; more than two or three an hour should not be sent.
    push 7.3 | documented | P-STRAT | More than three background pushes an hour meet a rate limit.
    push 7.4 | documented | P-BACK | The device may hold one push of an app: a newer one replaces it, quitting or killing the app discards it, and opening the app delivers it at once.
    push 7.5 | documented | P-BACK, P-HAND | The app has 30 s to call its completion handler or is killed; the system watches time, power and data, and wakes heavy users later.
    push 7.6 | documented | P-HAND | After the user force-quit an app, nothing wakes it until the user opens it or restarts the device.
    push 7.7 | documented | P-HAND | The handler also runs in the foreground, and may run again for the same push when the user taps its notification.
    push 7.8 | observed | DTS | Budgets for battery and data are shared by all apps and reset every 24 hours; an app that is not opened for a while gets nothing, and a debugger lifts the limits.
    push 7.9 | observed | REP | The scheduler holds launches back for 300 s after a start of the device, and for 900 s after its network came back while it is in use.
    push 7.10 | observed | REP | TestFlight builds were refused the launch with 'pushDisallowed' while development builds were woken.
    push 7.11 | observed | REP | An app was woken whenever 'content-available' was 1, also with priority 10 or an alert; 0 never woke it, and only the type alert with something visible showed it.
    push 7.12 | documented | P-SEND, P-STAT | APNs keeps one push of an app for a device that it cannot reach, usually the newest, until it expires or 30 days passed; one with expiration 0 is never kept.
    push 7.13 | documented | P-STAT | APNs discards a push for an inactive token or for a user who switched notifications off; it stores one for a device that is offline or saves power, unless it has expired.
    push 7.14 | documented | P-SEND | Pushes of priority 5 and 1 may be grouped and delivered in bursts.
    push 7.16 | observed | REP | A notification service extension has about 30 s, then the push is shown as it came; it does not run for silent pushes, nor for those with only a sound or a badge.
    push section 7.2 | observed | REP | In the time of iOS 7: 'remote-notification' enables the wake, the handler runs before the alert is shown, a gap between pushes helps, and so does registering again; a badge change is the simplest test.
    push section 7.3 | documented | P-STRAT | Background fetch needs the mode 'fetch' and an interval, which is never by default; the handler has 30 s and says newData, noData or failed; at least 15 minutes lie between two fetches (observed).
    push edge 1 | inferred | OWN | The first push after an app was deleted is discarded, and the next one is answered Unregistered; a push that shows something is discarded where notifications are off.
    push edge 2 | inferred | OWN | A push for an offline device takes the one place that APNs has for its app.
    push edge 3 | inferred | OWN | Priority 5 waits while the device saves power, priority 1 until somebody uses the device; a push of priority 10 brings what waits along.
    push edge 4 | inferred | OWN | A notification replaces the one with the same collapse identifier.
    push edge 5 | inferred | OWN | What APNs keeps is delivered when the device is back, unless it has expired.
    push device 1 | inferred | OWN | In the foreground the handler is called at once, without a budget.
    push device 2 | inferred | OWN | For an app that was force-quit the wake is dropped, and the visible part shown.
    push device 3 | inferred | OWN | Without background refresh, without the background mode, or 14 days after the app was last opened, the wake is dropped.
    push device 5 | inferred | OWN | Right after a start or a return of the network the push is held.
    push device 6 | inferred | OWN | An app has 3 wakes and gets one more every 20 minutes, a device 60 a day, half of them in Low Power Mode; otherwise the push is held.
    push device 7 | inferred | OWN | An app that brings new data is woken sooner, one that fails, brings nothing or takes over 10 s later, and one that was killed last.
    """
}
