import Linkspan

/// The places of the app.
enum Screen: Equatable, Sendable {
  case home
  case newRecipe
  case recipe(id: Int, servings: Int?)
  case album(owner: String, number: Int)
}

/// Which links lead where; the only place that knows.
func recipeRouter() throws -> Router<Screen> {
  try Router(
    sources: [
      .universalLinks(hosts: ["recipes.example"]), .customScheme("recipes"),
      .handoff(activityType: "example.recipes.reading", route: "recipe"),
    ],
    clashes: .firstDeclaredWins,
    routes: [
      Route("home", "/", .home),
      Route("new", "/recipes/new", .newRecipe),
      Route("recipe", "/recipes/{id:~[0-9]{1,6}}?servings={servings?:int}") {
        .recipe(id: try $0("id"), servings: try $0.optional("servings"))
      } write: {
        if case .recipe(let id, let servings) = $0 { ["id": id, "servings": servings] } else { nil }
      },
      .browser("help", "/help/*"),
      Route("album", "/{owner:~[a-z]+}/{number:~[0-9]{1,4}}") {
        .album(owner: try $0("owner"), number: try $0("number"))
      } write: {
        if case .album(let owner, let number) = $0 { ["owner": owner, "number": number] } else { nil }
      },
    ])
}
