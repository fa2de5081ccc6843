internal import HTTPEngine
internal import LinkspanDaemon

extension Command {
  static let serve = Command(
    name: "serve", summary: "Serve the association files of any number of hosts", operands: "SITE…",
    discussion: """
      SITE is a folder laid out HOST/.well-known/apple-app-site-association (and assetlinks.json beside it), or a
      file, which is served for --host or for every host. Files are checked before they are published. A change is
      noticed at once, of the configuration too; a host whose new files have errors or cannot be read goes on with
      the old ones, and the others are not touched. SIGHUP reads certificates as well. No connection is dropped for
      it. With --state the last publications of each host are kept, for a start with a broken folder and for
      'linkspan rollback'.
      Supports HTTP/2 and HTTP/1.1. Without a certificate a throwaway one is made, which only tests will trust.
      Without SITE and --config, linkspan.json5 in the working directory is the configuration.
      A file above the size that devices take is refused before it is parsed, and each host is checked alone, within a
      time limit: no file holds up the start, a reload or another host.
      /readyz and /metrics are on the --admin listener, for everybody who reaches it. --local-pages and --localhost are
      for a first look on this machine; a proxy on it would show the one to everybody and get the other for any request.
      The access log leaves queries out; SIGUSR1 opens it again. Under systemd it says when it is ready, reloading and
      stopping, answers the watchdog, and takes the sockets of a .socket unit (one named 'admin' is for operators).
      --dry-run fails on whatever a start would fail on; only a port that is in use is just noted, since the server that
      runs has it.
      Ends on SIGINT or SIGTERM, after answering what is under way; a second signal ends it at once.
      """,
    flags: [
      Flag("--listen", "ADDRESS:PORT", "Where to listen; port 0 takes a free one (127.0.0.1:8443)"),
      Flag(
        "--certificate", "FILE", repeats: true, "A certificate chain in PEM, chosen by the host asked for"),
      Flag("--key", "FILE", repeats: true, "Its private key in PEM, in the same order"),
      Flag(
        "--write-certificate", "FILE", "Write the throwaway certificate, for clients that should trust it"),
      Flag("--plain", "Serve plain HTTP, for a proxy in front that ends TLS"),
      Flag("--host", "HOST", "The host of files that are named one by one"),
      Flag("--accept-errors", "Serve files that have errors"),
      Flag("--config", "FILE", "Read what is not said here from a configuration file"),
      Flag("--state", "FOLDER", "Keep the publications of each host there"),
      Flag("--history", "COUNT", "How many are kept for each host (10)"),
      Flag("--no-watch", "Read files again at SIGHUP only"),
      Flag("--local-pages", "Answer /readyz and /metrics to this machine itself on the public listeners too"),
      Flag("--localhost", "Have 'localhost', 127.0.0.1 and [::1] answer for the first host, on loopback"),
      Flag("--dry-run", "Say what would be published, and serve nothing"),
      Flag(
        "--max-connections", "N",
        "Connections held at the same time; one above it is closed at once (\(ConnectionLimits().total))"),
      Flag(
        "--max-connections-per-address", "N",
        "The same from one address; more for a proxy in front (\(ConnectionLimits().perAddress))"),
      Flag("--admin", "ADDRESS:PORT", "Answer /readyz, /metrics and /healthz there, in plain HTTP"),
      Flag("--access-log", "FILE", "Log every answered request there; '-' is standard output"),
      Flag(
        "--access-log-format", "FORMAT", choices: ["combined", "json"],
        "The form of its lines: combined or json (combined)"),
      Flag(
        "--log-level", "LEVEL", choices: ["error", "info", "debug"],
        "What the server says on standard error: error, info or debug (info)"),
      Flag(
        "--trusted-proxy", "NETWORK", repeats: true,
        "Believe Forwarded and X-Forwarded-For of these addresses, such as 10.0.0.0/8"),
      Flag("--user", "NAME", "Become this user after binding and loading keys; for a start as root"),
      Flag(
        "--drain", "SECONDS",
        "How long answers under way may take after SIGTERM (\(ServeSettings.drainSeconds))"),
    ],
    examples: [
      "linkspan serve Examples/site --accept-errors --localhost",
      "linkspan serve sites --listen 0.0.0.0:443 --certificate chain.pem --key key.pem",
      "linkspan serve sites --state state --dry-run",
      "linkspan serve sites --admin 127.0.0.1:9464 --access-log access.log",
    ]
  ) { arguments, console throws(CommandError) in
    let options = try ServeOptions(arguments)
    let settings = try arguments.mapping(ServeSettings(options))
    let run = ServeRun(
      settings, output: ServeReport(settings, arguments, console).output, version: LinkspanCLI.version)
    if arguments.has("--dry-run") { return try arguments.mapping(run.tryOut()) ? .yes : .no }
    try arguments.mapping(run.serve())
    return .yes
  }
}
