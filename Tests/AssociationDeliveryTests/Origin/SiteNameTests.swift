import AppSiteAssociation
import AssociationDelivery
import Testing

@Suite struct SiteNameTests {
  @Test(arguments: [
    ("example.com", "example.com", false), ("Example.COM.", "example.com", false),
    ("https://example.com", "example.com", true), ("https://example.com/a?b#c", "example.com", true),
    ("https://example.com:443/", "example.com", true), ("bücher.example", "xn--bcher-kva.example", true),
    ("https://BÜCHER.example/", "xn--bcher-kva.example", true), ("bsky.app", "bsky.app", false),
    ("a_b.example.com", "a_b.example.com", false), ("https://localhost/", "localhost", true),
  ])
  func isAHost(text: String, host: String, hasRemark: Bool) throws {
    let name = try #require(try SiteName.read(text))
    #expect(name.host == host)
    #expect((name.remark != nil) == hasRemark)
  }

  @Test(arguments: [
    "apple-app-site-association", "folder/example.com", "aasa.json", "App.entitlements", "Info.plist",
    "notes.txt",
    "a..b", "-a.example", "a b.example", "", ".", "..", "localhost", "/etc",
  ])
  func isMoreLikelyAFile(_ text: String) throws {
    #expect(try SiteName.read(text) == nil)
  }

  @Test(arguments: [
    (
      "http://example.com/",
      "'http://example.com/' is not an https URL; association files are served over https only (T1)."
    ),
    (
      "ftp://example.com/",
      "'ftp://example.com/' is not an https URL; association files are served over https only (T1)."
    ),
    ("192.168.1.1", "'192.168.1.1' is an IP address; associated domains are host names."),
    ("https://[::1]/", "'https://[::1]/' is an IP address; associated domains are host names."),
    (
      "example.com:8443",
      "'example.com:8443' has a port; association files are fetched from port 443 only (E3)."
    ),
    (
      "https://ann:geheim@a..b/",
      "'https://…@a..b/' is not a host name: it has an empty part between its dots."
    ),
    (
      "https://a..b/",
      "'https://a..b/' is not a host name: it has an empty part between its dots."
    ),
  ])
  func cannotBeAsked(text: String, message: String) {
    do throws(SiteName.Problem) {
      let name = try SiteName.read(text)
      Issue.record("\(String(describing: name))")
    } catch {
      #expect(error.message == message)
      #expect(error.help?.isEmpty == false)
    }
  }
}
