import LinkspanCore
import PushTerms
import RegistryRequests
import Testing

/// Exports of other services, by their own column names.
@Suite("Exports of other services")
struct ForeignExportTests {
  static let (one, two) = (String(repeating: "a1", count: 32), String(repeating: "b2", count: 32))

  func read(
    _ service: ForeignExport, _ text: String, topic: String? = "com.example.app",
    environment: PushEnvironment? = .production
  ) -> [(line: Int, what: String, device: Device?)] {
    var reader = ForeignReader(service, .init(topic: topic, environment: environment))
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) { reader.add(Array(line.utf8)) }
    reader.finish()
    return reader.takeRows().map { row in
      switch row.result {
      case .success(.device(let device)): (row.line, device.token, device)
      case .success(.otherPlatform): (row.line, "other", nil)
      case .success(.disabled): (row.line, "disabled", nil)
      case .failure(let problem): (row.line, problem.message, nil)
      }
    }
  }

  @Test func readsInstallationsOfParse() throws {
    let rows = read(
      .parse,
      """
      { "results": [
        { "deviceType": "ios", "deviceToken": "\(Self.one)", "appIdentifier": "com.example.parse", "badge": 3,
          "channels": ["", "Giants", "Mets"], "timeZone": "America/Los_Angeles", "localeIdentifier": "en-US",
          "appVersion": "1.2", "createdAt": "2026-01-01T00:00:00.000Z", "updatedAt": "2026-02-01T00:00:00.000Z",
          "user": {"__type": "Pointer", "className": "_User", "objectId": "u7"} },
        { "deviceType": "android", "pushType": "gcm", "deviceToken": "x" },
        { "deviceType": "ios", "installationId": "never registered" },
        { "deviceType": "ios", "deviceToken": "nonsense" } ],
        "count": 4, "more": {"inner": {"deviceType": "ios"}} }
      """, topic: nil)
    #expect(rows.map(\.line) == [2, 6, 7, 8])
    #expect(rows.map(\.what).prefix(3) == [Self.one[...].description, "other", "disabled"])
    #expect(rows[3].what.hasPrefix("'deviceToken' is not a device token"))
    let device = try #require(rows[0].device)
    #expect(device.topic == "com.example.parse")
    #expect(device.attributes.tags == ["Giants", "Mets"])
    #expect(device.attributes.alias == "u7")
    #expect(device.attributes.badge == 3)
    #expect(device.attributes.locale == "en_US")
    #expect(device.attributes.timeZone == "America/Los_Angeles")
    #expect("\(device.lastSeenAt)" == "2026-02-01T00:00:00.000Z")
  }

  /// A reference of Parse as JSON in a cell, and an alias that no registry takes: its device would be lost for an erasure.
  @Test func readsWhoHasADevice() {
    let pointer = #""{""__type"":""Pointer"",""className"":""_User"",""objectId"":""u1""}""#
    let rows = read(
      .parse,
      """
      deviceType,deviceToken,user
      ios,\(Self.one),\(pointer)
      ios,\(Self.one),u2
      ios,\(Self.one),
      ios,\(Self.one),\(String(repeating: "u", count: 256))
      ios,\(Self.one),u\u{202E}3
      """)
    #expect(rows.map { $0.device?.attributes.alias } == ["u1", "u2", nil, nil, nil])
    #expect(rows.map { $0.device == nil } == [false, false, false, true, true])
    #expect(rows[3].what.hasPrefix("'user' is no alias: expected 1 to 255 characters"), "\(rows[3].what)")
  }

  @Test func readsLinesOfMongoexport() throws {
    let rows = read(
      .parse,
      """
      {"deviceType":"ios","deviceToken":"\(Self.one)","_p_user":"_User$u8","_updated_at":{"$date":"2026-02-01T00:00:00.000Z"}}

      {"deviceType":"ios","deviceToken":"\(Self.two)","_updated_at":{"$date":1769904000000}}
      """)
    #expect(rows.map(\.line) == [1, 3])
    #expect(rows.compactMap { $0.device?.attributes.alias } == ["u8"])
    #expect(Set(rows.compactMap { $0.device.map { "\($0.lastSeenAt)" } }) == ["2026-02-01T00:00:00.000Z"])
  }

  /// The dashboard's CSV has the user's identifier alone, and dates as a browser shows them.
  @Test func readsTheCSVOfTheDashboard() throws {
    let rows = read(
      .parse,
      """
      objectId,deviceType,deviceToken,appIdentifier,user,channels,updatedAt
      o1,ios,\(Self.one),com.example.parse,u7,"[""Giants"",""Mets""]",Thu Jan 01 2026 01:00:00 GMT+0100 (CET)
      o2,ios,\(Self.two),com.example.parse,,,Thu Jan 01 2026 01:00:00 GMT-0330 (Newfoundland Standard Time)
      """, topic: nil)
    #expect(rows.map(\.what) == [Self.one, Self.two])
    #expect(rows.map { $0.device?.attributes.alias } == ["u7", nil])
    #expect(rows.first?.device?.attributes.tags == ["Giants", "Mets"])
    #expect(
      rows.compactMap { $0.device.map { "\($0.lastSeenAt)" } }
        == ["2026-01-01T00:00:00.000Z", "2026-01-01T04:30:00.000Z"])
  }

  @Test func readsTheAnswerOfFirebase() {
    let rows = read(
      .firebase,
      """
      {"results":[
      {"apns_token":"\(Self.one)","status":"OK","registration_token":"nKctODamlM4:CKrh_PC8kIb7O"},
      {"apns_token":"\(Self.two)","status":"Internal Server Error"},
      ]}
      """)
    #expect(rows.map(\.line) == [2, 3])
    #expect(rows.map(\.what) == [Self.one, "Firebase refused the token: Internal Server Error."])
  }

  @Test func readsEndpointsOfSNS() throws {
    func endpoint(_ platform: String, _ token: String, _ enabled: String) -> String {
      """
      {"EndpointArn":"arn:aws:sns:us-west-2:123456789012:endpoint/\(platform)/app/12345678-abcd",\
      "Attributes":{"Enabled":"\(enabled)","Token":"\(token)","CustomUserData":"user-1"}}
      """
    }
    let rows = read(
      .sns,
      "{\"Endpoints\":[\(endpoint("APNS", Self.one, "true")),\n\(endpoint("APNS_SANDBOX", Self.two, "true")),\n"
        + "\(endpoint("GCM", "x", "true")),\n\(endpoint("APNS", Self.two, "false"))\n]}", environment: nil)
    #expect(rows.map(\.what) == [Self.one, Self.two, "other", "disabled"])
    #expect(rows.map(\.line) == [1, 2, 3, 4])
    #expect(rows.compactMap { $0.device?.environment } == [.production, .sandbox])
    #expect(rows[0].device?.attributes.alias == "user-1")
    // One page of several: the other devices would be missing without a word.
    let page = "\"Endpoints\":[\(endpoint("APNS", Self.one, "true"))]"
    for (text, isOnePage) in [
      ("{\(page),\"NextToken\":\"abc\"}", true), ("{\"NextToken\": \"abc\",\n\(page)}", true),
      ("{\(page),\"NextToken\":null}", false), ("{\(page),\"Note\":{\"NextToken\":\"abc\"}}", false),
      ("{\"NextToken\":null,\(page)}", false), ("{\"Note\":\"NextToken\",\(page)}", false),
    ] {
      let read = read(.sns, text, environment: nil)
      #expect(read.first?.what == Self.one)
      #expect(read.count == (isOnePage ? 2 : 1), "\(text)")
      #expect(read.last?.what.hasPrefix("'NextToken' says") == isOnePage, "\(text)")
    }
  }

  static let columns =
    "id,identifier,session_count,language,timezone,game_version,device_os,device_type,device_model,ad_id,tags,"
    + "last_active,playtime,amount_spent,created_at,invalid_identifier,badge_count,external_user_id,country,timezone_id"

  @Test func readsTheFileOfOneSignal() throws {
    func line(_ token: String, type: String = "0", invalid: String = "f") -> String {
      "p1,\(token),12,en,-25200,3.2.0,17.4,\(type),\"iPhone15,2\",,\"{\"\"plan\"\":\"\"pro\"\",\"\"level\"\":4}\","
        + "1756800000,0,0,1700000000,\(invalid),2,user_42,us,America/Los_Angeles"
    }
    let rows = read(
      .onesignal,
      [
        Self.columns, line(Self.one), line("fcm", type: "1"), line(Self.two, invalid: "t"), line("zz"),
        "p2,short",
        "",
      ].joined(separator: "\n"))
    #expect(rows.map(\.line) == [2, 3, 4, 5, 6])
    #expect(rows.prefix(3).map(\.what) == [Self.one, "other", "disabled"])
    #expect(rows[3].what.hasPrefix("'identifier' is not a device token"))
    #expect(rows[4].what == "It has 2 fields; expected 20, one for each column.")
    let device = try #require(rows[0].device)
    #expect(device.attributes.tags == ["plan:pro", "level:4"])
    #expect(device.attributes.alias == "user_42")
    #expect(device.attributes.language == "en")
    #expect(device.attributes.timeZone == "America/Los_Angeles")
    #expect(device.attributes.appVersion == "3.2.0")
    #expect("\(device.createdAt)" == "2023-11-14T22:13:20.000Z")
  }

  /// An export holds also who has unsubscribed, unless a segment leaves them out.
  @Test func whoHasUnsubscribedAtOneSignalIsNotStored() {
    let rows = read(
      .onesignal,
      """
      device_type,identifier,invalid_identifier,notification_types
      0,\(Self.one),f,1
      0,\(Self.two),f,-2
      0,\(Self.two),f,-22
      0,\(Self.two),,
      """)
    #expect(rows.map(\.what) == [Self.one, "disabled", "disabled", Self.two])
  }

  /// Tags as far as they go would look whole.
  @Test func refusesARowWhoseTagsOrChannelsWereCut() {
    let channels = read(
      .parse,
      """
      deviceType,deviceToken,appIdentifier,channels
      ios,\(Self.one),com.example.parse,"[""Giants"",""Me"
      ios,\(Self.two),com.example.parse,[]
      ios,\(Self.one),com.example.parse,Giants
      """, topic: nil)
    #expect(
      channels.map(\.what) == [
        "'channels' is not JSON at byte 11 of it.", Self.two, "'channels' is not JSON at byte 1 of it.",
      ])
    #expect(channels.map(\.line) == [2, 3, 4])
    let tags = read(
      .onesignal,
      "device_type,identifier,tags\n0,\(Self.one),\"{\"\"plan\"\":\"\"pro\"\",\"\"lev\"\n0,\(Self.two),\n")
    #expect(tags.map(\.what) == ["'tags' is not JSON at byte 15 of it.", Self.two])
  }

  @Test func saysWhatAnExportDoesNotHave() {
    let text = "{\"results\":[{\"apns_token\":\"\(Self.one)\",\"status\":\"OK\"}]}"
    #expect(read(.firebase, text, topic: nil).map(\.what) == ["The export names no app; add '--topic'."])
    #expect(
      read(.firebase, text, environment: nil).map(\.what) == [
        "The export does not say which of Apple's environments it is for; add '--environment'."
      ])
    #expect(
      read(.firebase, "{\"results\":[{").map(\.what) == ["The export ends within an object or an array."])
    #expect(read(.firebase, "nothing").map(\.what) == ["The first line names no column 'apns_token'."])
    #expect(
      read(.sns, "[{\"EndpointArn\":\"x\"}]").map(\.what) == [
        "'EndpointArn' is missing, or is not that of an endpoint."
      ])
    #expect(
      read(.parse, "{\"deviceType\":\"android\"} 7").map(\.what) == [
        "other", "'7' stands where an object should begin.",
      ])
  }

  @Test func namesTheEntryOfAnArray() {
    var reader = ForeignReader(.firebase, .init(topic: "com.example.app", environment: .production))
    reader.add(Array("{\"results\":[{\"apns_token\":\"\(Self.one)\"},{\"apns_token\":\"x\"}]}".utf8))
    reader.add(Array("{\"apns_token\":\"y\"}".utf8))
    #expect(reader.takeRows().map(\.entry) == [1, 2, nil])
  }

  @Test func tellsEntriesThatAreNoObjects() {
    let rows = read(
      .firebase,
      #"{"results":["x",5,[{"apns_token":"\#(Self.two)"}, 6],null,{"apns_token":"\#(Self.one)"}],"a":["b"]}"#)
    #expect(rows.map(\.what) == Array(repeating: "Expected an object.", count: 4) + [Self.one])
  }

  @Test func readsNothingOfAFileWithOtherColumns() {
    let rows = read(.onesignal, "id,language\n1,de\n2,en\n")
    #expect(rows.map(\.what) == ["The first line names no column 'identifier'."])
  }

  @Test(arguments: [
    ("APNS_VOIP", "com.example.app.voip", PushEnvironment.production),
    ("APNS_VOIP_SANDBOX", "com.example.app.voip", .sandbox),
    ("MACOS_SANDBOX", "com.example.app", .sandbox),
  ])
  func knowsThePlatformsOfSNS(_ platform: String, _ topic: String, _ environment: PushEnvironment) throws {
    let rows = read(
      .sns,
      "{\"EndpointArn\":\"arn:aws:sns:us-west-2:1:endpoint/\(platform)/app/1\",\"Attributes\":{\"Token\":\"\(Self.one)\"}}",
      environment: nil)
    let device = try #require(rows.first?.device)
    #expect(device.topic == topic)
    #expect(device.environment == environment)
  }

  @Test func readsTypedNumbersOfMongoexport() throws {
    let rows = read(
      .parse,
      """
      {"deviceType":"iOS","deviceToken":"\(Self.one)","badge":{"$numberInt":"4"},\
      "_updated_at":{"$date":{"$numberLong":"1769904000000"}}}
      """)
    let device = try #require(rows.first?.device)
    #expect(device.attributes.badge == 4)
    #expect("\(device.lastSeenAt)" == "2026-02-01T00:00:00.000Z")
  }
  /// What is no date of a device is left out, as other values are that the registry does not take: a count of milliseconds
  /// where seconds are documented, and numbers that end where integers do.
  @Test(arguments: [
    ("253402300799", "9999-12-31T23:59:59.000Z"), ("253402300800", nil), ("1796000000000", nil),
    ("9223372036854775807", nil), ("-9223372036854775808", nil), ("-1", nil),
    ("1", "1970-01-01T00:00:01.000Z"),
  ])
  func aDateIsOneThatCanBeWritten(_ seconds: String, _ date: String?) throws {
    let updated = [
      "\(seconds)", "\"\(seconds)\"", "{\"$date\":\(seconds)000}",
      "{\"$date\":{\"$numberLong\":\"\(seconds)000\"}}",
    ]
    for text in updated {
      let rows = read(
        .parse, "{\"deviceType\":\"ios\",\"deviceToken\":\"\(Self.one)\",\"updatedAt\":\(text)}")
      let device = try #require(rows.first?.device, "\(text)")
      #expect("\(device.lastSeenAt)" == date ?? "1970-01-01T00:00:00.000Z", "\(text)")
    }
  }

  /// An answer that refuses the export, and another service's: neither is a row of another platform.
  @Test(arguments: [
    #"{"code":119,"error":"unauthorized"}"#, #"{"results":[{"apns_token":"00","status":"OK"}]}"#,
  ])
  func anInstallationNamesItsPlatform(_ text: String) {
    let rows = read(.parse, text)
    #expect(rows.map(\.what) == ["'deviceType' is missing; is this an export of another service?"])
  }
}
