internal import LinkspanCore
internal import LinkspanCrypto

extension Certificate {
  /// For `--json`.
  var json: JSON {
    .object([
      ("subject", .string(subject)), ("issuer", .string(issuer)), ("serial_number", .string(serialNumber)),
      ("key", .string(keyText)), ("not_before", .string("\(begins)")), ("not_after", .string("\(ends)")),
    ])
  }
}
