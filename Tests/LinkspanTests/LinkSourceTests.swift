import Linkspan
import Testing

struct LinkSourceTests {
  @Test func eachSourceHasItsKind() {
    #expect(LinkSource.universalLinks(hosts: ["a.example"]).kind == .universalLink)
    #expect(LinkSource.appClip(hosts: ["a.example"]).kind == .appClip)
    #expect(LinkSource.customScheme("recipes").kind == .customScheme)
    #expect(LinkSource.handoff(activityType: "com.example.recipe", route: "recipe").kind == .handoff)
  }
}
