internal import ConsolePages
internal import HTTPEngine
package import LinkspanCommand
internal import LinkspanCore
internal import LinkspanDaemon
internal import PushTerms
internal import ServiceConfiguration

extension Command {
  package static let serve = Command(
    name: "serve", summary: "Serve the association files of any number of hosts", operands: "SITE…",
    discussion: """
      SITE is a folder laid out HOST/.well-known/apple-app-site-association (and assetlinks.json beside it), or a
      file, which is served for --host or for every host. Files are checked before they are published. The server
      notices changed files, and a changed configuration, at once. A host whose new files have errors or cannot be read
      keeps serving its old files; other hosts are not affected. When the last host, or more than a tenth of all and more
      than five, lose their folders within a minute, they stay served until 'linkspan publish --remove HOST…' confirms;
      that needs --state or --registry, and without both a restart confirms.
      SIGHUP also reloads certificates. A reload drops no connection. --state keeps the last publications of each host, to start with a broken folder and for 'linkspan rollback'.
      Supports HTTP/2 and HTTP/1.1. Without a certificate it makes a throwaway one, which only tests will trust.
      Without SITE and --config, it reads linkspan.json5 in the working directory.
      A symbolic link that stays in its host's folder is followed. One that leaves it is followed when it, and every
      other link on the way, belongs to root or to the owner of SITE, and when it ends in SITE or below --link-root.
      FIFOs, devices and /proc are refused.
      A file larger than devices accept is refused before it is parsed. Each host is checked separately, within a
      time limit: no file delays the start, a reload or another host.
      /readyz and /metrics are on the --admin listener, for every client that reaches it. --local-pages and --localhost
      are for trying the server out on this machine. Do not use them behind a proxy on the same machine: every request
      then looks local.
      The access log omits query strings; SIGUSR1 reopens it. Under systemd the server reports when it is ready,
      reloading and stopping, answers the watchdog, and uses the sockets of a .socket unit (one named 'admin' is for
      operators).
      --dry-run fails where a start would fail. A port in use only warns; your running server may hold it.
      With --registry it is a device registry as well: 'linkspan token create' makes the credentials of its API, which
      /v1/openapi.json describes. A registration is answered when it is durable.
      SIGINT or SIGTERM finishes the requests under way, then exits; a second signal exits at once.
      """,
    flags: [
      Flag("--listen", "ADDRESS:PORT", "The address to listen on; port 0 picks a free port (127.0.0.1:8443)"),
      Flag(
        "--certificate", "FILE", repeats: true, "A certificate chain in PEM, selected by the requested host"),
      Flag("--key", "FILE", repeats: true, "Its private key in PEM, in the same order"),
      Flag(
        "--write-certificate", "FILE", "Write the throwaway certificate to a file, for clients to trust"),
      .force,
      Flag("--plain", "Serve plain HTTP, behind a proxy that terminates TLS"),
      Flag("--host", "HOST", "The host of files named one by one"),
      Flag(
        "--link-root", "FOLDER", repeats: true,
        "Follow symbolic links of root and of SITE's owner that lead out of a host's folder into this folder"),
      Flag("--accept-errors", "Serve files that have errors"),
      Flag("--config", "FILE", "Read other settings from a configuration file"),
      Flag("--state", "FOLDER", "Keep the publications of each host in this folder"),
      Flag("--history", "COUNT", "Publications, and drafts, to keep per host (10)"),
      Flag(
        "--remove-at-most", "COUNT",
        "Hold removals back above so many hosts within a minute (above five and a tenth of all hosts)"),
      Flag("--approval", "Hold each change of a host until a person approves it in the console"),
      Flag("--no-watch", "Reload files only on SIGHUP"),
      Flag("--local-pages", "Also answer /readyz and /metrics on the public listeners, to this machine only"),
      Flag("--localhost", "Serve the first host at 'localhost', 127.0.0.1 and [::1] too, on loopback"),
      Flag("--dry-run", "Show what would be published, and serve nothing"),
      Flag(
        "--max-connections", "N",
        "Limit of open connections; further ones are closed at once (\(ConnectionLimits().total))"),
      Flag(
        "--max-connections-per-address", "N",
        "Connection limit per address; raise it behind a proxy (\(ConnectionLimits().perAddress))"),
      Flag("--admin", "ADDRESS:PORT", "Serve /readyz, /metrics and /healthz at this address, in plain HTTP"),
      Flag(
        "--console", "ADDRESS:PORT",
        "Serve the console at this address, with a login; needs --state ('linkspan console user add NAME' adds users)"
      ),
      Flag("--watch-cdn", "Ask the CDN for one host a second, and have the console name those that differ"),
      Flag.address("--console-cdn", "URL", "The CDN that the console asks instead of Apple's"),
      Flag("--access-log", "FILE", "Log every answered request to this file; '-' is standard output"),
      Flag(
        "--access-log-format", "FORMAT", choices: ["vhost_combined", "combined", "json"],
        "The format of its lines: combined, with the host in front or without it, or json (vhost_combined)"),
      Flag(
        "--log-level", "LEVEL", choices: ["error", "info", "debug"],
        "How much the server logs to standard error: error, info or debug (info)"),
      Flag(
        "--trusted-proxy", "NETWORK", repeats: true,
        "Trust Forwarded and X-Forwarded-For from these addresses, such as 10.0.0.0/8"),
      Flag("--user", "NAME", "Switch to this user after binding and loading keys; needs root"),
      Flag(
        "--drain", "SECONDS",
        "How long running requests may take after SIGTERM (\(ServeSettings.drainSeconds))"),
      Flag.address(
        "--registry", "STORE",
        "Keep devices for pushes in STORE, sqlite:FILE or postgres://…, and answer /v1; SITE may then be left out"
      ),
      Flag("--legacy-topic", "BUNDLE", "Also serve the routes of Helios and Orbiter, for this app"),
      Flag(
        "--legacy-environment", "NAME", choices: PushEnvironment.names,
        "The environment of their devices: production or sandbox"),
      Flag(
        "--ask-above", "COUNT",
        "Require a confirmed device count for pushes to more devices than this (1000)"),
      Flag(
        "--pause-above", "PERCENT",
        "Pause a campaign when APNs rejects more than this share of it, dead devices aside, after 500 answers (5)"
      ),
      Flag(
        "--journal-days", "DAYS", "Keep the journal of pushes that long after a message has ended (30)"),
      Flag("--campaign-journal-days", "DAYS", "The same for campaigns, if it differs"),
      Flag(
        "--journal-export", "FOLDER|URL",
        "Write each closed day of the journal to a file there, compressed CSV, before it is removed"),
      bucketCredentialsFlag,
      Flag("--auth-key", "FILE", "Send the registry's notifications and campaigns with this .p8 key"),
      Flag("--auth-key-id", "ID", "The key's identifier, ten characters"),
      Flag("--team-id", "ID", "The team's identifier, ten characters"),
      Flag(
        "--auth-key-for", "TOPICS=KEY", repeats: true,
        "Another key for some topics, as TOPIC[,TOPIC…][@ENVIRONMENT]=KEY_ID:TEAM_ID:FILE"),
      Flag.address("--apns", "URL", "A server instead of Apple's, such as https://127.0.0.1:2197"),
      Flag("--apns-ca", "FILE", "Trust the certificates in this PEM file for that server"),
      Flag("--apns-connections", "N", "Connections to each environment of APNs, at most 64 (1)"),
      Flag("--apns-retry", "SECONDS", "The first pause after APNs answers 5xx; it doubles (900)"),
      Flag(
        "--sender-lease", "SECONDS", "When other servers take over the pushes of a server that died (20)"),
      Flag(
        "--legacy-open",
        "These routes need no credential; for a trusted network only"),
    ],
    examples: [
      "linkspan serve Examples/site --accept-errors --localhost",
      "linkspan serve sites --listen 0.0.0.0:443 --certificate chain.pem --key key.pem",
      "linkspan serve sites --state state --dry-run",
      "linkspan serve sites --admin 127.0.0.1:9464 --access-log access.log",
      "linkspan serve --registry sqlite:registry.db --plain",
    ],
    commonFlags: [
      "--listen", "--certificate", "--key", "--plain", "--config", "--dry-run", "--admin", "--console",
      "--registry", "--auth-key", "--auth-key-id", "--team-id", "--json", "--help",
    ]
  ) { arguments, console throws(LinkspanError) in
    let options = try ServeOptions(arguments)
    let settings = try ServeSettings(options)
    let run = ServeRun(
      settings, output: ServeReport(settings, arguments, console).output, version: Program.version,
      consolePages: .ofTheProgram)
    if arguments.has("--dry-run") { return try run.tryOut() ? .yes : .no }
    try run.serve()
    return .yes
  }
}
