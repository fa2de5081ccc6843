internal import LinkspanConsole
internal import LinkspanCore
internal import LinkspanDaemon
internal import LinkspanServer
internal import SimulatedStores

/// Files of hosts: operators, clients of the API, and what the first server makes of them.
extension ServiceWorld {
  static func name(ofHost host: Int) -> String { "host\(host).example" }

  /// The association file of a version; damaged ones end too early.
  static func file(_ host: Int, _ version: Int) -> [UInt8] {
    Array("\(beginning)\(host)/v\(version)\"}]}]}\(SiteModel.isGood(version) ? "}" : "")".utf8)
  }

  private static let beginning =
    "{\"applinks\":{\"details\":[{\"appIDs\":[\"ABCDE12345.com.example.app\"],\"components\":[{\"/\":\"/h"

  /// The version of a host's files; nil for other bytes.
  static func version(_ bytes: [UInt8]?, of host: Int) -> Int? {
    if let bytes, bytes.first == 0x30 { return signedVersion(bytes, of: host) }
    // After the beginning, a digit, and "/v".
    guard let digits = bytes?.dropFirst(beginning.utf8.count + 3).prefix(while: { $0 != UInt8(ascii: "\"") }),
      let number = Int(String(decoding: digits, as: UTF8.self)), file(host, number) == bytes
    else { return nil }
    return number
  }

  /// The version of a host's files that a signed file has in it.
  private static func signedVersion(_ bytes: [UInt8], of host: Int) -> Int? {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let start = text.firstRange(of: beginning)?.lowerBound,
      let end = text[start...].firstRange(of: "]}]}}")?.upperBound
    else { return nil }
    return version(Array(text[start..<end].utf8), of: host)
  }

  func makePublication(_ server: Int) throws(LinkspanError) -> SteppedPublication {
    let (time, reports, configuration) = (time, reports, configuration)
    return try SteppedPublication(
      in: trees[server], configuration: { configuration.source }, files: SwarmSigner.read, now: { time.now },
      candidates: { [weak self] () throws(LinkspanError) in
        let found = self?.candidates(server) ?? []
        guard !found.isEmpty else { throw LinkspanError("there is no association file to serve.") }
        return found
      }, report: { reports.add($0) })
  }

  private func candidates(_ server: Int) -> [PublicationCandidate] {
    let folders = story.sharesSites ? fleet.hosts.map { $0.folders[server] } : sites.hosts.map(\.folder)
    return folders.enumerated().compactMap { host, version in
      version.map { version in
        PublicationCandidate(
          AssociationSite(host: Self.name(ofHost: host), associationFile: Self.file(host, version)),
          associationFileName: "apple-app-site-association")
      }
    }
  }

  private var publication: SteppedPublication? { servers[0]?.publication }

  // MARK: - Steps

  func publish(_ step: ServiceStep) {
    if story.sharesSites { return publishShared(step) }
    switch step {
    case .deploy(let host, let version):
      sites.hosts[host].folder = version
      sites.hosts[host].known.insert(version)
      record("operator", "deploy", [("host", .int(host)), ("version", .int(version))])
    case .undeploy(let host):
      sites.hosts[host].folder = nil
      record("operator", "undeploy", [("host", .int(host))])
    case .read: readSites()
    case .upload(let host, let version): upload(host, version)
    case .order(let order, let host): _ = perform(order, host, nil)
    default: break
    }
    dieInTheMiddle()
  }

  private func readSites() {
    guard let publication, running(0) != nil else { return }
    beginChange()
    do throws(LinkspanError) {
      let outcomes = try publication.read(at: time.now)
      noteRead()
      record("server", "read")
      take(outcomes)
    } catch {
      record("server", "read-failed", [("reason", .string(error.message))])
      show([])
    }
  }

  /// The server has read the folders: what is good and new is being checked.
  func noteRead() {
    for index in sites.hosts.indices {
      let before = sites.hosts[index].read
      sites.hosts[index].noteRead()
      if let version = sites.hosts[index].read, version != before || sites.hosts[index].live != [version] {
        sites.hosts[index].folderCheck = version
      }
    }
  }

  /// One turn of the thread that publishes.
  func turnSites() {
    if story.sharesSites { return turnShared() }
    takeUploads(0)
    guard let publication, running(0) != nil else { return }
    beginChange()
    publication.check()
    take(publication.takeOutcomes(at: time.now))
    dieInTheMiddle()
  }

  // MARK: - Dying in the middle

  /// Before each change: notes what is known, and sometimes has the process be killed between two of its next changes of the state.
  func beginChange() {
    toldBefore = (tree.refusals, reports.count)
    drawDeath(0)
  }

  /// Sometimes has a process be killed between two of its next changes of the state.
  func drawDeath(_ server: Int) {
    guard place < story.entries.count else { return }
    if chance.chance(1, in: 40) { trees[server].changesLeft = Int(chance.draw(0...14)) }
  }

  func dieInTheMiddle(_ server: Int = 0) {
    guard trees[server].isDead else {
      trees[server].changesLeft = nil
      return
    }
    killServer(server)
  }

  func noteEndOfSites(_ server: Int) {
    guard !story.sharesSites else { return trees[server].restart() }
    guard server == 0 else { return }
    // Whatever ended it: it had died in the middle of something before.
    if tree.isDead { sites.noteDeath() }
    tree.restart()
    sites.noteEnd()
  }

  func noteStartOfSites(_ server: Int) {
    guard !story.sharesSites else { return takeShared([], server) }
    guard server == 0, servers[0] != nil else { return }
    show([])
    checkServed()
    for index in sites.hosts.indices {
      guard let served = served(index) else { continue }
      // A start has the disk keep what it found.
      if !isDisturbed { sites.hosts[index].returning = [] }
      sites.hosts[index].live = [served]
      sites.hosts[index].read = nil
      if let served, sites.hosts[index].line.last != served { sites.hosts[index].line.append(served) }
      if sites.hosts[index].standing?.version != served { sites.hosts[index].standing?.isCertain = false }
    }
    // As a start does.
    readSites()
  }

  /// When all is calm, a host without a decision serves what lies in its folder.
  func checkSitesAtEnd() {
    if story.sharesSites { return checkFleetAtEnd() }
    readSites()
    while publication?.isChecking == true { turnSites() }
    for (index, host) in sites.hosts.enumerated() where host.standing == nil && !host.isOrderLost {
      guard let version = host.folder, SiteModel.isGood(version) else { continue }
      require(
        served(index) == version, .drains,
        "the folder of \(Self.name(ofHost: index)) has version \(version), which never goes live")
    }
  }

  // MARK: - Checks

  /// What is served for a host: nil for files that are none of its versions, nil inside for nothing.
  private func served(_ host: Int) -> Int?? {
    let found = publication?.served.filter { $0.host == Self.name(ofHost: host) } ?? []
    require(
      found.count <= 1, .oneLivePublication, "\(Self.name(ofHost: host)) has \(found.count) publications")
    guard let site = found.first else { return .some(nil) }
    return Self.version(site.associationFile, of: host).map { .some($0) }
  }

  /// What is served is what may be live.
  func checkServed() {
    guard !tree.isDead, publication != nil, !story.sharesSites else { return }
    for (index, host) in sites.hosts.enumerated() {
      guard let served = served(index) else {
        require(
          false, .oneLivePublication,
          "\(Self.name(ofHost: index)) serves files that are no version of its own")
        continue
      }
      require(
        served.map(SiteModel.isGood) ?? true, .oneLivePublication,
        "\(Self.name(ofHost: index)) serves version \(served ?? -1), which is damaged")
      require(
        host.live.contains(served), broken(host),
        "\(Self.name(ofHost: index)) serves \(Self.words(served)), and may serve "
          + host.live.map(Self.words).sorted().joined(separator: " or "))
    }
  }

  private func broken(_ host: SiteModel.Host) -> ServiceInvariant {
    host.standing == nil ? .oneLivePublication : .rollbackRestores
  }

  static func words(_ version: Int?) -> String { version.map { "version \($0)" } ?? "nothing" }

  /// What became of hosts.
  func take(_ outcomes: [PublicationOutcome]) {
    guard !tree.isDead else { return }
    show(outcomes)
    for outcome in outcomes {
      guard let name = outcome.host, let index = Int(name.dropFirst(4).prefix(1)) else { continue }
      reached.insert("publication \(outcome.kind.rawValue)")
      if !outcome.isRepeated, outcome.kind != .unchanged {
        record("server", "publication", [("host", .int(index)), ("is", .string(outcome.kind.rawValue))])
      }
      switch outcome.kind {
      case .published, .changed: noteChange(index, isSent: outcome.isSent)
      case .withdrawn: noteWithdrawal(index)
      case .unchanged, .refused, .held, .removalHeld:
        // What was kept by half is refused, and may be there after a start.
        if isDisturbed { sites.hosts[index].noteHalf() }
        if outcome.isSent { sites.hosts[index].sentCheck = nil } else { sites.hosts[index].folderCheck = nil }
      }
    }
    checkServed()
  }

  /// Other files went live, by the folder or by the API.
  private func noteChange(_ index: Int, isSent: Bool) {
    guard let served = served(index), let version = served else { return }
    let host = sites.hosts[index]
    require(
      host.known.contains(version), .oneLivePublication,
      "\(Self.name(ofHost: index)) serves version \(version), which no deploy and no upload put there")
    if let standing = host.standing, standing.kind != .published, standing.isCertain {
      let isNewlySent = isSent && standing.kind == .rollback && host.sent.contains(version)
      let isNew = standing.kind == .rollback && host.read == version && host.read != standing.replaced
      require(
        isNewlySent || isNew, .rollbackRestores,
        "\(Self.name(ofHost: index)) serves version \(version), although version \(standing.version) was chosen and its"
          + " folder is as before")
    }
    sites.hosts[index].publish(version)
    // What a client sent ends the check of the folder, and not the other way round.
    sites.hosts[index].folderCheck = nil
    if isSent { sites.hosts[index].sentCheck = nil }
    sites.hosts[index].standing = isSent ? published(index, version) : nil
    sites.hosts[index].noteKept(host.live, isDisturbed: isDisturbed)
  }

  /// What the API sent stands until the folder is another one than the server has read.
  private func published(_ index: Int, _ version: Int) -> SiteModel.Standing {
    .init(
      kind: .published, version: version, replaced: sites.hosts[index].read, isCertain: !isDisturbed)
  }

  private var isDisturbed: Bool { disk.faults != VirtualDisk.Faults() }

  private func noteWithdrawal(_ index: Int) {
    let host = sites.hosts[index]
    require(
      host.read == nil, .oneLivePublication,
      "\(Self.name(ofHost: index)) is withdrawn, and its folder has version \(host.read ?? -1)")
    sites.hosts[index].live = [nil]
    // Where it cannot be written, a start brings it back, and the operator knows.
    require(
      tree.refusals == toldBefore.refusals || reports.count > toldBefore.reports, .oneLivePublication,
      "the disk refused to keep that \(Self.name(ofHost: index)) is withdrawn, and the operator is not told")
    sites.hosts[index].noteKept(host.live, isDisturbed: isDisturbed)
    sites.hosts[index].standing = nil
    sites.hosts[index].noteEndOfChecks()
  }

  // MARK: - Orders

  /// Carries out what somebody wants of a host.
  ///
  /// - Parameter number: The publication that a rollback or a pin is for; nil for the one before, or that which is served.
  func perform(
    _ order: ServiceStep.Order, _ index: Int, _ number: Int?
  ) -> Result<String, ConsoleFailure> {
    if story.sharesSites { return performShared(order, index, number, 0) }
    guard let publication, running(0) != nil else { return .failure(ConsoleFailure("There is no server.")) }
    beginChange()
    let name = Self.name(ofHost: index)
    let before = sites.hosts[index]
    do throws(LinkspanError) {
      let answer = try publication.perform(Self.order(order, index, number), actor: "operator", at: time.now)
      guard !tree.isDead else {
        noteLostOrder(index)
        return .failure(ConsoleFailure("The server has ended."))
      }
      record("operator", order.rawValue, [("host", .int(index)), ("number", JSON(answer.number))])
      show(answer.outcomes)
      reached.insert("order \(order.rawValue)")
      switch order {
      case .rollback, .pin: noteChoice(order, index, before, isNumbered: number != nil)
      case .release:
        // What the API sent before or during a pin is served in its place, and no folder is read.
        let isSent = answer.outcomes.contains { $0.host == name && $0.isSent }
        if !isSent { noteRead() }
        sites.hosts[index].standing = nil
        take(answer.outcomes)
        if isSent, let served = served(index), let version = served {
          sites.hosts[index].standing = published(index, version)
        }
      case .remove: noteWithdrawal(index)
      }
      checkServed()
      return .success("\(order.rawValue) of \(name)")
    } catch {
      if tree.isDead || isDisturbed { noteLostOrder(index) }
      if tree.isDead { return .failure(ConsoleFailure("The server has ended.")) }
      record(
        "operator", "\(order.rawValue)-refused", [("host", .int(index)), ("reason", .string(error.message))])
      checkServed()
      return .failure(ConsoleFailure(error.message))
    }
  }

  static func order(_ order: ServiceStep.Order, _ host: Int, _ number: Int?) -> PublicationOrder {
    let name = name(ofHost: host)
    return switch order {
    case .rollback: .rollBack(host: name, number: number)
    case .pin: .pin(host: name, number: number)
    case .release: .release(host: name)
    case .remove: .remove(hosts: [name])
    }
  }

  /// Nobody knows how much of an order was done.
  private func noteLostOrder(_ index: Int) {
    sites.hosts[index].live.formUnion(sites.hosts[index].line.map { $0 } + [nil])
    sites.hosts[index].returning.formUnion(sites.hosts[index].live)
    sites.hosts[index].isLineCertain = false
    sites.hosts[index].isOrderLost = true
    sites.hosts[index].standing?.isCertain = false
  }

  /// A rollback or a pin chose what is served now.
  private func noteChoice(
    _ order: ServiceStep.Order, _ index: Int, _ before: SiteModel.Host, isNumbered: Bool
  ) {
    guard let served = served(index), let version = served else {
      return require(
        false, .rollbackRestores, "\(Self.name(ofHost: index)) serves nothing after a \(order.rawValue)")
    }
    require(
      before.known.contains(version), .rollbackRestores,
      "\(Self.name(ofHost: index)) serves version \(version) after a \(order.rawValue), which no deploy and no upload put there"
    )
    let isCertain = before.isLineCertain && !isNumbered
    if isCertain, order == .rollback, before.line.count > 1 {
      let expected = before.line[before.line.count - 2]
      require(
        version == expected, .rollbackRestores,
        "a rollback of \(Self.name(ofHost: index)) serves version \(version); before \(before.line.last ?? -1) version \(expected)"
          + " was live")
      sites.hosts[index].line.removeLast()
    } else if isCertain, order == .pin, let live = before.live.first, before.live.count == 1, let live {
      require(
        version == live, .rollbackRestores,
        "a pin of \(Self.name(ofHost: index)) serves version \(version); version \(live) was live")
    } else {
      sites.hosts[index].isLineCertain = false
    }
    sites.hosts[index].live = [version]
    sites.hosts[index].noteEndOfChecks()
    sites.hosts[index].sent = []
    sites.hosts[index].publicationCount += 1
    sites.hosts[index].standing = .init(
      kind: order == .pin ? .pin : .rollback, version: version, replaced: before.read,
      isCertain: !isDisturbed)
    sites.hosts[index].noteKept(before.live, isDisturbed: isDisturbed)
  }
}
