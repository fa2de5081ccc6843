internal import PushProvider

/// Many rows in one statement, for a database that takes arrays: PostgreSQL plans and answers it once instead of once a row.
extension RegistryStore {
  /// Registers devices with as few statements as their order allows.
  ///
  /// One statement may name a device once, and has one set of attributes that are given; what does not fit goes into the
  /// next. Of one device an earlier registration is never overtaken by a later one.
  func registerTogether(_ registrations: [DeviceRegistration]) throws(RegistryError) -> [RegisteredDevice] {
    var answers = [RegisteredDevice?](repeating: nil, count: registrations.count)
    var rest = Array(registrations.indices)
    while let first = rest.first {
      let given = registrations[first].given
      var indices: [DeviceKey: Int] = [:]
      var passedOver: Set<DeviceKey> = []
      var later: [Int] = []
      for index in rest {
        let registration = registrations[index]
        if registration.given == given, indices[registration.key] == nil,
          !passedOver.contains(registration.key)
        {
          indices[registration.key] = index
        } else {
          passedOver.insert(registration.key)
          later.append(index)
        }
      }
      // In one order, so that two servers that register the same devices do not wait for each other in a circle.
      let order = indices.sorted { $0.key.sortKey < $1.key.sortKey }
      let places = Dictionary(uniqueKeysWithValues: order.map { ($0.key.sortKey, $0.value) })
      let rows = order.map { Array(Self.values(registrations[$0.value]).dropLast()) }
      let found = try database.run(
        Self.arrayStatement, Self.arrays(rows) + [.int(given.reduce(0) { $0 | $1.bit })])
      for row in found {
        let device = try Self.device(row)
        let key = [device.token, device.topic, device.environment.rawValue].joined(separator: " ")
        if let place = places[key] { answers[place] = RegisteredDevice(device: device) }
      }
      rest = later
    }
    let devices = answers.compactMap { $0 }
    guard devices.count == registrations.count else { throw Self.emptyAnswer }
    return devices
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
    return registrationStatement(from: "SELECT *, 1 FROM unnest(\(arrays))")
  }()

  /// Adds lines to the audit log with one statement.
  func auditTogether(_ rows: [[SQLValue]]) throws(RegistryError) {
    try database.run(
      "INSERT INTO audit_log (at, actor, action, subject, affected) SELECT * FROM"
        + " unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::bigint[])", Self.arrays(rows))
  }

  /// The columns of rows, each as an array in PostgreSQL's text form.
  private static func arrays(_ rows: [[SQLValue]]) -> [SQLValue] {
    guard let first = rows.first else { return [] }
    return first.indices.map { column in
      var text = "{"
      for (index, row) in rows.enumerated() {
        if index > 0 { text += "," }
        switch row[column] {
        case .null: text += "NULL"
        case .int(let number): text += String(number)
        case .real(let number): text += String(number)
        case .text(let value): text += quoted(value)
        }
      }
      return .text(text + "}")
    }
  }

  private static func quoted(_ text: String) -> String {
    let special: [UInt8] = [UInt8(ascii: "\""), UInt8(ascii: "\\")]
    var bytes: [UInt8] = [special[0]]
    for byte in text.utf8 {
      if special.contains(byte) { bytes.append(special[1]) }
      bytes.append(byte)
    }
    bytes.append(special[0])
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension DeviceKey {
  /// The key as one text; none of its parts has a blank.
  fileprivate var sortKey: String { "\(token.text) \(topic.text) \(environment.rawValue)" }
}
