internal import LinkspanCore

extension ReviewRule {
  static let coverNeverRemoved = ReviewRule(
    "cover-never-removed", "A privacy cover that is put on is taken off again.", .error, source: "SR6",
    words: ["illResignActive", "idEnterBackground", "willDeactivateNotification"],
    bad: [
      """
      class AppDelegate: UIResponder, UIApplicationDelegate {
        func applicationWillResignActive(_ application: UIApplication) { window?.⟦addSubview⟧(cover) }
        func applicationDidBecomeActive(_ application: UIApplication) { refresh() }
      }
      """,
      """
      class AppDelegate: UIResponder, UIApplicationDelegate {
        func applicationWillResignActive(_ application: UIApplication) { coverView.⟦alpha⟧ = 1 }
        func applicationDidBecomeActive(_ application: UIApplication) { refresh() }
      }
      """,
    ],
    good: [
      """
      class AppDelegate: UIResponder, UIApplicationDelegate {
        func applicationWillResignActive(_ application: UIApplication) { window?.addSubview(cover) }
        func applicationDidBecomeActive(_ application: UIApplication) { cover.removeFromSuperview() }
      }
      """
    ]
  ) { file, program, report in
    for cover in CoverUse.all(in: file, of: program) where cover.removals.isEmpty {
      report.add(
        cover.token, "the cover is put on when the app leaves, and nothing takes it off",
        help:
          "A user who returns to the app sees the cover. Take it off when the app becomes active, whatever way it came "
          + "back: in 'applicationDidBecomeActive' or 'sceneDidBecomeActive'.")
    }
  }

  static let coverStuck = ReviewRule(
    "cover-stuck", "A cover put on at 'willResignActive' is taken off at 'didBecomeActive'.", .warning,
    source: "SR6", words: ["illResignActive", "idEnterBackground", "willDeactivateNotification"],
    bad: [
      """
      class SceneDelegate: UIResponder, UIWindowSceneDelegate {
        func sceneWillResignActive(_ scene: UIScene) { window?.⟦addSubview⟧(cover) }
        func sceneWillEnterForeground(_ scene: UIScene) { cover.removeFromSuperview() }
      }
      """,
      """
      class SceneDelegate: UIResponder, UIWindowSceneDelegate {
        func sceneWillResignActive(_ scene: UIScene) { hide() }
        func sceneWillEnterForeground(_ scene: UIScene) { show() }
        private func hide() { root.⟦present⟧(PrivacyViewController(), animated: false) }
        private func show() { root.dismiss(animated: false) }
      }
      """,
    ],
    good: [
      """
      class SceneDelegate: UIResponder, UIWindowSceneDelegate {
        func sceneWillResignActive(_ scene: UIScene) { window?.addSubview(cover) }
        func sceneDidBecomeActive(_ scene: UIScene) { cover.removeFromSuperview() }
      }
      """
    ]
  ) { file, program, report in
    for cover in CoverUse.all(in: file, of: program)
    where cover.moment == .willResignActive && cover.removals == [.willEnterForeground] {
      report.add(
        cover.token, "the cover stays on when the app returns without having been in the background",
        help:
          "After a call, Control Centre or a quick return from the switcher the system calls 'didBecomeActive' and not "
          + "'willEnterForeground'. Take the cover off at 'didBecomeActive'.")
    }
  }

  static let coverTooLate = ReviewRule(
    "cover-too-late", "A privacy cover is on before the switcher shows the app.", .note, source: "SR7",
    words: ["idEnterBackground", "hase"],
    bad: [
      """
      final class AppDelegate: NSObject {
        func start() {
          NotificationCenter.default.addObserver(
            self, selector: #selector(cover), name: UIApplication.didEnterBackgroundNotification, object: nil)
          NotificationCenter.default.addObserver(
            self, selector: #selector(uncover), name: UIApplication.willEnterForegroundNotification, object: nil)
        }
        @objc func cover() { window.⟦addSubview⟧(view) }
        @objc func uncover() { view.removeFromSuperview() }
      }
      """,
      """
      class AppDelegate: UIResponder, UIApplicationDelegate {
        func applicationDidEnterBackground(_ application: UIApplication) { window?.⟦addSubview⟧(blurView) }
        func applicationWillEnterForeground(_ application: UIApplication) { blurView.removeFromSuperview() }
      }
      """,
      """
      struct ContentView: View {
        @Environment(\\.scenePhase) private var scenePhase
        var body: some View {
          Accounts().overlay { if scenePhase == .background { ⟦PrivacyCover⟧() } }
        }
      }
      """,
      """
      final class Shield {
        func start() {
          task = NotificationCenter.default.publisher(for: UIApplication.didEnterBackgroundNotification)
            .sink { _ in self.window.⟦addSubview⟧(self.cover) }
        }
      }
      """,
      """
      @implementation Shield
      - (void)start {
        [self.centre addObserverForName:UIApplicationDidEnterBackgroundNotification object:nil queue:nil
            usingBlock:^(NSNotification *note) { [self.window ⟦addSubview⟧:self.cover]; }];
      }
      - (void)dealloc { [self.centre removeObserver:self.token]; }
      @end
      """,
    ],
    good: [
      """
      class AppDelegate: UIResponder, UIApplicationDelegate {
        func applicationWillResignActive(_ application: UIApplication) { window?.addSubview(blurView) }
        func applicationDidBecomeActive(_ application: UIApplication) { blurView.removeFromSuperview() }
      }
      """,
      """
      struct ContentView: View {
        @Environment(\\.scenePhase) private var scenePhase
        var body: some View {
          Accounts().overlay { if scenePhase != .active { PrivacyCover() } }
        }
      }
      """,
    ]
  ) { file, program, report in
    for cover in CoverUse.all(in: file, of: program)
    where cover.moment == .didEnterBackground && !cover.removals.isEmpty && !cover.isAlsoEarlier {
      report.add(
        cover.token, "the cover comes too late for the switcher, which shows a still active app live",
        help:
          "The picture that the system takes is covered; the switcher over the active app is not. Put the cover on at "
          + "'willResignActive' and take it off at 'didBecomeActive'.")
    }
    let reviewed = program.files[file]
    let isAlsoEarlier = CoverUse.all(in: file, of: program).contains { $0.moment == .willResignActive }
    for cover in isAlsoEarlier ? [] : reviewed.lateCovers {
      report.add(
        cover, "the cover comes too late for the switcher, which shows a still active app live",
        help:
          "The picture that the system takes is covered; the switcher over the active app is not. Put the cover on as soon "
          + "as the app is not active: with 'scenePhase != .active', or at 'willResignActive'.")
    }
  }
}

/// Where a type puts a view over everything when its app leaves.
private struct CoverUse {
  let moment: Moment
  /// The word that puts it on.
  let token: Int
  /// At which moments one is taken off; also `.didFinishLaunching` for any place that is none of the system's.
  let removals: Set<Moment>
  /// Whether the type puts one on at `willResignActive` too.
  let isAlsoEarlier: Bool

  /// The covers that a file puts on.
  static func all(in file: Int, of program: ReviewedProgram) -> [CoverUse] {
    var seen: Set<Int> = []
    var uses: [CoverUse] = []
    var done: Set<String> = []
    for type in program.files[file].types.map(\.name) where done.insert(type).inserted {
      let functions = program.functions(of: type, in: file)
      let moments = Self.moments(of: functions, in: program)
      let leaving = moments.filter { $0.moment == .willResignActive || $0.moment == .didEnterBackground }
      let coverings = leaving.flatMap { leave in
        Self.coverings(from: leave.place, of: program).map { (leave.moment, $0.file, $0.token) }
      }
      guard !coverings.isEmpty else { continue }
      let removals = Self.removals(functions, moments, of: program)
      let isAlsoEarlier = leaving.contains { leave in
        leave.moment == .willResignActive
          && (coverings.contains { $0.0 == .willResignActive } || showsCover(from: leave.place, of: program))
      }
      for (moment, home, token) in coverings where home == file && seen.insert(token).inserted {
        uses.append(CoverUse(moment: moment, token: token, removals: removals, isAlsoEarlier: isAlsoEarlier))
      }
    }
    return uses
  }

  /// The functions that the system calls: by their names, or as observers of its notifications.
  private static func moments(
    of functions: [ReviewedProgram.Place], in program: ReviewedProgram
  ) -> [(moment: Moment, place: ReviewedProgram.Place)] {
    var moments = functions.compactMap { place in program.function(place).moment.map { ($0, place) } }
    for place in functions {
      let file = program.files[place.file]
      for index in program.function(place).body ?? 0..<0 {
        guard file.tokens[index].kind == .word, let moment = Moment(notification: file.tokens[index].text),
          let name = file.selector(around: index),
          let observer = functions.first(where: { program.function($0).name == name })
        else { continue }
        moments.append((moment, observer))
      }
    }
    return moments
  }

  private static let removingWords: Set<String> = [
    "removeFromSuperview", "dismiss", "dismissViewControllerAnimated",
  ]
  /// What a cover is called.
  static let coverWords = [
    "view", "cover", "overlay", "blur", "privacy", "shield", "mask", "splash", "snapshot", "screen",
    "curtain", "window",
  ]

  private static func removals(
    _ functions: [ReviewedProgram.Place], _ moments: [(moment: Moment, place: ReviewedProgram.Place)],
    of program: ReviewedProgram
  ) -> Set<Moment> {
    var removals: Set<Moment> = []
    var explained: Set<ReviewedProgram.Place> = []
    for (moment, place) in moments where moment == .willEnterForeground || moment == .didBecomeActive {
      for reached in program.reach(of: place) where removes(reached, program) {
        removals.insert(moment)
        explained.insert(reached)
      }
    }
    for place in functions where !explained.contains(place) && removes(place, program) {
      removals.insert(.didFinishLaunching)
    }
    return removals
  }

  private static func removes(_ place: ReviewedProgram.Place, _ program: ReviewedProgram) -> Bool {
    let file = program.files[place.file]
    return (program.function(place).body ?? 0..<0).contains { index in
      let token = file.tokens[index]
      guard token.kind == .word else { return false }
      let lower = token.text.lowercased()
      if removingWords.contains(token.text) { return true }
      if lower.hasPrefix("hide") || lower.hasPrefix("uncover") {
        return !covers(token.text, besides: place, of: program)
      }
      if lower.hasPrefix("remove"), coverWords.contains(where: lower.contains) { return true }
      guard index + 2 < file.tokens.count, file.tokens[index + 1].isMark("=") else { return false }
      let value = file.tokens[index + 2].text
      switch token.text {
      case "isHidden", "hidden": return value == "true" || value == "YES"
      case "alpha": return value == "0" || value == "0.0"
      default: return value == "nil"
      }
    }
  }

  /// Whether an own function of a name lays a view over others: `hide()` may hide what is under it.
  private static func covers(
    _ name: String, besides place: ReviewedProgram.Place, of program: ReviewedProgram
  ) -> Bool {
    program.functions(named: name, besides: place).contains { !coverings(from: $0, of: program).isEmpty }
  }

  /// Whether a function asks something that is called a cover to show itself.
  private static func showsCover(from place: ReviewedProgram.Place, of program: ReviewedProgram) -> Bool {
    program.reach(of: place).contains {
      program.files[$0.file].cover(in: program.function($0).body ?? 0..<0) != nil
    }
  }

  private static func coverings(
    from place: ReviewedProgram.Place, of program: ReviewedProgram
  ) -> [(file: Int, token: Int)] {
    program.reach(of: place).flatMap { reached in
      let file = program.files[reached.file]
      return (program.function(reached).body ?? 0..<0).filter { file.isCovering($0) }.map {
        (reached.file, $0)
      }
    }
  }
}

extension ReviewedFile {
  /// Whether a word lays a view over others.
  fileprivate func isCovering(_ index: Int) -> Bool {
    guard tokens[index].kind == .word, index > 0 else { return false }
    switch tokens[index].text {
    case "addSubview", "insertSubview", "bringSubviewToFront", "makeKeyAndVisible": return true
    case "isHidden", "hidden":
      guard index + 2 < tokens.count, tokens[index + 1].isMark("=") else { return false }
      return ["false", "NO"].contains(tokens[index + 2].text) && isOfView(index, CoverUse.coverWords)
    case "alpha":
      guard index + 2 < tokens.count, tokens[index + 1].isMark("=") else { return false }
      return ["1", "1.0"].contains(tokens[index + 2].text) && isOfView(index, Self.covers)
    case "present", "presentViewController":
      guard index + 1 < tokens.count else { return false }
      let shown =
        language == .swift
        ? arguments(at: index + 1)
        : index..<(message(around: index, within: 0..<tokens.count)?.upperBound ?? index)
      return shown.prefix(Self.presentedLimit).contains { isNamed($0, Self.covers) }
    default: return false
    }
  }

  /// Ours: the words of what is presented.
  private static let presentedLimit = 12

  /// Whether a property is one of something with a name of that kind; true where nothing is named.
  private func isOfView(_ index: Int, _ words: [String]) -> Bool {
    guard tokens[index - 1].isMark(".") else { return true }
    return (max(0, chainStart(before: index - 1))..<index).contains { isNamed($0, words) }
  }

  private func isNamed(_ index: Int, _ words: [String]) -> Bool {
    guard tokens[index].kind == .word else { return false }
    let lower = tokens[index].text.lowercased()
    return words.contains(where: lower.contains)
  }

  /// The name of the function that a call around a word registers.
  fileprivate func selector(around index: Int) -> String? {
    var place = index
    // The bracket of the call begins a few words before.
    while place > 0, index - place < 60 {
      place -= 1
      guard let end = tokens[place].partner, end > index else { continue }
      let words = place + 1..<end
      // The label of the argument is called so too.
      guard
        let selector = words.first(where: { tokens[$0].isWord("selector") && tokens[$0 + 1].isMark("(") }),
        selector + 2 < end
      else { return nil }
      return words.clamped(to: selector + 2..<end).last {
        tokens[$0].kind == .word && !["self", "Self"].contains(tokens[$0].text)
          && isSelectorName($0, from: selector)
      }.map { tokens[$0].text }
    }
    return nil
  }

  /// Whether a word lies in the brackets behind `selector`, before any label.
  private func isSelectorName(_ index: Int, from selector: Int) -> Bool {
    guard let end = tokens[selector + 1].partner, index < end else { return false }
    let before = tokens[index - 1]
    return before.isMark("(") && index - 1 == selector + 1 || before.isMark(".")
  }
}
