import SwiftUI

@main
struct ShopApp: App {
  var body: some Scene {
    WindowGroup {
      Shop()
        .onOpenURL { url in shelf.open(url) }
        .onContinueUserActivity(NSUserActivityTypeBrowsingWeb) { _ in }  // finds: review.link-dropped
    }
  }
}
