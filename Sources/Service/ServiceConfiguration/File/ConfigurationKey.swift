internal import LinkspanCore

/// One key of the configuration file. The reader's list of known keys, `linkspan init` and the manual are made from this
/// record.
package struct ConfigurationKey: Sendable {
  package let name: String
  /// A value as a person would write it, on one line.
  package let example: String
  /// What it does, and what holds without it.
  package let help: String
  /// Whether `linkspan init` writes it without making it a comment.
  let isWritten: Bool

  init(_ name: String, _ example: String, _ help: String, isWritten: Bool = false) {
    self.name = name
    self.example = example
    self.help = help
    self.isWritten = isWritten
  }

  /// The flag of `serve` that says the same; nil without one.
  package var flag: String? {
    switch name {
    case "signed": nil
    case "certificates": "--certificate"
    case "link_roots": "--link-root"
    case "watch": "--no-watch"
    case "trusted_proxies": "--trusted-proxy"
    case "auth_keys": "--auth-key-for"
    case "apns_retry_seconds": "--apns-retry"
    case "sender_lease_seconds": "--sender-lease"
    case "drain_seconds": "--drain"
    default: "--" + name.replacing("_", with: "-")
    }
  }

  package static let top = [
    ConfigurationKey(
      "sites", #"["sites"]"#,
      "Folders laid out HOST/.well-known/apple-app-site-association, files, or for 'check' hosts",
      isWritten: true),
    ConfigurationKey(
      "apps", #"["App.entitlements"]"#,
      "What 'check' compares the sites with: an app's .entitlements and its Info.plist"),
    ConfigurationKey(
      "releases", #""ios:15..26""#,
      "The releases that 'check' is about; by default from the app's minimum, or else iOS 15, to the newest"),
  ]

  package static let server = [
    ConfigurationKey(
      "listen", #""127.0.0.1:8443""#, "Where to listen; by default only this machine can connect",
      isWritten: true),
    ConfigurationKey(
      "certificates", #"[{ certificate: "chain.pem", key: "key.pem" }]"#,
      "Chains and private keys in PEM, selected by the requested host; by default a throwaway certificate is made"
    ),
    ConfigurationKey("plain", "false", "Serve plain HTTP, behind a proxy that terminates TLS"),
    ConfigurationKey("host", #""example.com""#, "The host of files named one by one"),
    ConfigurationKey(
      "link_roots", #"["/srv/releases"]"#,
      "Follow links of root and of the owner of 'sites' that lead out of a host's folder into these folders"),
    ConfigurationKey("accept_errors", "false", "Publish files that have errors"),
    ConfigurationKey("watch", "true", "Notice changed files; false reads them at SIGHUP only"),
    ConfigurationKey(
      "state", #""state""#,
      "Keep each host's publications there, for 'linkspan rollback' and for a broken folder"),
    ConfigurationKey("history", "10", "How many publications, and drafts, are kept for each host"),
    ConfigurationKey(
      "remove_at_most", "30",
      "Hold removals back above so many hosts within a minute; by default above five and a tenth of all hosts"
    ),
    ConfigurationKey(
      "approval", "false",
      "Hold each change of a host until a person approves it in the console; needs 'console'"
    ),
    ConfigurationKey(
      "local_pages", "false",
      "Answer /readyz and /metrics to this machine itself on the public listeners too; a proxy here looks like it"
    ),
    ConfigurationKey(
      "localhost", "false", "Serve the first host at 'localhost', 127.0.0.1 and [::1] too, on loopback"),
    ConfigurationKey(
      "max_connections", "16384", "Most open connections; further ones are closed at once"),
    ConfigurationKey(
      "max_connections_per_address", "1024", "Connection limit per address; raise it behind a proxy"),
    ConfigurationKey(
      "admin", #""127.0.0.1:9464""#,
      "Where /readyz, /metrics and /healthz are answered, to every client that can connect; plain HTTP"),
    ConfigurationKey(
      "console", #""127.0.0.1:9465""#,
      "Where people log in to the console; needs 'state', where 'linkspan console user add NAME' puts its users"
    ),
    ConfigurationKey(
      "console_cdn", #""http://127.0.0.1:8080""#, "The CDN that the console asks instead of Apple's"),
    ConfigurationKey(
      "watch_cdn", "false",
      "Ask Apple's CDN for one host a second, and have the console name those that it has another file of"),
    ConfigurationKey(
      "access_log", #""access.log""#, "Log every answered request to this file; '-' is standard output"),
    ConfigurationKey(
      "access_log_format", #""vhost_combined""#,
      "As Apache does with the host in front (vhost_combined) or without it (combined), or JSON lines (json)"),
    ConfigurationKey("log_level", #""info""#, "What the server logs to standard error: error, info or debug"),
    ConfigurationKey(
      "trusted_proxies", #"["10.0.0.0/8"]"#,
      "Networks whose Forwarded and X-Forwarded-For fields are trusted; none by default"),
    ConfigurationKey(
      "user", #""linkspan""#, "Switch to this user after binding and loading keys; needs root"),
    ConfigurationKey(
      "registry", #""sqlite:registry.db""#,
      "Keep devices there: sqlite:FILE, or postgres://… (its password in PGPASSWORD or ~/.pgpass)"),
    ConfigurationKey(
      "legacy_topic", #""com.example.app""#,
      "Answer the routes of Helios and Orbiter for this app, whose clients name none"),
    ConfigurationKey(
      "legacy_environment", #""production""#, "The environment of their devices: production or sandbox"),
    ConfigurationKey(
      "legacy_open", "false", "Let them register without a credential; for a trusted network only"),
    ConfigurationKey(
      "ask_above", "1000", "Require a confirmed device count for pushes to more devices than this"),
    ConfigurationKey(
      "pause_above", "5",
      "Pause a campaign when APNs rejects more than so many percent of it, dead devices aside, after 500 answers"
    ),
    ConfigurationKey(
      "journal_days", "30", "Days that the journal of pushes is kept after a message has ended"),
    ConfigurationKey("campaign_journal_days", "30", "The same for campaigns, if it differs"),
    ConfigurationKey(
      "journal_export", #""exports""#,
      "Write each closed day of the journal to a file there, compressed CSV, before it is removed: a folder, or a bucket's URL"
    ),
    ConfigurationKey(
      "bucket_credentials", #""bucket-credentials""#,
      "The keys of the bucket's store, in a file as AWS's tools keep it; it is read again for each day"),
    ConfigurationKey(
      "auth_key", #""AuthKey_A1B2C3D4E5.p8""#,
      "Send the registry's notifications and campaigns with this key; it is read again when it changes"),
    ConfigurationKey("auth_key_id", #""A1B2C3D4E5""#, "The key's identifier, ten characters"),
    ConfigurationKey("team_id", #""F6G7H8I9J0""#, "The team's identifier, ten characters"),
    ConfigurationKey(
      "auth_keys",
      #"[{ topics: ["com.example.b"], auth_key: "AuthKey_B.p8", auth_key_id: "B1B2C3D4E5", team_id: "K6L7M8N9P0" }]"#,
      "Further keys and teams, each for its topics, with 'environment' for one of the two; 'auth_key' sends the rest"
    ),
    ConfigurationKey("apns", #""https://127.0.0.1:2197""#, "Send to this server instead of Apple's"),
    ConfigurationKey("apns_ca", #""ca.pem""#, "Trust the certificates in this PEM file for it"),
    ConfigurationKey("apns_connections", "1", "Connections to each environment of APNs, at most 64"),
    ConfigurationKey(
      "apns_retry_seconds", "900",
      "The first pause after APNs answers 5xx; it doubles up to eight times as long"),
    ConfigurationKey(
      "sender_lease_seconds", "20", "When other servers take over what a server that died was sending"),
    ConfigurationKey("drain_seconds", "10", "How long running requests may take after SIGTERM"),
    ConfigurationKey(
      "signed", #"{ "old.example.com": { p12: "signer.p12", passphrase_file: "passphrase" } }"#,
      "Hosts whose file is served signed, for iOS 8: with 'p12', or with 'certificate', 'key' and 'chain'"),
  ]
}
