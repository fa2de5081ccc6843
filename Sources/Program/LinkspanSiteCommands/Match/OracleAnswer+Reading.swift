internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanFiles
internal import Swcutil

extension OracleAnswer {
  /// - Throws: That the file cannot be read, or has no answers of swcutil.
  init(reading path: String) throws(LinkspanError) {
    let text = try FileReader.read(path)
    guard text.bytes.count <= OraclePack.limitBytes else {
      throw LinkspanError(
        "'\(path)' has \(text.bytes.count) bytes; answers have at most \(OraclePack.limitBytes).",
        help: "Give the file whose path the script prints last.")
    }
    try self.init(OraclePack(text))
  }
}
