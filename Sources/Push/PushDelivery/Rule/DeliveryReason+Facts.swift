import LinkspanCore

/// The reasons with their rules; the numbers are those of `linkspan rules`.
extension DeliveryReason {
  static let senderFacts: [DeliveryReason: Facts] = [
    .noEntitlement: Facts(
      .refused, ["push 2.3"], .documented,
      "the app has no 'aps-environment' entitlement, so it never gets a device token", .app,
      "add the Push Notifications capability, and sign with a profile that has it"),
    .neverLaunched: Facts(
      .refused, ["push 2.3"], .documented,
      "the app was never launched there, so it has not asked for a device token yet", .user,
      "open the app once; it asks for its token at every launch"),
    .wrongEnvironment: Facts(
      .refused, ["push 4", "push 1.1"], .documented,
      "the token belongs to the other environment; APNs answers 400 BadDeviceToken", .sender,
      "send to the server of the app's 'aps-environment': sandbox for development, production for TestFlight and the "
        + "App Store"),
    .wrongTopic: Facts(
      .refused, ["push 4", "push 2.1"], .documented,
      "the topic is not the app's bundle identifier; APNs answers 400 DeviceTokenNotForTopic", .sender,
      "set apns-topic to the bundle identifier of the app"),
    .payloadTooLarge: Facts(
      .refused, ["push 2.2"], .documented,
      "the payload is empty or too large; APNs answers 413 PayloadTooLarge", .sender,
      "send an identifier, and let the app fetch the rest"),
    .wrongPriority: Facts(
      .refused, ["push 2.1", "push 7.1"], .documented,
      "a background push with priority 10 is an error; APNs answers 400 BadPriority", .sender,
      "send it with apns-priority 5"),
    .refusedHeaders: Facts(
      .refused, ["push 4", "push 2.1"], .documented,
      "APNs refuses the request for one of its headers", .sender,
      "send the header as 'linkspan push lint' says"),
    .tokenGone: Facts(
      .refused, ["push edge 1", "push 4"], .documented,
      "the token is no longer active; APNs answers 410 Unregistered", .sender,
      "forget the token until the app registers again"),
  ]

  static let storeFacts: [DeliveryReason: Facts] = [
    .uninstalled: Facts(
      .discarded, ["push 7.13", "push edge 1"], .documented,
      "the app is not installed any more; the next push to this token is answered 410 Unregistered", .user,
      "install the app again and open it"),
    .notificationsOff: Facts(
      .discarded, ["push 7.13", "push edge 1"], .documented,
      "the user does not allow notifications, and the push shows one", .user,
      "allow notifications for the app, or send a push without alert, badge and sound"),
    .offline: Facts(
      .stored, ["push 7.12", "push 7.13", "push edge 2"], .documented,
      "the device is offline; APNs keeps the newest push of the app for it", .time,
      "connect the device to a network"),
    .powerSaving: Facts(
      .stored, ["push 7.13", "push edge 3"], .documented,
      "the push has a low priority and the device saves power", .time,
      "charge the device or end Low Power Mode, or send with priority 10 if it shows something"),
    .grouped: Facts(
      .stored, ["push 7.14"], .documented,
      "APNs may group pushes of priority 5 and 1, and deliver them in bursts", .sender,
      "send with priority 10 what shows something and cannot wait"),
    .expired: Facts(
      .discarded, ["push 7.12", "push 7.13"], .documented,
      "it could not be delivered before it expired", .sender,
      "set a later apns-expiration, or leave the header out"),
    .storedTooLong: Facts(
      .discarded, ["push 7.12", "push edge 5"], .documented,
      "APNs kept it for 30 days, and the device did not come back", .user, "connect the device to a network"),
    .overwritten: Facts(
      .discarded, ["push 7.12"], .documented,
      "APNs keeps one push of an app for a device, and another one took its place", .sender,
      "let each push stand for everything the app should fetch"),
  ]

  static let deviceFacts: [DeliveryReason: Facts] = [
    .typeMismatch: Facts(
      .dropped, ["push 2.1", "push 7.1"], .documented,
      "the push type does not fit the payload, and such pushes may be delayed or dropped", .sender,
      "send background pushes without alert, badge and sound, and everything that shows something as an alert"
    ),
    .otherType: Facts(
      .dropped, ["push 2.1"], .inferred,
      "only alerts and background pushes are simulated; other types go to an extension, to PushKit or to ActivityKit",
      .sender, "test it on a device"),
    .payloadError: Facts(
      .dropped, ["push 2.1", "push 5.1"], .inferred,
      "the payload has an error, and nothing documents what a device does with such a push",
      .sender, "mend what 'linkspan push lint' reports"),
    .nothingToDo: Facts(
      .dropped, ["push 5.1", "push 7.11"], .documented,
      "the payload shows nothing and does not ask for a wake", .sender,
      "write an 'alert' that has a text, a 'badge' that is a number or the name of a 'sound', or set"
        + " \"content-available\": 1 inside \"aps\" to wake the app"),
    .notAskedFor: Facts(
      .dropped, ["push 5.1", "push 7.11"], .documented,
      "the payload does not have \"content-available\": 1 inside \"aps\"", .sender,
      "set \"content-available\": 1 inside \"aps\""),
    .inForeground: Facts(
      .dropped, ["push section 7.2"], .observed,
      "the app is in the foreground, so the notification goes to the app and is not displayed", .app,
      "present it in userNotificationCenter(_:willPresent:)"),
    .forceQuit: Facts(
      .dropped, ["push 7.6", "push device 2"], .documented,
      "the user force-quit the app, and nothing wakes it until the user opens it or restarts the device",
      .user,
      "open the app, and do not swipe it away"),
    .noBackgroundMode: Facts(
      .dropped, ["push 7.1", "push section 7.2", "push device 3"], .documented,
      "the Info.plist does not list 'remote-notification' in UIBackgroundModes", .app,
      "switch on Background Modes > Remote notifications"),
    .backgroundRefreshOff: Facts(
      .dropped, ["push device 3"], .inferred,
      "background app refresh is off for the app", .user,
      "switch on Settings > General > Background App Refresh"),
    .notOpenedLately: Facts(
      .dropped, ["push 7.8", "push device 3"], .observed,
      "the user has not opened the app for a while, and such apps are not woken", .user, "open the app"),
    .testFlight: Facts(
      .dropped, ["push 7.10"], .observed,
      "TestFlight builds were seen to be refused the launch with 'pushDisallowed'", .app,
      "test with a development build"),
    .handlerTimeout: Facts(
      .dropped, ["push 7.5", "push device 7"], .documented,
      "the handler did not call its completion handler within 30 s, and the system killed the app", .app,
      "call the completion handler after at most 30 s, also when the download fails"),
  ]

  static let heldFacts: [DeliveryReason: Facts] = [
    .justStarted: Facts(
      .held, ["push 7.9", "push device 5"], .observed,
      "the device started less than 300 s ago, and the scheduler holds background work back", .time,
      "wait five minutes after a restart, or open the app"),
    .networkJustBack: Facts(
      .held, ["push 7.9", "push device 5"], .observed,
      "the network came back less than 900 s ago while the device is in use", .time,
      "wait 15 minutes, or open the app"),
    .appBudget: Facts(
      .held, ["push 7.2", "push 7.3", "push device 6"], .documented,
      "the app was woken as often as the system allows; more than two or three an hour are not promised",
      .sender,
      "send at most two or three background pushes an hour, or open the app"),
    .deviceBudget: Facts(
      .held, ["push 7.8", "push device 6"], .observed,
      "the device's budget for background work is spent until the daily reset", .time,
      "wait for the reset, charge the device, or open the app"),
    .replaced: Facts(
      .dropped, ["push 7.4", "push device 6"], .documented,
      "the device holds one push of an app, and a newer one took its place", .sender,
      "send fewer; let each push stand for everything the app should fetch"),
    .quitWhileHeld: Facts(
      .dropped, ["push 7.4"], .documented,
      "the app was quit or killed, and the system discarded the push it held", .user, "open the app"),
    .deletedWhileHeld: Facts(
      .dropped, ["push 7.4"], .inferred,
      "the app was deleted, and with it the push that the system held", .user,
      "install the app again and open it"),
    .restartedWhileHeld: Facts(
      .dropped, ["push 7.4"], .inferred,
      "the device restarted, and the scheduler forgot the push it held", .time, "open the app"),
  ]
}
