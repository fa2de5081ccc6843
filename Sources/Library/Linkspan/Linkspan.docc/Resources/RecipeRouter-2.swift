import Linkspan

enum Screen: Equatable, Sendable {
  case home
  case recipe(id: Int, servings: Int?)
}

func recipeRouter() throws -> Router<Screen> {
  try Router(
    sources: [
      .universalLinks(hosts: ["recipes.example"]), .customScheme("recipes"),
      .handoff(activityType: "example.recipes.reading", route: "recipe"),
    ],
    routes: [
      Route("home", "/", .home),
      .browser("help", "/help/*"),
      Route("recipe", "/recipes/{id:int}?servings={servings?:int}") {
        .recipe(id: try $0("id"), servings: try $0.optional("servings"))
      } write: {
        if case .recipe(let id, let servings) = $0 { ["id": id, "servings": servings] } else { nil }
      },
    ])
}
