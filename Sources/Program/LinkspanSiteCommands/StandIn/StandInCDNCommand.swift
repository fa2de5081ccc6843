internal import AppSiteAssociation
package import LinkspanCommand
internal import LinkspanCore
internal import LinkspanSimulator
internal import LinkspanStandIns
import SimulatedDevices

extension Command {
  package static let standInCDN = Command(
    name: "stand-in cdn", summary: "Apple's CDN for association files, in front of your own hosts",
    operands: "",
    discussion: """
      Answers /a/v1/HOST as Apple's CDN does, with its headers and cache times: it fetches from the host as AASA-Bot
      over HTTPS, waits at most 5 seconds, and caches a file for 6 hours and a failure for one. Hosts at private
      addresses are refused, as Apple refuses them, unless --allow-private names them.

      Admin calls, in JSON: GET /clock, POST /clock {"advance_s": 3600}, GET /cache, POST /purge {"host": "HOST"}
      (without a host: everything). Documentation/stand-ins.md has examples.
      """,
    flags: StandInAddress.flags + [
      Flag(
        "--origin", "HOST=ADDRESS:PORT", repeats: true,
        "Fetch from a host at this address instead of looking it up"),
      Flag("--only-origins", "Resolve only the hosts of '--origin'"),
      Flag(
        "--allow-private", "HOST", repeats: true,
        "Also fetch from this host at a private address; 'all' for every host"
      ),
      Flag("--ca", "FILE", "Trust the authorities in this PEM file for hosts (the system's)"),
      Flag("--manual-clock", "Advance time only when an admin call moves the clock"),
      Flag(
        "--switch", "NAME=VALUE", repeats: true,
        "Choose a behaviour that Apple does not document; the cdn_… names of Documentation/stories.md"),
      Flag("--har", "FILE", "Write every exchange when it ends, as HAR 1.2"),
    ],
    examples: [
      "linkspan stand-in cdn --plain --origin example.com=127.0.0.1:8443 --allow-private example.com --ca ca.pem",
      "linkspan stand-in cdn --plain --admin 127.0.0.1:8081 --manual-clock --switch cdn_asks_root=false",
    ],
    commonFlags: ["--listen", "--plain", "--origin", "--only-origins", "--json", "--help"]
  ) { arguments, console throws(LinkspanError) in
    try arguments.expectOperands(0...0)
    var options = StandInCDN.Options()
    options.origins = arguments.all("--origin")
    options.knowsOnlyOrigins = arguments.has("--only-origins")
    options.privateHosts = try arguments.hosts("--allow-private", or: "all")
    options.trust = try arguments.trust()
    options.switches = try switches(arguments)
    options.clockStands = arguments.has("--manual-clock")
    options.archive = try arguments.outputFile("--har", ArchiveFile.kind)
    let place = try StandInAddress(arguments)
    let cdn = try StandInCDN(place, options, version: Program.version)
    try cdn.run { address, admin in
      place.announce("a stand-in for Apple's CDN", address, admin, [], arguments, console)
    }
    return .yes
  }

  private static func switches(_ arguments: Arguments) throws(LinkspanError) -> CDNSwitches {
    var switches = CDNSwitches()
    var seen: Set<CDNSwitches.Key> = []
    for text in arguments.all("--switch") {
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let names = CDNSwitches.Key.allCases.map(\.rawValue)
      guard let key = CDNSwitches.Key(rawValue: parts[0]) else {
        let near = Arguments.nearest(to: parts[0], among: names).map { " Did you mean '\($0)'?" } ?? ""
        throw LinkspanError(
          "there is no switch '\(parts[0])'.\(near)", help: "There are \(names.joined(separator: ", ")).")
      }
      guard seen.insert(key).inserted else {
        throw arguments.usage("'--switch \(key.rawValue)' is given twice")
      }
      let value = parts.count > 1 ? parts[1] : ""
      if let wanted = switches.set(key, to: value) {
        throw arguments.usage("'--switch \(key.rawValue)': expected \(wanted), got '\(value)'")
      }
    }
    return switches
  }
}
