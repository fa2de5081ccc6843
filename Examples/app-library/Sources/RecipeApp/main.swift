import Linkspan

let router = try recipeRouter()

// What the system brings, before and after the interface is ready.
var entrance = ActivityContinuation(router: router)
let link = IncomingActivity.web("https://recipes.example/recipes/42?servings=4")
var steps = entrance.connect(activities: [link], urls: [], now: .zero).steps
steps += entrance.receive(link, by: .callback, now: .zero).steps
print("before the interface is ready: \(steps.count) steps")
for case .go(.place(let screen)) in entrance.interfaceIsReady() { print("go to \(screen)") }

// A link that belongs to the browser, and one that no route takes.
for url in ["https://recipes.example/help/terms", "https://recipes.example/recipes/forty-two"] {
  for case .openInBrowser(_, let miss) in entrance.receive(.web(url), by: .callback, now: .zero).steps {
    print(miss)
  }
}

// The way back, and the association file that belongs to the routes.
print(try router.url(for: .recipe(id: 42, servings: 4)))
print(try router.activity(for: .recipe(id: 42, servings: nil)).userInfo)
let components = router.associationComponents()
print(components.json(appIDs: ["ABCDE12345.com.example.recipes"]), terminator: "")
print(
  components.isExact
    ? "exactly the routes" : components.differences.map(\.description).joined(separator: "\n"))
