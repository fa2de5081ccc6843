internal import LinkspanCore
internal import LinkspanDaemon
internal import LinkspanServer
internal import SimulatedStores

/// Operators who change the configuration file, and servers that read it.
extension ServiceWorld {
  /// An operator writes the file anew.
  func configure(_ number: Int) {
    configuration.configuration = SwarmConfiguration(number)
    record("operator", "configure", [("version", .int(number))])
  }

  /// An operator has a server read everything again.
  func reload() {
    guard let server = running(0), let publication = server.publication else { return }
    let written = configuration.configuration
    beginChange()
    do throws(LinkspanError) {
      let outcomes = try publication.reload(at: time.now)
      guard !tree.isDead else { return }
      servers[0]?.applied = [written]
      if !story.sharesSites { noteRead() }
      record("server", "reload", [("version", .int(written.number))])
      reached.insert("configuration applied")
      server.pages.noteReload(isGood: true)
      require(
        written.isGood, .configurationKept,
        "configuration \(written.number) has a mistake, and a reload says that all is well")
      let expected = written.keysRequiringRestart(since: server.configuration).sorted()
      let found = publication.keysRequiringRestart.sorted()
      require(
        found == expected, .configurationKept,
        "after a reload the keys \(found) wait for a start; expected \(expected)")
      require(publication.problem == nil, .configurationKept, "a reload leaves a problem that is over")
      if story.sharesSites { takeShared(outcomes, 0) } else { take(outcomes) }
    } catch {
      guard !tree.isDead else { return }
      record("server", "reload-failed", [("reason", .string(error.message))])
      server.pages.noteReload(isGood: false)
      checkReport("\(error)")
      if written.isGood {
        // The folders could not be read: what is live goes on, and the next publication goes by the file.
        servers[0]?.applied.append(written)
      } else {
        reached.insert("configuration refused")
        checkMistake(written, error)
      }
      require(
        publication.problem != nil, .configurationKept, "a reload fails, and readiness does not mention it")
      show([])
    }
    checkServed()
    checkSigned(0)
  }

  /// Hosts are served signed as the configuration in force says; where that cannot be, the log says so.
  func checkSigned(_ index: Int) {
    guard let server = servers[index], let publication = server.publication, !trees[index].isDead else {
      return
    }
    for host in 0..<ServiceStory.hostCount {
      let name = Self.name(ofHost: host)
      guard let file = publication.served.first(where: { $0.host == name })?.associationFile else { continue }
      let isSigned = file.first == 0x30
      require(
        server.applied.contains { ($0.signers[host] ?? false) == isSigned }, .signedAsConfigured,
        "\(name) is served \(isSigned ? "signed" : "plain"), and configuration "
          + "\(server.applied.map { "\($0.number)" }.joined(separator: " or ")) says otherwise"
      )
      if isSigned { reached.insert("signed") }
      guard server.applied.allSatisfy({ $0.signers[host] == false }) else { continue }
      reached.insert("signed refused")
      require(
        publication.reports.contains { $0.host == name && $0.state == .refused }, .signedAsConfigured,
        "\(name) cannot be signed, and the log does not say so")
    }
  }

  /// A mistake is named with its place.
  func checkMistake(_ written: SwarmConfiguration, _ error: LinkspanError) {
    require(
      !written.isMistakePlaced || error.problem.contains("linkspan.json5:"), .configurationKept,
      "the mistake of configuration \(written.number) is named without its line: \(error.problem)")
  }

  /// A server starts with the configuration as it is now, unless it has a mistake.
  func newPublication(_ server: Int) throws(LinkspanError) -> SteppedPublication {
    let written = configuration.configuration
    do throws(LinkspanError) {
      let publication = try makePublication(server)
      require(
        written.isGood, .configurationKept,
        "a server starts with configuration \(written.number), which has a mistake")
      return publication
    } catch {
      checkReport("\(error)")
      if !written.isGood { checkMistake(written, error) }
      throw error
    }
  }
}
