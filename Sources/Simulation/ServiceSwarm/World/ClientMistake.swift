internal import LinkspanCore

/// A request that a client writes wrongly, and how its answer says so.
struct ClientMistake {
  /// Method and target. `TOKEN` stands for a device, `HOST` for a host and `NONE` for a number that nothing has.
  var request: String
  var body: String
  var type = "application/json"
  var status: Int
  /// The value of the body that the answer names; nil where it names none.
  var pointer: String?
  var key: String?

  private init(
    _ request: String, _ body: String = "", _ status: Int = 400, at pointer: String? = nil, key: String? = nil
  ) {
    self.request = request
    self.body = body.replacing("APP", with: Self.app).replacing("TEXT", with: Self.text)
    self.status = status
    self.pointer = pointer
    self.key = key
  }

  static let all: [ClientMistake] = [
    bareDevices, devices, requests, erasures, notifications, conflicts, campaigns, payloads, audiences,
    variants, sites, old,
    queries, routes,
  ].flatMap { $0 }

  /// One for each row: the rest of the body after its beginning, and the value that is wrong.
  private static func mistakes(
    _ request: String, begin start: String, status: Int = 400, _ rows: KeyValuePairs<String, String>
  ) -> [ClientMistake] {
    rows.map { ClientMistake(request, "{\(start)\($0.key)}", status, at: $0.value) }
  }

  /// In the place of a device's token.
  static let noToken = "no-token"
  /// `APP` in a body.
  private static let app = #""topic":"com.example.app","environment":"production""#
  /// `TEXT` in a body.
  private static let text = #"{"aps":{"alert":"no client sent this"}}"#

  // MARK: - Devices

  private static let bareDevices = mistakes(
    "PUT /v1/devices/TOKEN", begin: "",
    [
      "": "/topic", #""topic":"com.example.app""#: "/environment",
      #""topic":"com example","environment":"production""#: "/topic",
      #""topic":7,"environment":"production""#: "/topic",
      #""topic":"com.example.app","environment":"test""#: "/environment",
    ])

  private static let devices = mistakes(
    "PUT /v1/devices/TOKEN", begin: "APP,",
    [
      #""tag":["red"]"#: "/tag", #""alias":"""#: "/alias", #""alias":"a\u0007b""#: "/alias",
      #""alias":7"#: "/alias", #""locale":["de"]"#: "/locale",
      #""time_zone":"Vienna, Austria""#: "/time_zone",
      #""badge":-1"#: "/badge", #""badge":1.5"#: "/badge", #""latitude":91"#: "/latitude",
      #""longitude":"13""#: "/longitude", #""tags":"red""#: "/tags", #""tags":["red",""]"#: "/tags/1",
      #""alias":"a","alias":"b""#: "/alias",
    ])

  /// What is no object of the right form.
  private static let requests: [ClientMistake] = [
    ClientMistake("PUT /v1/devices/TOKEN", "[]", at: ""), ClientMistake("PUT /v1/devices/TOKEN", "{APP"),
    ClientMistake("PUT /v1/devices/no-token", "{APP}"),
    ClientMistake("POST /v1/devices/TOKEN/rejections", "{APP}", at: "/reason"),
    typed("PUT /v1/devices/TOKEN", "topic=com.example.app", "text/plain", 415),
    ClientMistake("POST /v1/notifications", "7", at: ""), ClientMistake("POST /v1/notifications", "{'a': 1}"),
    ClientMistake("POST /v1/notifications", #"{APP,"payload":TEXT,"aliases":["a"]}"#, key: "two words"),
    ClientMistake("POST /v1/channels", #"{"environment":"production"}"#, at: "/topic"),
    ClientMistake("POST /v1/activities", #"{"environment":"production"}"#, at: "/topic"),
  ]

  private static let erasures = mistakes(
    "POST /v1/erasures", begin: "",
    ["": "/alias", #""alias":"""#: "/alias", #""alias":["a"]"#: "/alias"])

  private static func typed(
    _ request: String, _ body: String, _ type: String, _ status: Int = 400
  ) -> ClientMistake {
    var mistake = ClientMistake(request, body, status)
    mistake.type = type
    return mistake
  }

  // MARK: - Messages

  private static let notifications = mistakes(
    "POST /v1/notifications", begin: "APP,",
    [
      #""aliases":["a"]"#: "/payload", #""aliases":["a"],"payload":"Hi""#: "/payload",
      #""payload":TEXT"#: "", #""payload":TEXT,"aliases":"a""#: "/aliases",
      #""payload":TEXT,"aliases":["a",7]"#: "/aliases/1", #""payload":TEXT,"tokens":["xyz"]"#: "/tokens/0",
      #""payload":TEXT,"aliases":["a"],"recipients":["b"]"#: "/recipients",
      #""payload":TEXT,"aliases":["a"],"push_type":"loud""#: "/push_type",
      #""payload":TEXT,"aliases":["a"],"priority":7"#: "/priority",
      #""payload":TEXT,"aliases":["a"],"expiration":-1"#: "/expiration",
      #""payload":TEXT,"aliases":["a"],"collapse_id":5"#: "/collapse_id",
      #""payload":TEXT,"aliases":["a"],"confirm":"all""#: "/confirm",
    ])

  /// Rules of APNs that payload and headers break together.
  private static let conflicts = mistakes(
    "POST /v1/notifications", begin: "APP,", status: 409,
    [
      #""payload":{"aps":{"content-available":1}},"aliases":["a"],"push_type":"background","priority":10"#:
        "/priority",
      #""payload":{"aps":{"badge":"3"}},"aliases":["a"]"#: "/payload/aps/badge",
    ])

  private static let campaigns = mistakes(
    "POST /v1/campaigns", begin: #"APP,"audience":"all","payload":TEXT,"#,
    [
      #""local_time":"9 o'clock""#: "/local_time", #""throttle_per_second":0"#: "/throttle_per_second",
      #""paused":"yes""#: "/paused", #""template":"yes""#: "/template", #""holdout":1"#: "/holdout",
      #""holdout":"0.1""#: "/holdout", #""starts_at":"tomorrow""#: "/starts_at",
      #""starts_at":"2026-12-24T09:00:00+1""#: "/starts_at",
      #""expiration":1000,"starts_at":"2026-12-24T09:00:00+01:00""#: "/expiration",
      #""repeat":"FREQ=SOMETIMES""#: "/repeat", #""repeat":{"FREQ":"DAILY","COUNT":[]}"#: "/repeat",
      #""repeat":7"#: "/repeat", #""repeat":"FREQ=DAILY;COUNT=2","expiration":1800000000"#: "/expiration",
      #""quiet_hours":{"from":"9"}"#: "/quiet_hours",
      #""quiet_hours":{"from":"09:00","to":"09:00"}"#: "/quiet_hours",
      #""quiet_hours":{"from":"09:00","to":"08:59"}"#: "/quiet_hours", #""cap":5"#: "/cap",
      #""cap":{"count":0,"per_s":60}"#: "/cap/count", #""colour":"red""#: "/colour",
      #""payloads":{"default":TEXT}"#: "/payloads",
    ])

  private static let payloads = mistakes(
    "POST /v1/campaigns", begin: #"APP,"audience":"all","#,
    [
      #""payloads":{}"#: "/payloads", #""payloads":{"de":TEXT}"#: "/payloads",
      #""payloads":{"default":"Hi"}"#: "/payloads/default",
      #""payloads":{"default":TEXT,"German, please":TEXT}"#: "/payloads/German, please",
      #""payloads":{"default":TEXT,"de":TEXT,"DE":TEXT}"#: "/payloads/DE",
      #""template":true,"payload":{"aps":{"alert":"{{#tags}}x"}}"#: "/payload",
    ])

  private static let audiences = mistakes(
    "POST /v1/campaigns", begin: #"APP,"payload":TEXT,"#,
    [
      #""audience":"everybody""#: "/audience", #""paused":true"#: "", #""query":7"#: "/query",
      #""query":{}"#: "/query",
      #""query":{"tag":["red"]}"#: "/query/tag", #""query":{"tags":[]}"#: "/query/tags",
      #""query":{"tags":"red"}"#: "/query/tags", #""query":{"from_version":"one"}"#: "/query/from_version",
      #""query":{"seen_within_s":null}"#: "/query/seen_within_s",
      #""query":{"tags":["red"],"without_tags":["red"]}"#: "/query/without_tags",
      #""audience":"all","query":{"tags":["red"]}"#: "/audience",
    ])

  private static let variants = mistakes(
    "POST /v1/campaigns", begin: #"APP,"audience":"all","variants":"#,
    [
      "[]": "/variants", "[3]": "/variants/0", #"[{"name":"a","payload":TEXT}]"#: "/variants/0/share",
      #"[{"share":1,"payload":TEXT}]"#: "/variants/0/name",
      #"[{"name":"a","share":2,"payload":TEXT}]"#: "/variants/0/share",
      #"[{"name":"a","share":0.5,"payload":TEXT},{"name":"a","share":0.5,"payload":TEXT}]"#:
        "/variants/1/name",
      #"[{"name":"a","share":0.5,"payload":TEXT}]"#: "/variants",
      #"[{"name":"a","share":0.9,"payload":TEXT},{"name":"b","share":0.9,"payload":TEXT}]"#: "/variants",
    ])

  // MARK: - Files, old clients and lists

  private static let sites: [ClientMistake] =
    mistakes(
      "PUT /v1/sites/HOST/files", begin: "",
      [
        #""apple-app-site-association":"no Base64""#: "/apple-app-site-association",
        #""assetlinks.json":7"#: "/assetlinks.json", #""robots.txt":"YQ==""#: "/robots.txt",
        #""assetlinks.json":"W10=","assetlinks.json":"W10=""#: "/assetlinks.json",
      ])
    + [
      ClientMistake("PUT /v1/sites/HOST"), ClientMistake("PUT /v1/sites/HOST/assetlinks.json"),
      ClientMistake("PUT /v1/sites/other.example", "{}", 403),
      ClientMistake("PUT /v1/sites/HOST/files", "{}"), ClientMistake("PUT /v1/sites/HOST/files", "[]"),
    ]

  private static let old: [ClientMistake] =
    [
      "payload=%7B%7D", "payload=Hi&audience=all", "payload=%7B%22aps%22%3A7%7D&audience=all",
      "payload=%7B%7D&audience=all&confirm=many",
    ].map { typed("POST /message", $0, "application/x-www-form-urlencoded") }
    + [
      ClientMistake("PUT /devices/no-token", "{}"), ClientMistake("PUT /devices/TOKEN", "{"),
      ClientMistake("GET /devices?page=none"), ClientMistake("GET /feedback?since=long%20ago"),
    ]

  private static let queries: [ClientMistake] = [
    "devices?limit=0", "devices?limit=1&limit=2", "devices?colour=red", "devices?active=perhaps",
    "devices?topic=com%20example", "devices?environment=test", "devices?alias=", "devices?alias=%FF",
    "devices?after=none", "deliveries?state=lost", "deliveries?token=xyz", "deliveries?topic=com%20example",
    "deliveries?notification=first", "deliveries?maybe_twice=perhaps", "deliveries?reason=",
    "notifications?limit=all", "campaigns?state=over", "notifications?limit=%GG",
  ].map { ClientMistake("GET /v1/" + $0) }

  private static let routes: [ClientMistake] =
    ["channels/NONE", "activities/NONE", "notifications/NONE", "campaigns/NONE", "device/TOKEN"].map {
      ClientMistake("GET /v1/" + $0, "", 404)
    } + [
      ClientMistake("POST /v1/campaigns/NONE/pause", "", 404),
      ClientMistake("PUT /v2/devices/TOKEN", "{APP}", 404),
      ClientMistake("POST /v1/devices/TOKEN", "{APP}", 405), ClientMistake("GET /v1/erasures", "", 405),
    ]
}
