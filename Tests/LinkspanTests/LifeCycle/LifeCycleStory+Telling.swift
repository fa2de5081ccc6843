import Linkspan

import struct LinkspanCore.SeededGenerator

extension LifeCycleStory {
  /// One process: what is called in it, and what must come of it, each once.
  struct Process {
    var calls: [ArrivalRecording.Entry] = []
    /// `recipe 5 in B`, `browser 2`.
    var expected: [String] = []
  }

  /// Tells the story to an app, call by call, as the system does in the app's style.
  func processes() -> [Process] {
    var teller = Teller(story: self)
    for move in moves { teller.tell(move) }
    teller.end()
    return teller.done
  }

  private struct Teller {
    let story: LifeCycleStory
    var generator: SeededGenerator
    var done: [Process] = []
    var process: Process?
    var milliseconds: Int64 = 0
    var windows: [String] = []
    /// The windows in the foreground.
    var active: Set<Int> = [0]
    var isLoggedIn = false
    /// Places that wait for the log-in.
    var atGate: [String] = []
    /// What the second road of the latest taps brings, before the app settles.
    var later: [(callback: ArrivalCallback, scene: String?)] = []

    init(story: LifeCycleStory) {
      self.story = story
      generator = SeededGenerator(seed: story.seed ^ 0x5EED)
    }

    var hasScenes: Bool { story.style == .scene || story.style == .twoWindows }
    func scene(_ window: Int) -> String? {
      guard hasScenes else { return nil }
      return window < windows.count ? windows[window] : windows.first
    }

    mutating func call(_ callback: ArrivalCallback, _ scene: String? = nil) {
      process?.calls.append(ArrivalRecording.Entry(at: .milliseconds(milliseconds), scene: scene, callback))
    }
    mutating func pass(_ range: ClosedRange<Int64>) { milliseconds += generator.draw(range) }

    mutating func tell(_ move: Move) {
      switch move {
      case .start(let items): start(items)
      case .comeBack(let items, let window): comeBack(items, window)
      case .drop(let item, let window): drop(item, window)
      case .openWindow(let item): openWindow(item)
      case .leave: leave()
      case .kill: end()
      case .logIn, .refuseLogIn, .logOut: session(move)
      case .pause(let time): milliseconds += time
      }
    }

    /// Things at once that lead to one place are one arrival.
    mutating func expect(_ items: [Item], _ scene: String?) {
      var places: Set<String> = []
      for place in items.compactMap(\.place) where places.insert(place).inserted {
        let text = scene.map { "\(place) in \($0)" } ?? place
        if place.hasPrefix("account"), !isLoggedIn {
          atGate.append(text)
        } else {
          process?.expected.append(text)
        }
      }
    }

    mutating func start(_ items: [Item]) {
      guard process == nil else { return }
      process = Process()
      windows = hasScenes ? ["A"] : []
      active = [0]
      isLoggedIn = false
      if story.isObserved { call(.lifeCycleIsObserved) }
      pass(0...200)
      let scene = scene(0)
      expect(items, scene)
      if story.style == .swiftUI {
        become(ready: items.isEmpty || generator.chance(1, in: 2)) { $0.deliver(items, scene, second: true) }
        return
      }
      if !items.isEmpty {
        call(
          .connect(
            activities: items.compactMap(Self.activity), urls: items.compactMap(Self.url)), scene)
        // The app delegate's cold start brings each link a second time; a scene's does where code forwards both.
        let isDouble = story.style == .delegate || generator.chance(1, in: 3)
        if isDouble { later = items.map { (Self.callback($0), generator.chance(1, in: 2) ? scene : nil) } }
      }
      become(ready: generator.chance(1, in: 2)) { $0.deliverLater() }
    }

    /// The interface is ready before or after the app is active; the deliveries come in between.
    mutating func become(ready isFirst: Bool, _ deliveries: (inout Teller) -> Void) {
      // Without a word of the life cycle nobody can know that a slow start still goes on.
      let slow: Int64 = story.isObserved ? 4_000 : 300
      pass(0...slow)
      if isFirst {
        call(.interfaceIsReady)
        pass(0...(story.isObserved ? 4_000 : 200))
      }
      let isBeforeActive = generator.chance(1, in: 2)
      if isBeforeActive { deliveries(&self) }
      pass(0...100)
      activate(0)
      if !isBeforeActive {
        pass(0...100)
        deliveries(&self)
      }
      if !isFirst {
        pass(0...20_000)
        call(.interfaceIsReady)
      }
      settle()
    }

    mutating func activate(_ window: Int) {
      guard story.isObserved else { return }
      if let scene = scene(window) { call(.didBecomeActive, scene) }
      call(.didBecomeActive)
    }

    /// Another tap takes a person longer than the end of the deliveries.
    mutating func settle() { pass(3_100...6_000) }

    mutating func deliverLater() {
      for (callback, scene) in later {
        pass(0...50)
        call(callback, scene)
      }
      later = []
    }

    /// - Parameter second: Whether a universal link comes by 'onOpenURL' as well, as on some releases.
    mutating func deliver(_ items: [Item], _ scene: String?, second: Bool) {
      for item in items {
        pass(0...30)
        call(Self.callback(item), scene)
        guard second, case .receive(let activity, _) = Self.callback(item), let url = activity.webpageURL,
          item.kind != .clip, item.kind != .handoff, generator.chance(1, in: 2)
        else { continue }
        call(.open(url), generator.chance(1, in: 2) ? scene : nil)
      }
    }

    mutating func comeBack(_ items: [Item], _ window: Int) {
      let window = window < windows.count ? window : 0
      let scene = scene(window)
      active = [window]
      pass(4_000...40_000)
      expect(items, scene)
      let isBefore = generator.chance(2, in: 3)
      if isBefore { deliver(items, scene, second: story.style == .swiftUI) }
      pass(0...200)
      activate(window)
      if windows.count == 2, generator.chance(1, in: 2) {
        // Split View.
        active = [0, 1]
        activate(1 - window)
      }
      if !isBefore {
        pass(0...200)
        deliver(items, scene, second: story.style == .swiftUI)
      }
      settle()
    }

    mutating func drop(_ item: Item, _ window: Int) {
      // Only a window in the foreground can be dropped on.
      let scene = scene(active.contains(window) ? window : active.min() ?? 0)
      expect([item], scene)
      deliver([item], scene, second: story.style == .swiftUI)
      // A page that comes back from the browser at once is in a circle, which is another story.
      pass(3_100...6_000)
    }

    mutating func openWindow(_ item: Item) {
      guard story.style == .twoWindows, windows.count == 1 else { return }
      windows.append("B")
      active.insert(1)
      expect([item], "B")
      call(.connect(activities: [item].compactMap(Self.activity), urls: [item].compactMap(Self.url)), "B")
      if generator.chance(1, in: 3) { later = [(Self.callback(item), "B")] }
      pass(0...500)
      if story.isObserved { call(.didBecomeActive, "B") }
      deliverLater()
      pass(3_100...6_000)
    }

    mutating func leave() {
      guard story.isObserved else { return }
      for window in windows { call(.willResignActive, window) }
      call(.willResignActive)
      pass(0...300)
      for window in windows { call(.didEnterBackground, window) }
      call(.didEnterBackground)
    }

    mutating func session(_ move: Move) {
      pass(10...2_000)
      switch move {
      case .logIn:
        call(.openGate("login"))
        isLoggedIn = true
        process?.expected += atGate
        atGate = []
      case .refuseLogIn:
        call(.refuseGate("login"))
        isLoggedIn = false
        atGate = []
      default:
        call(.closeGate("login"))
        isLoggedIn = false
      }
    }

    mutating func end() {
      guard let process else { return }
      done.append(process)
      self.process = nil
      // Who did not log in before the process ended sees nothing.
      atGate = []
    }

    // MARK: - What the system hands over

    static func activity(_ item: Item) -> IncomingActivity? {
      if case .receive(let activity, _) = callback(item) { activity } else { nil }
    }

    static func url(_ item: Item) -> String? {
      if case .open(let url, _) = callback(item) { url } else { nil }
    }

    static func callback(_ item: Item) -> ArrivalCallback {
      let page = "https://recipes.example/recipes/\(item.number)"
      switch item.kind {
      case .link: return .receive(.web(page))
      case .account: return .receive(.web("https://recipes.example/account/\(item.number)"))
      case .unknown: return .receive(.web("https://recipes.example/nothing/\(item.number)"))
      case .scheme: return .open("recipes://recipes/\(item.number)")
      case .foreign: return .open("com.googleusercontent.apps.\(item.number):/oauth2redirect?code=1")
      case .clip:
        var activity = IncomingActivity.web(page)
        activity.clipURL = page
        return .receive(activity)
      case .handoff:
        return .receive(
          IncomingActivity(
            activityType: "example.recipes.reading", webpageURL: page, userInfo: ["id": "\(item.number)"]))
      case .spotlight:
        return .receive(
          IncomingActivity(
            activityType: IncomingActivity.spotlightItem,
            userInfo: ["kCSSearchableItemActivityIdentifier": "\(item.number)"]))
      }
    }
  }
}
