import AppBundle
import Foundation
import LinkspanCore
import Testing

/// Programs that others built and signed, read by us and by LIEF.
@Suite(.enabled(if: WheelPrograms.areDownloaded, Comment(rawValue: WheelPrograms.absence)))
struct WheelProgramTests {
  /// A file mapped into memory.
  private struct MappedFile: RandomAccessBytes {
    let data: Data

    init(_ path: String) throws { data = try Data(contentsOf: URL(filePath: path), options: .alwaysMapped) }

    var count: Int { data.count }

    func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(BundleError) {
      data.copyBytes(to: buffer, from: offset..<offset + buffer.count)
    }
  }

  @Test func allIsAsLIEFHasIt() throws {
    let programs = try WheelPrograms().programs
    #expect(programs.count >= 3)
    for program in programs {
      let file = try MachOFile(try MappedFile(program.path), file: program.path)
      #expect(file.slices.count == program.slices.count)
      for (ours, theirs) in zip(file.slices, program.slices) {
        let name = Comment(rawValue: program.path)
        #expect(ours.architecture.cpuType == theirs.cpu, name)
        #expect(ours.architecture.cpuSubtype == theirs.subtype, name)
        #expect(ours.libraries.map(\.name) == theirs.libraries, name)
        #expect(ours.signature?.identifier == theirs.identifier, name)
        #expect(ours.signature?.teamIdentifier == theirs.team, name)
        #expect(ours.signature.map { Int($0.flags.rawValue) } == theirs.flags, name)
        let entitlements = ours.signature?.entitlements.map { String(decoding: $0, as: UTF8.self) }
        #expect(entitlements == theirs.entitlements, name)
        #expect(ours.signatureProblem == nil, name)
      }
    }
  }

  @Test func eachCanBeInspected() throws {
    for program in try WheelPrograms().programs {
      let document = try BundleDocument(program: try MappedFile(program.path), name: program.path)
      #expect(document.findings.allSatisfy { $0.severity != .error }, "\(program.path)")
      #expect((document.main.entitlements != nil) == (program.slices[0].entitlements != nil))
    }
  }
}
