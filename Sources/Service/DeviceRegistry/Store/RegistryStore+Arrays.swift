internal import LinkspanCore
internal import PushProvider
internal import PushTerms
internal import RegistryDatabases
internal import RegistryRequests

/// Many rows in one statement, for a database that takes arrays: PostgreSQL plans and answers it once instead of once a row.
extension RegistryStore {
  /// Registers devices with as few statements as their order allows.
  ///
  /// One statement may name a device once, and has one set of attributes that are given; what does not fit goes into the
  /// next. Of one device an earlier registration is never overtaken by a later one.
  func registerTogether(_ registrations: [DeviceRegistration]) throws(RegistryError) -> [RegisteredDevice] {
    var answers = [RegisteredDevice?](repeating: nil, count: registrations.count)
    var departures: [Departure] = []
    // In one order, so that two servers that register the same devices do not wait for each other in a circle.
    var rest = registrations.indices.sorted {
      let (left, right) = (registrations[$0].key, registrations[$1].key)
      return left == right ? $0 < $1 : left.precedes(right)
    }
    while let first = rest.min() {
      let given = registrations[first].given
      var chosen: [Int] = []
      var later: [Int] = []
      var last: DeviceKey?
      for index in rest {
        let registration = registrations[index]
        if registration.given == given, registration.key != last {
          chosen.append(index)
        } else {
          later.append(index)
        }
        last = registration.key
      }
      try register(chosen, of: registrations, given, &answers, &departures)
      rest = later
    }
    if let first = registrations.first { try depart(departures, at: first.time) }
    let devices = answers.compactMap { $0 }
    guard devices.count == registrations.count else { throw Self.emptyAnswer }
    return devices
  }

  /// Registers those at `chosen`, which name a device once each.
  private func register(
    _ chosen: [Int], of registrations: [DeviceRegistration], _ given: DeviceAttribute.Names,
    _ answers: inout [RegisteredDevice?], _ departures: inout [Departure]
  ) throws(RegistryError) {
    let rows = chosen.map { Self.values(registrations[$0]) }
    let found = try database.run(
      Self.arrayStatement + (database.dialect.returnsPrevious ?? ""), Self.arrays(rows) + [.int(given.bits)])
    // Rows come back in the order they went in; nobody promises that, so each is looked at.
    guard found.count == chosen.count else { throw Self.emptyAnswer }
    var known: [Int64: Int] = [:]
    let columns = found.first?.columns ?? SQLColumns([])
    let (id, revision) = try (columns["id"], columns["revision"])
    let key = try (columns["token"], columns["topic"], columns["environment"])
    for (row, index) in zip(found, chosen) {
      let named = try (row.text(key.0), row.text(key.1), row.text(key.2))
      let isNamed = { (index: Int) in registrations[index].key.isNamed(by: named) }
      guard let place = isNamed(index) ? index : chosen.first(where: isNamed) else { throw Self.emptyAnswer }
      let identifier = try row.int(id)
      if try row.int(revision) == 1 {
        answers[place] = RegisteredDevice(device: Device(new: registrations[place], identifier))
      } else {
        known[identifier] = place
        let registration = registrations[place]
        let previous = try Self.previousAlias(row, revision: try row.int(revision), registration)
        if let departure = registration.departure(from: previous) { departures.append(departure) }
      }
    }
    guard !known.isEmpty else { return }
    let identifiers = known.keys.sorted().map { [SQLValue.int($0)] }
    let others = try database.run(
      "SELECT \(Self.columns) FROM devices WHERE id = ANY($1::bigint[])", Self.arrays(identifiers))
    for device in try others.decoded(Self.device) {
      if let place = known[device.identifier] { answers[place] = RegisteredDevice(device: device) }
    }
  }

  private static let arrayStatement: String = {
    let types = (1...17).map { column in
      switch column {
      case 6, 16, 17: "bigint"
      case 13, 14: "float8"
      default: "text"
      }
    }
    let arrays = types.enumerated().map { "$\($0.offset + 1)::\($0.element)[]" }.joined(separator: ", ")
    // What a new device has besides, the registration says.
    return registrationStatement(from: "SELECT *, 1 FROM unnest(\(arrays))")
      + " RETURNING id, token, topic, environment, revision"
  }()

  /// Adds lines to the audit log with one statement.
  func auditTogether(_ rows: [[SQLValue]]) throws(RegistryError) {
    try database.runLater(
      "INSERT INTO audit_log (at, actor, action, subject, affected) SELECT * FROM"
        + " unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::bigint[])", Self.arrays(rows))
  }

  /// The columns of rows, each as an array.
  static func arrays(_ rows: [[SQLValue]]) -> [SQLValue] {
    guard let first = rows.first else { return [] }
    return first.indices.map { column in .list(rows.map { $0[column] }) }
  }
}

extension DeviceKey {
  fileprivate func precedes(_ other: DeviceKey) -> Bool {
    if token != other.token { return token.text < other.token.text }
    if topic != other.topic { return topic.text < other.topic.text }
    return environment.rawValue < other.environment.rawValue
  }

  /// Whether a row of the statement is about this device.
  fileprivate func isNamed(by row: (token: String, topic: String, environment: String)) -> Bool {
    row == (token.text, topic.text, environment.rawValue)
  }
}
