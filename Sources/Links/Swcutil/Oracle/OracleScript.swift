/// The script that asks Apple's `swcutil` on a Mac. It is whole by itself, so that one file is carried there.
package enum OracleScript {
  package static let name = "ask-swcutil.sh"

  /// - Parameter version: This program's, which the script and its answers state.
  package static func text(_ kit: OracleKit, version: String) -> String {
    var text = head(version)
    for probe in kit.probes {
      text += "ask \(probe.name) \(probe.app) \(probe.host) \(quoted(probe.url)) \(quoted(probe.file))\n"
    }
    return text + tail
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
  }

  private static func head(_ version: String) -> String {
    """
    #!/bin/sh
    # Asks Apple's swcutil what Apple's documentation leaves open about association files.
    # On a Mac: sudo sh \(name) [ANSWERS]
    # It changes nothing, and goes to no network: swcutil reads the files that are written here into a temporary folder.
    # The last line that it prints is the path of the answers. Give that file to: linkspan oracle --read ANSWERS
    # Written by linkspan oracle, version \(version).
    set -u
    tool=${SWCUTIL:-swcutil}
    if ! command -v "$tool" > /dev/null 2>&1; then
      echo "$0: there is no '$tool'; run this on a Mac with macOS 10.15 or newer." >&2
      exit 2
    fi
    if [ "$(uname -s)" = Darwin ] && [ "$(id -u)" -ne 0 ]; then
      echo "$0: swcutil needs the rights of root: sudo sh $0" >&2
      exit 2
    fi
    folder=$(mktemp -d) || exit 2
    trap 'rm -rf "$folder"' EXIT
    answers=${1:-$(pwd)/swcutil-answers.txt}
    told() { "$@" 2> /dev/null || echo unknown; }
    {
      echo '\(OraclePack.mark)'
      echo "kit \(version)"
      echo "model $(told sysctl -n hw.model)"
      echo "system $(told sw_vers -productName) $(told sw_vers -productVersion)"
      echo "build $(told sw_vers -buildVersion)"
      echo "machine $(told uname -m)"
    } > "$answers" || exit 2

    # ask QUESTION APP HOST URL FILE
    ask() {
      printf '%s\\n' "$5" > "$folder/apple-app-site-association"
      said=$("$tool" verify -d "$3" -j "$folder/apple-app-site-association" -u "$4" 2>&1)
      status=$?
      {
        printf 'probe %s\\napp %s\\nhost %s\\nurl %s\\nfile %s\\nstatus %s\\n' "$1" "$2" "$3" "$4" "$5" "$status"
        printf '%s\\n' "$said" | sed 's/^/| /'
        echo end
      } >> "$answers" || exit 2
    }


    """
  }

  private static let tail = """

    echo "$0: asked $(grep -c '^probe ' "$answers") times." >&2
    echo "$answers"

    """
}
