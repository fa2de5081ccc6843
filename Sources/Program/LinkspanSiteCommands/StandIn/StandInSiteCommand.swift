package import LinkspanCommand
internal import LinkspanCore
internal import LinkspanSimulator
internal import LinkspanStandIns
import SimulatedDevices

extension Command {
  package static let standInSite = Command(
    name: "stand-in site", summary: "Serve a folder with faults", operands: "FOLDER",
    discussion: """
      FOLDER is laid out HOST/.well-known/apple-app-site-association, as for 'linkspan serve'. The files are read
      again for each request and served whatever is in them. Set faults at the start with --fault, and at run time
      through the admin listener, in JSON: GET /faults, POST /faults {"status": 503} (replaces all faults),
      POST /faults {} (none).

      \(SiteFault.help)
      """,
    flags: StandInAddress.flags + [
      Flag("--fault", "NAME=VALUE", repeats: true, "A fault to start with"),
      Flag(
        "--certificate-fault", "FAULT", choices: ["expired", "wrong-name"],
        "Present an expired certificate, or one for another name (wrong-name)"),
    ],
    examples: [
      "linkspan stand-in site Examples/site --admin 127.0.0.1:8081 --write-certificate ca.pem",
      "linkspan stand-in site Examples/site --fault status=403 --fault for=crawler",
    ]
  ) { arguments, console throws(LinkspanError) in
    try arguments.expectOperands(1...1)
    let place = try StandInAddress(arguments)
    var faults = SiteFaults()
    var seen: Set<String> = []
    for text in arguments.all("--fault") {
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      if let problem = faults.set(parts[0], to: parts.count > 1 ? parts[1] : "true") {
        throw LinkspanError("'--fault \(text)': \(problem).", help: SiteFault.help)
      }
      guard seen.insert(parts[0]).inserted else {
        throw arguments.usage("'--fault \(parts[0])' is given twice")
      }
    }
    let site = try StandInSite(
      place, folder: arguments.operands[0], faults: faults,
      certificateFault: arguments.choice("--certificate-fault"))
    try site.run { address, admin in
      place.announce(
        "a stand-in for \(site.hosts.joined(separator: ", "))", address, admin,
        [("hosts", .array(site.hosts.map(JSON.string)))], arguments, console)
    }
    return .yes
  }
}
