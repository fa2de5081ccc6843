extension SpecificationRule {
  /// App Clips: the bundle, experiences, cards, carriers.
  static let clip = """
    AC1 | documented | AC-X | A clip's bundle identifier is its app's with a dot and a suffix.
    AC2 | documented | AC-X | An app has one clip at most.
    AC3 | documented | AC-E | A clip's signature has 'com.apple.developer.on-demand-install-capable'; Xcode adds it, so sources often lack it.
    AC4 | documented | AC-E, REP | A clip's signature names exactly its app in 'com.apple.developer.parent-application-identifiers'.
    AC5 | documented | AC-E | An app's signature names exactly its clip in 'com.apple.developer.associated-appclip-app-identifiers'.
    AC6 | documented | AC-W | 'appclips:' domains stand on the clip and on the app, which takes the clip's place once it is installed.
    AC7 | documented | AC-W | App and clip have the same team and prefix.
    AC8 | documented | AC-L | A clip has no extension but a widget extension for Live Activities, with an identifier below the clip's and the entitlement of AC3.
    AC9 | documented | AC-I | 'NSAppClip' is a dictionary with two booleans, for ephemeral notifications and for confirming a location.
    AC10 | documented | AC-F | Some frameworks can be linked and have no function in a clip.
    AC11 | documented | AC-F | Extensions, settings, documents, URL schemes, background modes, on-demand resources, local networks, Face ID and tracking are the app's.
    AC12 | documented | AC-F | A clip reads CloudKit's public database from iOS 16 and passes from iOS 17; Live Activities exist since iOS 16.1.
    AC13 | inferred | OWN | A clip has neither a clip nor a watch app in it.
    AC14 | documented | AC-F | App Clips exist since iOS 14.
    AC15 | documented | AC-C | Which entrance opens which experience: default with Apple's link, default with a website, demo, advanced.
    AC16 | documented | AC-C | An advanced experience takes a URL that begins with the registered one; of several the longest counts.
    AC17 | inferred | OWN | Whether a prefix may end inside a word, and how case, percent-encoding, a slash at the end and the order of a query count, is documented nowhere.
    AC18 | documented | AC-C, AC-S | A card's title has at most 30 characters, its subtitle 56; the action is OPEN, VIEW or PLAY.
    AC19 | observed | REP | The header image has 1800 by 1200 pixels, as PNG or JPEG, without transparency.
    AC20 | documented | AC-B | A page's 'apple-itunes-app' tag names 'app-id', 'app-clip-bundle-id' and 'app-clip-display'; 'app-argument' does not reach a clip.
    AC21 | documented | AC-T | '_XCAppClipURL' is the URL of a run from Xcode; a Local Experience goes before the registered ones; TestFlight takes 3 URLs a build and shows no card.
    AC22 | documented | AC-R | A notification and the App Switcher bring no URL, App Library and Spotlight the last one, Maps and Siri the registered one.
    AC23 | documented | AC-R | Once the app is installed, every invocation goes to the app.
    AC24 | documented | AC-C, REP | Apple's link is 'https://appclip.apple.com/id?p=' with the clip's bundle identifier: from iOS 16.4, from other apps from iOS 17, for a clip that is released.
    AC25 | documented | AC-G | The URL of an App Clip Code is 'https' in lower case, of few characters, and has to be compressed into 128 bits.
    AC26 | documented | AC-N | An NFC tag holds the URL as an NDEF record of type 'U'; the first record of a message counts.
    AC27 | documented | AC-S | Experiences are localised in 32 languages, and have one of 27 business categories.
    AC28 | documented | AC-D | The files and the user defaults of an App Group that clip and app share stay for the app once it is installed.
    AC29 | documented | AC-D | The app reads keychain items of its clip from iOS 15.4; the clip never reads the app's.
    AC30 | documented | AC-D | The system removes a clip that was not used for a while, and its data with it; for how long, Apple does not say.
    AC31 | documented | AC-G | Tables of App Clip Codes are CSV: for the generator with file name, URL, two colours, type and logo; for a print partner with file name (at most 188 characters) and URL, at most 10,000; for App Store Connect a URL in each row.
    AC32 | documented | AC-C | The camera reads App Clip Codes and QR codes, and opens the clip or the app of their URL.
    AC33 | documented | AC-A | An iPhone reads tags in the background, and the first URL of a tag opens the app of a universal link.
    """
}
