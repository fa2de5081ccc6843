import AppSiteAssociation
import FuzzSupport
import LinkspanCore
import LinkspanCrypto

/// The entry point that the package manager expects in an executable.
@_cdecl("FuzzCMS_main")
public func fuzzMain(_ argc: CInt, _ argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
  fuzz(argc, argv) { check($0) }
}

/// The root of the seeds; its key was thrown away.
private let authorities = TrustedAuthorities(
  pem: Array(
    """
    -----BEGIN CERTIFICATE-----
    MIIBbjCCAROgAwIBAgIUbea1PODSMcheIvdfqAnjh/0WvIowCgYIKoZIzj0EAwIw
    DDEKMAgGA1UEAwwBcjAeFw0yNjExMjExMTA4MDdaFw0zNjExMTgxMTA4MDdaMAwx
    CjAIBgNVBAMMAXIwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQKRib8Ho0eiQMt
    2IginIh3q9CqCN6s9fc9q94+ObPXZ4Otu49GidbW45eaJfL5fBQW4wBd4xqHhz3U
    BfWulzWJo1MwUTAdBgNVHQ4EFgQUd3czL+aOlRMwDsnnyfJRfFDBt1owHwYDVR0j
    BBgwFoAUd3czL+aOlRMwDsnnyfJRfFDBt1owDwYDVR0TAQH/BAUwAwEB/zAKBggq
    hkjOPQQDAgNJADBGAiEA0LpSlmT6cBJRjzl+RHBY+CdxgluX+PKtku4lGu8HYZwC
    IQCvCmRdvPv4uI1iY4WaP3UYfDR8//90T1+jMSM//NSpvA==
    -----END CERTIFICATE-----
    """.utf8))!

private let moment = WallTime("2027-06-01T00:00:00Z")!

/// The content of the seeds; nothing else was ever signed under the root.
private let signed = Array(#"{"applinks":{"details":[]}}"#.utf8)

/// The laws: no input stops the program; only content that was signed is valid; every problem has a message; the
/// checker, which verifies nothing, reads the same content as the verifier.
private func check(_ input: [UInt8]) {
  let report = SignatureReport(
    input, trusting: authorities, at: moment, purposes: [.server, .mail])
  if report.isGood { precondition(report.content == signed, "a forged content is good") }
  for problem in report.problems {
    precondition(
      !problem.name.isEmpty && !problem.message.isEmpty, "a silent problem")
  }
  let content = AssociationContent(input)
  if let verified = report.content {
    precondition(
      content.format == .signed && content.json == verified, "checker and verifier read different things")
  }
}
