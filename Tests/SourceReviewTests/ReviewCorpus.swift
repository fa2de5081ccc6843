import LinkspanCore

/// Sources with a known mistake, and twins without it, in many ways of writing: names, closures, helper functions and
/// extensions in other files, both languages. Made from a seed, so that everybody measures the same.
struct ReviewCorpus {
  /// The files of one app.
  struct Sample {
    let files: [(name: String, text: String)]
    /// The rule that has to report something; nil for a twin without a mistake.
    let rule: String?
    /// What it was made of, for messages.
    let recipe: String
  }

  private var chance: SeededGenerator

  init(seed: UInt64) { chance = SeededGenerator(seed: seed) }

  mutating func samples(_ count: Int) -> [Sample] {
    (0..<count).map { number in
      let recipe = Self.recipes[number % Self.recipes.count]
      return make(recipe, isBad: number / Self.recipes.count % 2 == 0)
    }
  }

  /// One mistake, and the code beside it that has none. `§name§` are names that are drawn, `⟨a|b⟩` is one of several.
  struct Recipe {
    let rule: String
    let files: [(name: String, text: String)]
    /// Each replaces `⟪⟫`.
    let bad: [String]
    let good: [String]
  }

  private mutating func make(_ recipe: Recipe, isBad: Bool) -> Sample {
    let choices = isBad ? recipe.bad : recipe.good
    let body = choices[pick(choices.count)]
    var names: [String: String] = [:]
    let indent = ["  ", "    ", "\t"][pick(3)]
    let files = recipe.files.map { file in
      var text = drawn(file.text.replacing("⟪⟫", with: body), &names)
      text = text.replacing("  ", with: indent)
      if pick(4) == 0 { text = text.replacing("\n", with: "\n\n") }
      return (drawn(file.name, &names), "// A sample.\n" + text + "\n")
    }
    return Sample(files: files, rule: isBad ? recipe.rule : nil, recipe: "\(recipe.rule): \(body)")
  }

  private mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &chance) }

  /// Chooses alternatives, then names; a name is the same in all files of a sample.
  private mutating func drawn(_ text: String, _ names: inout [String: String]) -> String {
    var text = text
    while let open = text.lastIndex(of: "⟨"), let close = text[open...].firstIndex(of: "⟩") {
      let parts = text[text.index(after: open)..<close].split(
        separator: "|", omittingEmptySubsequences: false)
      text.replaceSubrange(open...close, with: parts[pick(parts.count)])
    }
    for (key, pool) in Self.pools {
      guard text.contains("§\(key)§") else { continue }
      let name = names[key] ?? pool[pick(pool.count)]
      names[key] = name
      text = text.replacing("§\(key)§", with: name)
    }
    return text
  }

  private static let pools: [(String, [String])] = [
    ("router", ["router", "coordinator", "navigator", "linkHub", "flow"]),
    ("show", ["show", "open", "present", "navigate", "display"]),
    ("url", ["url", "link", "incoming", "deepLink", "target"]),
    ("done", ["completionHandler", "completion", "done", "handler"]),
    ("token", ["deviceToken", "token", "tokenData"]),
    ("activity", ["userActivity", "activity", "handoff"]),
    ("word", ["shop", "recipe", "order", "profile", "ticket", "events"]),
    ("cover", ["cover", "privacyView", "blurView", "shieldOverlay"]),
    ("Type", ["AppDelegate", "MainAppDelegate", "ShopAppDelegate"]),
    ("Scene", ["SceneDelegate", "WindowSceneDelegate"]),
    ("param", ["name", "title", "label", "identifier"]),
  ]
}
