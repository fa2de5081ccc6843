import UIKit

class Recipe: NSObject {
  let identifier: String

  init(identifier: String) { self.identifier = identifier }

  override func isEqual(_ object: Any?) -> Bool {  // finds: review.equality-without-hash
    (object as? Recipe)?.identifier == identifier
  }
}

class Player: NSObject {
  var item: AVPlayerItem?

  func start() {
    item?.addObserver(  // finds: review.observer-unpaired
      self, forKeyPath: "status", options: [.new], context: nil)
    center.addObserver(forName: .done, object: nil, queue: nil) { _ in  // finds: review.observer-unpaired
      self.stop()
    }
  }

  func stop() { NotificationCenter.default.removeObserver(self) }
}

class RecipeViewController: UIViewController {
  func load() async throws {
    let (data, _) = try await URLSession.shared.data(from: url)  // finds: review.view-controller-network
    show(try JSONDecoder().decode(RecipeList.self, from: data))
  }
}

struct Feed {
  static let dates: DateFormatter = {
    let formatter = DateFormatter()
    formatter.dateFormat = "yyyy-MM-dd'T'HH:mm:ssZ"  // finds: review.fixed-date-format
    return formatter
  }()

  func published(_ text: String) -> Date? {
    let formatter = DateFormatter()
    formatter.locale = Locale.current
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"  // finds: review.fixed-date-format
    return formatter.date(from: text)
  }
}
