import Glibc
import LoadGenerator

/// Drives a server on loopback and prints one line of JSON about it.
///
/// Servers cost less than the usual clients: this one offers one cipher suite and one group, believes any
/// certificate (`--verify FILE` checks one connection's), ends connections by a reset so that no port waits, and
/// comes from several addresses of 127.0.0.0/8.
@main
enum LoadDriver {
  static let usage = """
    usage: LoadDriver MODE --port N [flags]
      free-ports   print N free ports (--count N)
      close        a connection per request, --connections at a time, for --seconds
      keep         requests over kept connections, each sends the next one after its answer
      stampede     --rate requests a second over kept connections, then --burst new connections within a second
      hold         open --connections with a request each, print "held", wait for the end of stdin
      crowd        hold --connections, half of them sending a byte of a request each second, while --rate
                   requests a second are made over others for --seconds
    flags: --tls  --http2 (hold)  --host NAME  --path PATH  --connections N  --seconds S  --rate N  --burst N
           --server-pid PID,…  (adds the processor time the server used while we counted)
           --verify FILE  (the first connection checks the certificate against this one)

    """

  static func main() {
    signal(SIGPIPE, SIG_IGN)
    do throws(LoadError) {
      let options = try LoadOptions(CommandLine.arguments.dropFirst())
      switch options.mode {
      case "free-ports": try FreePorts.show(options.count)
      case "close": try ClosedLoop(options).runConnectionPerRequest()
      case "keep": try ClosedLoop(options).runKept()
      case "stampede": try OpenLoop(options).runStampede()
      case "hold": try Crowd(options).runHold()
      case "crowd": try Crowd(options).runBeside()
      default: throw LoadError("there is no mode '\(options.mode)'", isUsage: true)
      }
    } catch {
      let text = Array("LoadDriver: \(error.reason)\n\(error.isUsage ? usage : "")".utf8)
      _ = write(2, text, text.count)
      exit(2)
    }
  }
}
