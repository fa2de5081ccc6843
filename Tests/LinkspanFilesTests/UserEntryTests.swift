import Testing

@testable import LinkspanFiles

/// What the system's lists say about a user.
@Suite struct UserEntryTests {
  @Test func aUserIsInItsOwnGroupAndNotInOthers() throws {
    let root = try #require(UserEntry(0))
    #expect(root.group == 0 && root.isMember(of: 0))
    #expect(!root.isMember(of: 3_999_999_998))
  }

  @Test func aNumberThatNoListKnowsIsNoUser() { #expect(UserEntry(3_999_999_998) == nil) }
}
