import FuzzSupport
import LinkspanCore
import PushProvider
import PushTerms
import RegistryRequests

/// The entry that the package manager expects of an executable.
@_cdecl("FuzzRegistry_main")
public func fuzzMain(_ argc: CInt, _ argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
  fuzz(argc, argv) { check($0) }
}

/// The laws: no input stops the program; a refusal says why; a device reads the same when it is written again.
private func check(_ input: [UInt8]) {
  do throws(InputProblem) {
    let device = try RegistryTransfer.device(input)
    let line = RegistryTransfer.line(device)
    let again = try RegistryTransfer.device(line)
    precondition(RegistryTransfer.line(again) == line, "what was written reads otherwise")
  } catch {
    precondition(!error.message.isEmpty, "a silent refusal")
  }
  let root = JSONParser.parse(input).root
  guard let token = try? DeviceToken(String(repeating: "a1", count: 32)),
    let topic = PushTopic("com.example.app")
  else { preconditionFailure("these are valid") }
  let (key, time) = (DeviceKey(token: token, topic: topic, environment: .sandbox), WallTime(milliseconds: 0))
  if let root {
    var reader = DeviceReader()
    let registration = reader.registration(root, token: token, at: time)
    precondition((registration == nil) == !reader.problems.isEmpty, "a refusal without a reason")
  }
  checkMessages(root, input)
  do throws(InputProblem) {
    let old = try LegacyDeviceReader.registration(root, key: key, ipAddress: nil, at: time)
    precondition(old.attributes.tags.count <= DeviceReader.tagLimit, "more tags than are kept")
  } catch {
    precondition(!error.message.isEmpty, "a silent refusal")
  }
}

/// A notification or campaign that is refused says why; time zones of any bytes answer.
private func checkMessages(_ root: JSONNode?, _ input: [UInt8]) {
  if let root {
    var reader = MessageReader()
    let notification = reader.notification(root, input)
    precondition(
      (notification == nil) == !(reader.problems + reader.conflicts).isEmpty, "a refusal without a reason")
    var other = MessageReader()
    let campaign = other.campaign(root, input)
    precondition(
      (campaign == nil) == !(other.problems + other.conflicts).isEmpty, "a refusal without a reason")
  }
  guard let rules = TimeZoneRules(input) else { return }
  let now = WallTime(milliseconds: 1_789_372_800_000)
  precondition(abs(rules.offset(at: now)) < 1_000_000, "an offset of more than days")
  precondition(rules.next(540, after: now) >= now, "a time in the past")
}
