import LinkspanCore
import Testing

@Suite struct ServiceAddressTests {
  @Test(arguments: [
    ("https://push.example.com", "https://push.example.com"),
    ("HTTPS://push.example.com:8443/base/", "https://push.example.com:8443/base/"),
    ("http://u:SECRET@host/path?key=SECRET", "http://…@host/path"), ("http://SECRET@host", "http://…@host"),
    (
      "postgres://u:SECRET@db.example,db2.example:5433/reg?sslmode=require",
      "postgres://…@db.example,db2.example:5433/reg"
    ),
    ("postgres:///reg?host=/run&password=SECRET", "postgres:///reg"),
    ("http://[::1]:80/x", "http://[::1]:80/x"),
    ("postgres://u:SECRET@[::1/x", "postgres://…"), ("http://u:SEC@RET@host", "http://…"),
    ("http://u:SECRET", "http://…"), ("http://u:SEC/RET@host", "http://…"),
    ("http://u:SEC?RET@host", "http://…"),
    ("http://u:SEC#RET@host", "http://…"), ("http://u:SECRET%zz@host", "http://…"),
    ("http://host\\SECRET@x", "http://…"), ("http://host/ SECRET", "http://…"),
    ("host=db password=SECRET", "…"),
    ("SECRET", "…"), ("", "…"), ("://u:SECRET@host", "…"), ("1http://u:SECRET@host", "…"),
    // The bytes of other letters than ASCII's begin with 0x80.
    ("http://u:SECRET@\u{C0}.example/x", "http://…@\u{C0}.example/x"),
    ("http://u:SECRET@\u{FF}.example/x", "http://…@\u{FF}.example/x"),
    ("h+t-t.p1://u:SECRET@a-b._~%41/x", "h+t-t.p1://…@a-b._~%41/x"), ("http://u:SECRET@a!b/x", "http://…"),
    ("http://u:SECRET@[fe80::1%25eth0]/x", "http://…@[fe80::1%25eth0]/x"),
    ("http://u:SECRET@[a_b]/x", "http://…"), ("http://u:SECRET@[]/x", "http://…"),
    ("http://u:SECRET@[::1]8080/x", "http://…"), ("http://u:SECRET@[::1]:80a/x", "http://…"),
  ])
  func showsNoCredential(_ text: String, _ shown: String) {
    let address = ServiceAddress(text)
    #expect("\(address)" == shown)
    #expect(address.textWithCredentials == text)
  }

  /// `print`, `dump` and a debugger's description reach the same text.
  @Test func noWayOfPrintingShowsMore() {
    let address = ServiceAddress("postgres://u:SECRET@db.example/reg")
    var dumped = ""
    dump([address], to: &dumped)
    for text in [dumped, String(describing: address), String(reflecting: address), "\([address])"] {
      #expect(!text.contains("SECRET"), "\(text)")
    }
  }

  /// Every cut and every insertion of a character that matters, into addresses with a password.
  @Test func noMutationOfAnAddressShowsThePassword() {
    let addresses = [
      "postgres://ann:qzqzqz@db.example:5432/reg?sslmode=require", "https://ann:qzqzqz@push.example.com/base",
      "http://qzqzqz@[::1]:8080/", "postgres:///reg?host=/run&password=qzqzqz",
    ]
    for address in addresses {
      let bytes = Array(address.utf8)
      for offset in 0...bytes.count {
        // Without the scheme there is nothing that could be shown; without the separator, nothing that could be told.
        for piece in ["@", ":", "/", "?", "#", "%", " ", "[", "]", "\\", ",", "&", "="] {
          let text = String(decoding: bytes[..<offset] + Array(piece.utf8) + bytes[offset...], as: UTF8.self)
          let shown = "\(ServiceAddress(text))"
          // A password that begins behind a slash, a comma or a question mark of its own has become the path or a host.
          #expect(!shown.contains("qz") || Self.isPlainly(text), "\(text) as \(shown)")
        }
      }
    }
  }

  /// Whether the mutation made an address without a user, of which nobody could tell that it had one.
  private static func isPlainly(_ text: String) -> Bool { !text.contains("@") && !text.contains("password=") }

  @Test(arguments: [
    ("https://push.example.com", "https", "push.example.com", ""),
    ("http://127.0.0.1:8080/base/v/", "http", "127.0.0.1:8080", "/base/v"),
  ])
  func namesAServer(_ text: String, scheme: String, authority: String, path: String) throws {
    let server = try ServiceAddress(text).server(example: "https://a.example", takesPath: true)
    #expect(server.scheme == scheme && server.authority == authority && server.path == path)
  }

  @Test(arguments: [
    ("push.example.com", "expected a URL such as https://a.example"),
    ("ftp://host", "expected a URL such as https://a.example"),
    ("http://", "http:// cannot be parsed; expected a URL such as https://a.example"),
    ("http://u:SECRET@[::1/x", "http://… cannot be parsed; expected a URL such as https://a.example"),
    ("http://u:SECRET@host/", "http://…@host/ has a user or password, which is not used; remove it"),
    ("http://host/?token=SECRET", "http://host/ has a query; expected a URL such as https://a.example"),
    ("http://host/v1", "http://host/v1 has a path; expected scheme, host and port only"),
  ])
  func saysWhyItIsNoServer(_ text: String, _ problem: String) {
    let error = #expect(throws: ServiceAddress.Problem.self) {
      try ServiceAddress(text).server(example: "https://a.example")
    }
    #expect(error?.description == problem)
  }

  /// Wherever the escape stands in the password.
  @Test(arguments: [("%40", "@"), ("a%40", "a@"), ("%40a", "@a"), ("%41%42", "AB"), ("%c3%A4", "ä")])
  func knowsItsPasswordWithoutEscapes(written: String, meant: String) {
    let address = ServiceAddress("https://ann:\(written)@host/")
    #expect(address.isQuoted(in: "'\(written)'") && address.isQuoted(in: "'\(meant)'"))
    #expect(!address.isQuoted(in: "ann"))
  }

  @Test func knowsItsPasswordInAnothersText() {
    let address = ServiceAddress("postgres://ann:a%40b@db/reg?sslpassword=hunter2")
    #expect(address.isQuoted(in: "cannot use \"a@b\""))
    #expect(address.isQuoted(in: "invalid \"a%40b\""))
    #expect(address.isQuoted(in: "invalid hunter2"))
    #expect(!address.isQuoted(in: "password authentication failed for user \"ann\""))
  }
}

/// What errors quote of what a person typed.
@Suite struct StringCredentialsTests {
  @Test(arguments: [
    ("there is no 'https://u:SECRET@host/x'.", "there is no 'https://…@host/x'."),
    ("'https://u:SECRET@host'.", "'https://…@host'."), ("https://u:SEC@RET@host", "https://…"),
    ("'https://u:SEC/RET@host'", "'https://…'"),
    ("unexpected argument 'password=SECRET'.", "unexpected argument 'password=…'."),
    ("host=db password=SECRET", "host=db password=…"), ("PGPASSWORD=SECRET", "PGPASSWORD=…"),
    ("'lsp_0011_SECRET' is unknown", "'lsp_0011_…' is unknown"),
    ("see https://example.com/@ann/x#y", "see https://example.com/@ann/x#y"),
    ("https://host:8443/a?b=c and [::1]:80", "https://host:8443/a?b=c and [::1]:80"),
    ("no file 'https:/ann:SECRET@host/x'", "no file 'https:/…@host/x'"),
    ("'--https:ann:SECRET@host'", "'--https:…@host'"),
    ("url=https:\\\\ann:SECRET@host", "url=https:\\\\…@host"),
    ("'//ann:SECRET@host/x'", "'//…@host/x'"),
    ("a:b@c mailto:ann@example.com", "a:b@c mailto:ann@example.com"),
    ("'--token-file' is missing\n  ann@example.com", "'--token-file' is missing\n  ann@example.com"),
  ])
  func keepsWhatIsNoCredential(_ text: String, _ shown: String) {
    #expect(text.withoutCredentials == shown)
  }

  /// Keys of PKCS #8, SEC 1, PKCS #1 and Ed25519 without the lines around them, and a provider token; certificates stay.
  @Test(arguments: [
    "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgz49VROVnX+yV/0Sgl9u4GhzVJhgII5SPNo3VO5e=",
    "MHcCAQEEIM+PVUTlZ1/slYNEoJfbuBoc1SYYCCOUjzaN1TuXjAQ2oAoGCCqGSM49AwEH\noUQDQgAEi7VGNU83F==",
    "MIIEogIBAAKCAQEA4R3f1U7EVQ3BexqE0e26UJvIjNhVv1KD3klr34WsROqU",
    "MIIEvAIBADANBgkqhkiG9w0BAQEFAASCBKYwggSiAgEAAoIBAQDhHd/VTsRV",
    "MC4CAQAwBQYDK2VwBCIEIGklDRL8lRrn9BryE1AQSEKLXluJD8PyKusBVkuGab==",
    "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJGNkc3SDhJOUowIn0.c2lnbmF0dXJl",
  ])
  func hidesABareKey(_ key: String) {
    #expect("there is no file '\(key)', and".withoutCredentials == "there is no file '…', and")
    #expect("no '--key=\(key)'.".withoutCredentials == "no '--key=…'.")
    #expect("no \(key) and '\(key)'.".withoutCredentials == "no … and '…'.")
  }

  @Test(arguments: [
    "MIIBszCCAVmgAwIBAgIUQ9f3tK2nC0v5cXjJw1m0x5C3gXswCgYIKoZIzj0EAwIwFjEUMBIGA1UE",
    "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEi7VGNU83FwFi7VGNU83FwFi7VGNU83FwFi7VGNU83FwF",
    "MEUCIQDhHdVTsRV4R3f1U7EVQ3BexqE0e26UJvIjNhVv1KD3kIgVQ3BexqE0e26UJvIjNhVv1KD3kAB=",
    "MIGHAgEAMBMGBy", "eyJ.example.com",
  ])
  func aCertificateASignatureAndANameAreNoKey(_ text: String) {
    #expect("'\(text)'".withoutCredentials == "'\(text)'")
  }

  /// As a variable of CI has it, given to the wrong flag; what only names the form stays.
  @Test(arguments: [
    (
      "no flag '-----BEGIN PRIVATE KEY-----\nMIGH\n-----END PRIVATE KEY-----'.",
      "----BEGIN PRIVATE KEY-----…-----END PRIVATE KEY-----'."
    ),
    ("got '-----BEGIN EC PRIVATE KEY-----\\nMIGH'", "----BEGIN EC PRIVATE KEY-----…"),
    ("-----BEGIN PRIVATE KEY-----\r\nMIGH\r\n-----END", "----BEGIN PRIVATE KEY-----…-----END"),
    ("A key begins with -----BEGIN PRIVATE KEY-----.", "begins with -----BEGIN PRIVATE KEY-----."),
    (
      "-----BEGIN PRIVATE KEY-----\nMIGH\n-----END PRIVATE KEY-----\n-----BEGIN PRIVATE KEY-----\nMIGI\n-----END",
      "-----BEGIN PRIVATE KEY-----…-----END PRIVATE KEY-----\n-----BEGIN PRIVATE KEY-----…-----END"
    ),
    ("-----BEGIN CERTIFICATE-----\nMIIB", "-----BEGIN CERTIFICATE-----\nMIIB"),
  ])
  func hidesAPrivateKey(_ text: String, _ end: String) {
    #expect(text.withoutCredentials.hasSuffix(end), "\(text.withoutCredentials)")
  }

  /// A link is what an answer is about, so only the user and password go.
  @Test(arguments: [
    ("https://ann:secret@example.com/a?b=c@d#e", "https://…@example.com/a?b=c@d#e"),
    ("https://ann@sec/ret@example.com/", "https://…@sec/ret@example.com/"),
    ("https://a:b@c@example.com", "https://…@example.com"),
    ("https://example.com/@ann?token=a@b", "https://example.com/@ann?token=a@b"),
    ("mailto:ann@example.com", "mailto:ann@example.com"),
    ("https:/ann:secret@example.com/", "https:/…@example.com/"),
    ("https:ann:secret@example.com/", "https:…@example.com/"),
    ("https:///ann:secret@example.com/", "https:///…@example.com/"),
    ("HTTP:\\\\ann:secret@example.com\\@x", "HTTP:\\\\…@example.com\\@x"),
    (" ht\ttps:/\n/ann:sec\nret@example.com", " ht\ttps:/\n/…@example.com"),
    ("//ann:secret@example.com/a", "//…@example.com/a"), ("ftp:ann:secret@example.com", "ftp:…@example.com"),
    ("app://ann:secret@open", "app://…@open"), ("app:///a@b", "app:///a@b"),
    ("https://ann:sec/ret@example.com/", "https://…@example.com/"),
    ("https://ann:secret%40example.com/", "https://…%40example.com/"),
    ("https://ann:secret＠example.com/", "https://…＠example.com/"),
    ("https://example.com:8443/@ann", "https://example.com:8443/@ann"),
    ("https://[::1]:8443/@ann", "https://[::1]:8443/@ann"), ("/path/@ann", "/path/@ann"), ("@", "@"),
    ("see https://ann:secret@example.com", "see https://…@example.com"),
    ("https://example.com//ann:secret@example.com/a", "https://example.com//…@example.com/a"),
    ("https://example.com//@ann/a:b@c", "https://example.com//@ann/a:b@c"),
  ])
  func aLinkKeepsAllButItsUser(_ text: String, _ shown: String) {
    #expect(text.withoutUserInformation == shown)
  }

  /// The page that a login leads to.
  @Test(
    arguments: [
      (
        "https://example.com/?next=https://ann:secret@host/&a=b@c",
        "https://example.com/?next=https://…@host/&a=b@c"
      ),
      (
        "https://a.example/?next=https%3A%2F%2Fann%3Asecret%40host%2F%40x",
        "https://a.example/?next=https%3A%2F%2F…%40host%2F%40x"
      ),
      (
        "https://a.example/?next=https%253a%252f%252fann%253asecret%2540host",
        "https://a.example/?next=https%253a%252f%252f…%2540host"
      ),
      ("https://a.example/?u=https:%2F%2Fann:secret@host", "https://a.example/?u=https:%2F%2F…@host"),
      ("https://a.example/web/2020/https://ann:secret@host/", "https://a.example/web/2020/https://…@host/"),
      ("https://a.example/https://ann:sec&ret@host/", "https://a.example/https://…@host/"),
      ("https://ann:one@a.example/#https://bob:two@host", "https://…@a.example/#https://…@host"),
      (
        "https://a.example/?u=https://b.example&mail=ann@host",
        "https://a.example/?u=https://b.example&mail=ann@host"
      ),
      (
        "https://a.example/?u=https%3A%2F%2Fb.example&mail=ann%40host",
        "https://a.example/?u=https%3A%2F%2Fb.example&mail=ann%40host"
      ),
      ("https://a.example/?mail=ann:b%40host", "https://a.example/?mail=ann:b%40host"),
    ] as [(String, String)])
  func aLinkInsideALinkKeepsAllButItsUser(_ text: String, _ shown: String) {
    #expect(text.withoutUserInformation == shown)
    let sentence = "see '\(text)', or ann@host".withoutUserInformationOfLinks
    #expect(!sentence.contains("secret") && sentence.hasSuffix("', or ann@host"))
  }

  /// A mail address stays.
  @Test(
    arguments: [
      ("ann:secret@host.example", "…@host.example"), ("ann:secret@localhost", "…@localhost"),
      ("ann:secret@host.example:8443/a@b", "…@host.example:8443/a@b"),
      ("ann:s@cret@host/", "…@host/"),
      ("ann:secret@[::1]/", "…@[::1]/"),
      ("ann%40b:secret@host:80", "…@host:80"), ("a:b@c", "a:b@c"),
      ("applinks:ann:secret@a.example", "applinks:…@a.example"),
      ("applinks:ann@a.example", "applinks:ann@a.example"),
      ("ann@host.example", "ann@host.example"),
      ("git@host.example:ann/a.git", "git@host.example:ann/a.git"),
      ("sip:ann@a.example", "sip:ann@a.example"),
      ("Email:ann@a.example", "Email:ann@a.example"),
      ("npm:@scope/a", "npm:@scope/a"),
      ("10:30@a.example", "10:30@a.example"),
      ("data:text/plain,a@b.example", "data:text/plain,a@b.example"),
    ] as [(String, String)])
  func aLinkWithoutASchemeKeepsAllButItsUser(_ text: String, _ shown: String) {
    #expect(text.withoutUserInformation == shown)
    #expect("see '\(text)', or ann@host".withoutUserInformationOfLinks == "see '\(shown)', or ann@host")
  }

  /// An error shows a link as every answer does.
  @Test(arguments: [
    "https://ann:secret@example.com/a", "https:/ann:secret@example.com/a", "https:ann:secret@example.com/a",
    "//ann:secret@example.com/a", "ftp://ann@example.com", "ann:secret@example.com",
    "https://a.example/?next=https://ann:secret@host", "https%3A%2F%2Fann%3Asecret%40host",
  ])
  func errorsHaveOneFormForAHiddenUser(_ link: String) {
    #expect("no '\(link)'.".withoutCredentials == "no '\(link.withoutUserInformation)'.")
  }

  /// A request names the host in ASCII and a port that there is.
  @Test(
    arguments: [
      ("https://a.example:8443", "a.example:8443", nil), ("https://a.example:", "a.example", nil),
      ("http://a.example.:80", "a.example.:80", nil), ("http://[::1]:65535", "[::1]:65535", nil),
      ("http://[::1]", "[::1]", nil), ("http://my_service:80", "my_service:80", nil),
      ("http://a.example:00443", "a.example:443", nil),
      ("https://b\u{FC}cher.example:1", "xn--bcher-kva.example:1", nil),
      ("http://127.0.0.1:65536", nil, "has the port 65536; expected 1 to 65535"),
      ("http://127.0.0.1:0", nil, "has the port 0; expected 1 to 65535"),
      ("http://[fe80::1%25eth0]:80", nil, "has a zone, which a request cannot name; leave it out"),
      ("http://:80", nil, "names no host: it is missing"),
      ("http://a%2Eb", nil, "names no host: it contains '%', which is not allowed in host names"),
      ("http://-a.example", nil, "names no host: it has the label '-a' which begins or ends with a hyphen"),
    ] as [(String, String?, String?)])
  func aServerHasAHostAndAPort(_ text: String, _ authority: String?, _ fault: String?) {
    do throws(ServiceAddress.Problem) {
      let server = try ServiceAddress(text).server(example: "https://a.example")
      #expect(server.authority == authority)
    } catch {
      #expect(authority == nil && error.description == "\(text) \(fault ?? "")")
    }
  }
}
