import UIKit

// keeps: review.equality-without-hash
class Recipe: NSObject {
  let identifier: String

  init(identifier: String) { self.identifier = identifier }

  override func isEqual(_ object: Any?) -> Bool {
    (object as? Recipe)?.identifier == identifier
  }

  override var hash: Int { identifier.hash }
}

// keeps: review.observer-unpaired
class Player: NSObject {
  var item: AVPlayerItem?
  private var token: (any NSObjectProtocol)?

  func start() {
    item?.addObserver(self, forKeyPath: #keyPath(AVPlayerItem.status), options: [.new], context: nil)
    token = NotificationCenter.default.addObserver(forName: .done, object: nil, queue: .main) { _ in }
  }

  deinit {
    item?.removeObserver(self, forKeyPath: #keyPath(AVPlayerItem.status))
    if let token { NotificationCenter.default.removeObserver(token) }
  }
}

// keeps: review.view-controller-network
class RecipeViewController: UIViewController {
  private let recipes = RecipeStore()

  func load() async throws { show(try await recipes.all()) }

  func page() { webView.load(URLRequest(url: url)) }
}

// keeps: review.fixed-date-format
struct Feed {
  func published(_ text: String) -> Date? {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
    return formatter.date(from: text)
  }

  func title(_ date: Date) -> String {
    let formatter = DateFormatter()
    formatter.dateFormat = "EEEE, d MMMM"
    return formatter.string(from: date)
  }
}
