import Linkspan

func recipeLinksAreProven<Screen>(_ router: Router<Screen>) throws {
  try router.prove(samples: 1000)
}
