extension SpecificationRule {
  /// Matching one URL against one file.
  static let matching = """
    M1 | documented | A14, A15 | The scheme is http or https.
    M2 | observed | SW | The URL's host is the host of the file, ignoring case; for a wildcard, any host below it.
    M3 | inferred | OWN, from E3 | User information is ignored, and a port other than the scheme's default never matches.
    M4 | documented | A5, A14, SW | The first rule whose components all match decides; later rules are ignored.
    M5 | documented | A5 | A component that a rule does not specify matches every URL.
    M6 | observed | SW | A missing path is treated as '/', a missing query or fragment as empty.
    M7 | observed | SW | A pattern must match the whole component.
    P1 | documented | A5, A15, SW | '*' matches any number of characters, including '/', and '?' matches one character.
    P2 | inferred | OWN | There is no escape: a literal '*' or '?' cannot be written.
    P3 | documented | A14 | '?' matches one character of the compared text, so a percent-encoded character needs several.
    P4 | documented | A15 | Whether '*' is greedy makes no difference to the result.
    P5 | observed | SW, A5 | The leading '/' of a path pattern is optional, and several count as one.
    P6 | observed | SW | Trailing slashes of the pattern and the path are ignored.
    P7 | observed | SW, A9 | A pattern that ends in '/*' also matches the path without the '/*'.
    P8 | observed | SW | A trailing '?' never matches a missing '/'.
    P9 | observed | SW | Empty path segments are significant.
    P10 | inferred | OWN | Segments '.' and '..' are compared as written.
    P11 | observed | SW, A13 | "paths" follows the same rules for paths and ignores query and fragment.
    Q1 | documented | A5, SW | A string pattern for the query is matched against everything between '?' and '#'.
    Q2 | documented | A5, A6, A14 | Every item of a '?' object must match; other query items and the order of items are ignored.
    Q3 | documented | A14, SW | A query item that is missing or has no value counts as empty.
    Q4 | documented | A14, SW | If a query item occurs several times, all of its values must match.
    Q5 | inferred | OWN | Names of query items are compared literally; case is ignored if the rule says so.
    Q6 | observed | SW | A value that is not a string disables the whole '?' object.
    Q7 | inferred | OWN | '+' does not mean a space.
    K1 | documented | A5, UL | Matching is case-sensitive unless the rule says otherwise.
    K2 | observed | SW | '"caseSensitive": false' ignores case, also in predefined variables.
    K3 | observed | SW | By default the URL is compared as written, including its percent-escapes and their case; a pattern with characters that URLs cannot contain never matches.
    K4 | observed | SW | '"percentEncoded": false' decodes the URL but not the pattern.
    K5 | inferred | OWN | Escapes that do not decode to valid UTF-8 stay as written.
    DF1 | documented | A7, SW | For each key, the rule overrides the defaults of its entry, which override the defaults of the domain.
    DF2 | documented | A7, SW | Defaults may contain any key of a rule.
    DF3 | observed | SW | If the defaults set 'exclude', a URL opens the app only if its rule sets '"exclude": false'.
    S1 | documented | A8 | '$(name)' matches any one value of the named list.
    S2 | documented | A8, A15 | Variable names contain no '$', '(' or ')' and are case-sensitive.
    S3 | documented | A8 | Values may contain '*' and '?' but no variables.
    S4 | documented | A8, SW | The predefined variables are alpha, upper, lower, alnum, digit and xdigit, each one character, and the ISO code lists region and lang.
    S5 | observed | SW | '$(region)' matches GB but not UK; the lists come from the operating system.
    S6 | inferred | OWN | A variable that is undefined, not closed or empty never matches.
    S7 | inferred | OWN | If a variable has the name of a predefined one, which of the two iOS uses is unknown; Linkspan uses the file's.
    S8 | inferred | OWN | Variables may be used in path, query and fragment patterns.
    """
}
