import Linkspan

func associationFile<Screen>(_ router: Router<Screen>) -> String {
  let components = router.associationComponents()
  for difference in components.differences { print(difference) }
  return components.json(appIDs: ["ABCDE12345.com.example.recipes"])
}
