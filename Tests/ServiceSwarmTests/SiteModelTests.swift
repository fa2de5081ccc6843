import Testing

@testable import ServiceSwarm

/// What a reader of the manual believes about a host.
@Suite struct SiteModelTests {
  @Test func aHistoryKeepsTenPublications() {
    var host = SiteModel.Host()
    for version in 1...9 {
      host.publish(version)
      #expect(host.isLineCertain && host.live == [version], "\(version)")
    }
    host.publish(10)
    #expect(!host.isLineCertain && host.line == Array(1...10) && host.publicationCount == 10)
  }

  @Test func theSameVersionAgainIsNoStepOfTheLine() {
    var host = SiteModel.Host()
    for version in [1, 1, 2, 1] { host.publish(version) }
    #expect(host.line == [1, 2, 1] && host.publicationCount == 4)
  }

  @Test(arguments: [(0, true), (1, true), (2, true), (3, false), (4, true), (7, false)])
  func everyFourthVersionIsBad(version: Int, isGood: Bool) { #expect(SiteModel.isGood(version) == isGood) }

  /// Of what was being checked only a good version may have been kept by half.
  @Test func aCheckMayHaveBeenKeptByHalf() {
    var host = SiteModel.Host()
    host.publish(1)
    host.folderCheck = 3
    host.noteHalf()
    #expect(host.isLineCertain && host.live == [1] && host.returning.isEmpty)
    host.sentCheck = 2
    host.noteHalf()
    #expect(!host.isLineCertain && host.live == [1, 2] && host.returning == [1, 2])
    host.noteEndOfChecks()
    #expect(host.folderCheck == nil && host.sentCheck == nil)
  }

  @Test func aPowerCutBringsBackWhatWasNotOnTheDisk() {
    var model = SiteModel(hostCount: 2)
    model.hosts[0].publish(1)
    model.hosts[0].returning = [0]
    model.notePowerCut()
    #expect(model.hosts[0].live == [0, 1] && model.hosts[0].returning.isEmpty)
    #expect(!model.hosts[0].isLineCertain && model.hosts[0].isOrderLost)
    #expect(model.hosts[1] == SiteModel.Host())
  }

  @Test func aDeathMayHaveTakenAwayAFolder() {
    var model = SiteModel(hostCount: 2)
    for index in 0...1 {
      model.hosts[index].publish(1)
      (model.hosts[index].folder, model.hosts[index].read) = (1, 1)
    }
    model.hosts[1].folder = nil
    model.noteDeath()
    #expect(model.hosts[0].live == [1] && !model.hosts[0].isOrderLost)
    #expect(model.hosts[1].live == [nil, 1])
  }
}
