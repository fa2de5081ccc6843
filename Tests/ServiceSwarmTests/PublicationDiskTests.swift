import LinkspanCore
import LinkspanDaemon
import LinkspanServer
import Testing

@testable import ServiceSwarm
@testable import SimulatedStores

/// What a server publishes, on a disk that crashes and fails.
@Suite struct PublicationDiskTests {
  /// A machine whose server starts, dies and starts again.
  private final class Machine {
    let disk: VirtualDisk
    let tree: VirtualTree
    let reports = ReportBox()
    /// Versions of files in the folders of hosts.
    var folders: [String: Int] = [:]

    init(seed: UInt64) {
      disk = VirtualDisk(SeededGenerator(seed: seed))
      tree = VirtualTree(disk, SeededGenerator(seed: seed))
    }

    private func site(_ host: String, _ version: Int) -> AssociationSite {
      let text =
        #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"#
        + #""components":[{"/":"/v\#(version)"}]}]}}"#
      return AssociationSite(host: host, associationFile: Array(text.utf8))
    }

    func start() throws -> SteppedPublication {
      let reports = reports
      return try SteppedPublication(
        in: tree, now: { ServiceWorld.start },
        candidates: { [unowned self] in
          folders.sorted { $0.key < $1.key }.map { host, version in
            PublicationCandidate(site(host, version), associationFileName: "apple-app-site-association")
          }
        }, report: { reports.add($0) })
    }

    /// Reads the folders, and makes the checks.
    @discardableResult
    func publish(_ publication: SteppedPublication) throws -> [PublicationOutcome] {
      var outcomes = try publication.read(at: ServiceWorld.start)
      while publication.check() {}
      outcomes += publication.takeOutcomes(at: ServiceWorld.start)
      return outcomes
    }
  }

  @Test func whatAStartServesOutlivesAPowerCut() throws {
    var found: Set<String> = []
    for changes in 0...24 {
      for seed in UInt64(1)...8 {
        let machine = Machine(seed: seed)
        machine.folders["one.example"] = 1
        let first = try machine.start()
        try machine.publish(first)
        machine.folders["one.example"] = 2
        machine.tree.changesLeft = changes
        try machine.publish(first)
        machine.tree.restart()
        let served = try machine.start().served
        machine.tree.crash()
        #expect(try machine.start().served == served, "killed after \(changes) changes, seed \(seed)")
        found.formUnion(served.compactMap { $0.associationFile.map { String(decoding: $0, as: UTF8.self) } })
      }
    }
    // The process was killed before it was published, and after.
    #expect(found.count == 2)
  }

  @Test func aWithdrawalThatTheDiskRefusesIsToldAndWrittenLater() throws {
    let machine = Machine(seed: 1)
    machine.folders = ["one.example": 1, "two.example": 1]
    let publication = try machine.start()
    try machine.publish(publication)
    machine.folders["one.example"] = nil
    machine.disk.faults.sync = 1
    #expect(try machine.publish(publication).contains { $0.kind == .withdrawn })
    #expect(machine.reports.texts.contains { $0.contains("the history in '/state' cannot be written") })

    machine.disk.faults = .init()
    try machine.publish(publication)
    machine.tree.crash()
    #expect(try machine.start().served.map(\.host) == ["two.example"])
  }

  /// A decision that had ended came back with the files that it was about.
  @Test func aDecisionOfOneHostEndsWhereThatOfAnotherCannotBeKept() throws {
    let machine = Machine(seed: 1)
    machine.folders = ["one.example": 1, "two.example": 1]
    let publication = try machine.start()
    try machine.publish(publication)
    machine.folders["two.example"] = 2
    try machine.publish(publication)
    _ = try publication.perform(
      .rollBack(host: "two.example", number: nil), actor: "operator", at: ServiceWorld.start)
    // There is no room for the note that the other host is withdrawn.
    machine.disk.faults.isFull = true
    machine.folders = ["two.example": 3]
    _ = try publication.read(at: ServiceWorld.start)
    machine.disk.faults = .init()
    try machine.publish(publication)
    machine.folders["two.example"] = 1
    try machine.publish(publication)

    let next = try machine.start()
    machine.folders["two.example"] = 2
    try machine.publish(next)
    let file = try #require(next.served.first?.associationFile)
    #expect(next.served.map(\.host) == ["two.example"])
    #expect(String(decoding: file, as: UTF8.self).contains("/v2"))
  }
}
