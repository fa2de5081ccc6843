import Foundation
import LinkspanCore
import PushCampaigns
import TestSupport
import Testing

@testable import PushSending

/// The time zones of a machine: a zone that cannot be read counts as UTC, so none may be lost on the way.
@Suite struct ZoneFilesTests {
  @Test func everyZoneIsThereWithoutItsFile() throws {
    let folder = try ScratchFolder()
    for zone in ["UTC", "Europe/Vienna", "America/Argentina/Salta", "posix/Asia/Tokyo"] {
      let name = zone.replacing("posix/", with: "")
      let bytes = try Data(contentsOf: URL(filePath: TimeZoneRules.folder + "/" + name))
      try folder.write(Array(bytes), to: "zones/" + zone)
    }
    try folder.write("no zone", to: "zones/leapseconds")
    try folder.write("no zone", to: "zones/zone.tab")
    let zones = ZoneFiles(in: folder.path("zones"))
    try FileManager.default.removeItem(atPath: folder.path("zones"))
    let summer = WallTime("2026-07-01T12:00:00Z")!
    #expect(zones.rules("Europe/Vienna")?.offset(at: summer) == 7_200)
    #expect(zones.rules("America/Argentina/Salta")?.offset(at: summer) == -10_800)
    #expect(zones.rules("UTC")?.offset(at: summer) == 0 && zones.problem == nil)
    for name in ["posix/Asia/Tokyo", "leapseconds", "zone.tab", "Europe", "Mars/X", "../zones/UTC", ""] {
      #expect(zones.rules(name) == nil, "\(name)")
    }
  }

  @Test func theSystemHasZones() {
    #expect(ZoneFiles.system.problem == nil)
    #expect(ZoneFiles.system.rules("Asia/Kolkata")?.offset(at: WallTime("2026-07-01T12:00:00Z")!) == 19_800)
  }

  /// A container often has none; `Packaging/deb/control.in` depends on them.
  @Test func aMachineWithoutZonesSaysSo() throws {
    let folder = try ScratchFolder()
    for path in [folder.path("missing"), folder.path("")] {
      let problem = try #require(ZoneFiles(in: path).problem)
      #expect(problem.contains("quiet hours of every device go by UTC; install the package tzdata"))
    }
  }
}
