extension SpecificationRule {
  /// Handoff: activities, what two devices need, what apps are told, and what is on the air.
  static let handoff = """
    HO1 | inferred | published frames, OWN | Handoff advertises a hash of the activity type in lower case; types that differ only in case are the same on the air.
    HO2 | documented | H-ACT | An activity is offered while it is current, eligible for Handoff and not expired; its 'userInfo' contains arrays, data, dates, dictionaries, null, numbers, sets, strings, URLs and UUIDs.
    HO3 | documented | H-GUIDE, H-ERR | The payload of an activity should have at most 3 KB; larger data goes through continuation streams. The errors are 4608 (failed), 4609 (connection unavailable), 4610 (timed out) and 4611 ('userInfo' too large).
    HO4 | documented | H-TYPES, H-GUIDE | An app continues the activities whose types 'NSUserActivityTypes' of its Info.plist lists.
    HO5 | documented | H-GUIDE | Handoff needs iOS 8 or OS X 10.10, the same iCloud account on both devices, Handoff and Bluetooth switched on, and the devices close together.
    HO6 | documented | H-GUIDE | The sending and the receiving app have the same team, and come from the App Store or from the same developer.
    HO7 | observed | published analyses of Apple's program | A device takes no part in Handoff before it was unlocked for the first time after a start, if management forbids it, and in a low-power state.
    HO8 | documented | H-DEL, H-GUIDE | The receiving app learns that an activity is coming, then exactly once that it continues or failed; the sending app learns that it was continued.
    HO9 | documented | H-WEB, A17, Apple: WWDC15 session 509 | A web page continues in the app that 'applinks' names for its host; on iOS 8, in the app that a signed file names under 'activitycontinuation', which the device fetched from the host.
    HO10 | documented | H-ACT, H-GUIDE | 'webpageURL' is an http or https URL; the browser of the other device opens it if no app continues the activity.
    HO11 | observed | REP | In the time of iOS 8 a page in Safari did not continue in an app on a Mac.
    B.1 | observed | published frames | A Handoff advertisement is manufacturer data of Apple (4c00) with an element of type 0c and 14 bytes: status byte, counter of two bytes, one byte of the tag, ten encrypted bytes.
    B.2 | observed | published frames, OWN | The ten bytes are sealed with AES-GCM under a key of 32 bytes that the two devices share; the counter is the nonce, the status byte is authenticated, and one byte of the tag goes over the air.
    B.3 | observed | published frames | The ten bytes are a status byte, the seven bytes of the activity hash, the options and the time byte; a hash of zeros offers nothing. The time byte counts steps of 4 seconds within 496, and its highest bit says that the activity is in use.
    B.4 | observed | published frames, OWN | The activity hash is SHA-512 of 'team:type' in lower case, folded to seven bytes by exclusive or, its two highest bits replaced by the kind. Seven hashes of Apple's own activities confirm it; for other teams it is a prediction.
    B.5 | inferred | OWN | A device stops advertising 120 s after the activity was last used and 8 s after it was locked; another resumes the activity until 10 s after the advertisement ended.
    B.6 | observed | published frames | Apple's manufacturer data is a row of elements, each a type, a length and a value, until the advertisement ends.
    """
}
