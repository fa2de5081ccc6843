import LinkspanCore
import Testing

@testable import LinkspanConsole

@Suite struct HostLettersTests {
  @Test(arguments: [
    ("xn--bcher-kva.example", "bücher.example"), ("example.com", "example.com"),
    ("xn--.xn---.a", "xn--.xn---.a"),
    ("", ""),
  ])
  func aHostIsShownInItsLetters(host: String, expected: String) {
    #expect(IDNA.letters(of: host) == expected)
  }
}
