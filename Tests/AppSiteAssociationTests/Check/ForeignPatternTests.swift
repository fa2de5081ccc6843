import AssociationCheck
import Testing

/// Wildcards of routers and regular expressions: what `check` names, and what `doctor` reads them as.
@Suite struct ForeignPatternTests {
  @Test(arguments: [
    ("/user/:id", ":id", "/user/*"), ("/user/:id/edit", ":id", "/user/*/edit"),
    ("/user/{id}", "{id}", "/user/*"), ("/user/{id}.html", "{id}", "/user/*.html"),
    ("/user/{{id}}", "{{id}}", "/user/*"), ("/user/${id}/a", "${id}", "/user/*/a"),
    ("/user/<int:id>", "<int:id>", "/user/*"), ("/user/[id]/a", "[id]", "/user/*/a"),
    ("/user/[...rest]", "[...rest]", "/user/*"), ("/{a}/:b/[0-9]+", "{a}", "/*/*/*"),
    ("/item/[0-9]+", "[0-9]+", "/item/*"), ("/item/[0-9]{4,6}", "[0-9]{4,6}", "/item/*"),
    ("/item/[^/]+/x", "[^/]+", "/item/*/x"), ("/a/(.*)", "(.*)", "/a/*"), ("/a/.*", ".*", "/a/*"),
    ("/a/.+", ".+", "/a/*"), ("/a/(([a-z]+)-(\\d+))?", "(([a-z]+)-(\\d+))?", "/a/*"),
    ("/(en|de)/a", "(en|de)", "/*/a"), ("/a/\\d+", "\\d+", "/a/*"), ("/a/\\w{2}/b", "\\w{2}", "/a/*/b"),
    ("^/a/(\\d+)$", "^", "/a/*"), ("/a\\.html", "\\.", "/a.html"), ("\\/a\\/b", "\\/", "/a/b"),
    ("\\docs\\a", "\\", "/docs/a"), ("/$(lang)/:id", ":id", "/$(lang)/*"), ("/a/(\\d+)$", "(\\d+)", "/a/*"),
  ])
  func aForeignWildcardIsNamedAndRead(pattern: String, text: String, meant: String) throws {
    let foreign = try #require(ForeignPattern(pattern))
    #expect(foreign.text == text)
    #expect(foreign.meant == meant)
    #expect(ForeignPattern(foreign.meant) == nil)
  }

  /// URLs hold these, so that a pattern may mean them.
  @Test(arguments: [
    "", "/", "/*", "/a?b", "/$(lang)/*", "/$()", "/Foo_(bar)", "/Foo_(bar*)", "/a:b", "/:", "/a/b:c",
    "filter[name]",
    "/a$", "/a.b*", "/a^b", "/[]", "/a{", "/<", "(", "/x/$(", "12:30", "/a+b", "*.html", "/{/}",
  ])
  func whatURLsHoldIsNoneOfThem(pattern: String) { #expect(ForeignPattern(pattern) == nil) }
}
