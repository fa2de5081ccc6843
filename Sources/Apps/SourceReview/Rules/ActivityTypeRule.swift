internal import LinkspanCore

extension ReviewRule {
  static let activityType = ReviewRule(
    "activity-type", "Code that takes an NSUserActivity looks at its type before it uses its content.",
    .warning, source: "SR1", words: ["webpageURL", "NSUserActivity"],
    bad: [
      """
      class AppDelegate: UIResponder, UIApplicationDelegate {
        func application(
          _ application: UIApplication, continue userActivity: NSUserActivity,
          restorationHandler: Restoration
        ) -> Bool {
          guard let url = userActivity.⟦webpageURL⟧ else { return false }
          return router.open(url)
        }
      }
      """,
      """
      @implementation AppDelegate
      - (BOOL)application:(UIApplication *)application continueUserActivity:(NSUserActivity *)userActivity
          restorationHandler:(void (^)(NSArray *))restorationHandler {
        return [self.router open:userActivity.⟦webpageURL⟧];
      }
      @end
      """,
      """
      class AppDelegate: UIResponder, UIApplicationDelegate {
        func application(
          _ application: UIApplication, continue userActivity: NSUserActivity,
          restorationHandler: Restoration
        ) -> Bool {
          guard let id = userActivity.⟦userInfo⟧?["recipe"] as? String else { return false }
          return router.showRecipe(id)
        }
      }
      """,
      """
      class SceneDelegate: ShopSceneDelegate {
        func scene(_ scene: UIScene, continue userActivity: NSUserActivity) {
          router.search(for: userActivity.⟦title⟧ ?? "")
        }
      }
      """,
    ],
    good: [
      """
      class AppDelegate: UIResponder, UIApplicationDelegate {
        func application(
          _ application: UIApplication, continue userActivity: NSUserActivity,
          restorationHandler: Restoration
        ) -> Bool {
          guard userActivity.activityType == NSUserActivityTypeBrowsingWeb else { return false }
          guard let url = userActivity.webpageURL else { return false }
          return router.open(url)
        }
      }
      """,
      """
      class AppDelegate: UIResponder, UIApplicationDelegate {
        func application(
          _ application: UIApplication, continue userActivity: NSUserActivity,
          restorationHandler: Restoration
        ) -> Bool {
          switch userActivity.activityType {
          case "com.example.recipe": return router.showRecipe(userActivity.userInfo?["recipe"] as? String)
          default: return false
          }
        }
      }
      """,
      """
      class AppDelegate: UIResponder, UIApplicationDelegate {
        func application(
          _ application: UIApplication, continue userActivity: NSUserActivity,
          restorationHandler: Restoration
        ) -> Bool {
          guard RecipeActivity.fits(userActivity) else { return false }
          return router.showRecipe(userActivity.userInfo?["recipe"] as? String)
        }
      }
      """,
      """
      class AppDelegate: UIResponder, UIApplicationDelegate {
        func application(
          _ application: UIApplication, continue userActivity: NSUserActivity,
          restorationHandler: Restoration
        ) -> Bool {
          guard let id = userActivity.userInfo?[CSSearchableItemActivityIdentifier] as? String else { return false }
          return router.showRecipe(id)
        }
      }
      """,
    ]
  ) { file, program, report in
    let reviewed = program.files[file]
    let takers = program.functions(in: file) {
      $0.parameter(ofType: "NSUserActivity") != nil || $0.moment == .sceneWillConnect
    }
    for (place, function, body) in takers {
      guard let use = reviewed.untypedUse(function, body) else { continue }
      let isChecked =
        program.refusesOthers(before: place) || !program.isEntrance(function, at: place)
        || program.reach(of: place) { $0 == "activityType" } && !reviewed.endsBeforeType(use, in: body)
      if isChecked { continue }
      report.add(
        use, "'\(reviewed.tokens[use].text)' of an activity is used, and its type is not checked",
        help:
          "Universal links, Handoff, Spotlight and App Clips come through the same door. Compare 'activityType' with "
          + "NSUserActivityTypeBrowsingWeb first, and treat every other type by itself.")
    }
  }
}

extension ReviewedProgram {
  /// Whether the type has announced already that it continues nothing but links.
  fileprivate func refusesOthers(before place: Place) -> Bool {
    siblings(of: place).contains { other in
      function(other).parameters.contains { $0.label == "willContinueUserActivityWithType" }
        && files[other.file].mentions(function(other).body ?? 0..<0, "NSUserActivityTypeBrowsingWeb")
    }
  }

  /// Whether the system hands the function what it takes: directly, or through a function of its type that looks at no
  /// type either.
  fileprivate func isEntrance(_ function: ReviewedFunction, at place: Place) -> Bool {
    switch function.moment {
    case .continueActivity, .sceneContinueActivity, .sceneWillConnect: return true
    default: break
    }
    let callers = callers(of: place).filter { $0 != place }
    let entrances = callers.filter { self.function($0).moment != nil }
    return !entrances.isEmpty
      && callers.allSatisfy { caller in
        !files[caller.file].mentions(self.function(caller).body ?? 0..<0, "activityType")
      }
  }
}

extension ReviewedFile {
  /// Whether the work ends with what is used, and only what comes behind it asks for the type:
  /// `if let url = activity.webpageURL { open(url); return }`.
  fileprivate func endsBeforeType(_ use: Int, in body: Range<Int>) -> Bool {
    guard language == .swift, tokens[use].isWord("webpageURL"),
      let question = body.first(where: { tokens[$0].isWord("activityType") }), question > use
    else { return false }
    let start = statementStart(of: use, in: body)
    let condition = condition(behind: start, in: body)
    guard tokens[start].isWord("if"), condition.contains(use), condition.upperBound < body.upperBound,
      let end = tokens[condition.upperBound].partner, question > end,
      (body.lowerBound..<start).allSatisfy({ !tokens[$0].isWord("NSUserActivityTypeBrowsingWeb") })
    else { return false }
    let last = end - 1
    return tokens[last].isWord("return") || tokens[last - 1].isWord("return")
  }

  /// Where a function uses what only activities of one type have.
  fileprivate func untypedUse(_ function: ReviewedFunction, _ body: Range<Int>) -> Int? {
    if let activity = function.parameter(ofType: "NSUserActivity") {
      let link = body.first { index in
        tokens[index].isWord("webpageURL") && isMember(index, of: activity.name) && !isLogged(index)
      }
      return link ?? untypedContent(function, activity.name, body)
    }
    // What a scene is connected with.
    guard function.moment == .sceneWillConnect, mentions(body, "userActivities") else { return nil }
    return body.first { tokens[$0].isWord("webpageURL") && !isLogged($0) }
  }

  /// Keys that the system alone sets, in activities of one type.
  private static let systemKeys: Set<String> = [
    "CSSearchableItemActivityIdentifier", "CSSearchQueryString", "CSSearchableItemActionType",
  ]

  /// The value of `CSSearchableItemActivityIdentifier`, which many write out.
  private static let spotlightKey = "kCSSearchableItemActivityIdentifier"

  /// Where an entrance uses what each type of activity fills in its own way. Other functions may be called for one type.
  private func untypedContent(
    _ function: ReviewedFunction, _ activity: String, _ body: Range<Int>
  ) -> Int? {
    guard [.continueActivity, .sceneContinueActivity].contains(function.moment),
      !mentions(body, Self.systemKeys.contains),
      // Few words are as long; looking into every one would cost more than all other rules.
      !body.contains(where: {
        tokens[$0].text.utf8.count >= Self.spotlightKey.utf8.count
          && tokens[$0].text.contains(Self.spotlightKey)
      })
    else { return nil }
    let use = body.first { index in
      ["userInfo", "title"].contains(tokens[index].text) && tokens[index].kind == .word
        && isMember(index, of: activity) && !isLogged(index)
    }
    // A function that got the whole activity before may have checked its type.
    guard let use, !(body.lowerBound..<use).contains(where: { isHandedOver($0, activity) }) else {
      return nil
    }
    return use
  }

  /// Whether something gets the whole activity: `fits(userActivity)`, `[Router fits:userActivity]`, `Kind(of: userActivity)`.
  private func isHandedOver(_ index: Int, _ activity: String) -> Bool {
    guard tokens[index].isWord(activity), index > 0, index + 1 < tokens.count, !isLogged(index) else {
      return false
    }
    let (before, behind) = (tokens[index - 1], tokens[index + 1])
    return ["(", ":", ",", "="].contains(before.text)
      && ([")", ",", "]", "{", "else"].contains(behind.text) || behind.kind == .word)
  }
}
