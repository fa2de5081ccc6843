extension SpecificationRule {
  /// Matching one URL against one file.
  static let matching = """
    M1 | documented | A14, A15 | The scheme is http or https.
    M2 | observed | SW | The URL's host is that of the file, whatever the case of its letters; for a wildcard, any host below it.
    M3 | inferred | OWN, from E3 | User information is ignored, and a port other than the scheme's own is no match.
    M4 | documented | A5, A14, SW | The first rule whose components all hold decides; nothing after it is looked at.
    M5 | documented | A5 | A component that a rule does not state holds for every URL.
    M6 | observed | SW | An absent path reads as '/', an absent query or fragment as the empty text.
    M7 | observed | SW | A pattern covers the whole component.
    P1 | documented | A5, A15, SW | '*' is any run of characters, '/' included, and '?' is one character.
    P2 | inferred | OWN | There is no escape: a literal '*' or '?' cannot be written.
    P3 | documented | A14 | '?' counts characters of the text that is compared, so an encoded character is several.
    P4 | documented | A15 | How greedily a '*' is matched makes no difference to the answer.
    P5 | observed | SW, A5 | A leading '/' of a path pattern may be left out, and several count as one.
    P6 | observed | SW | Slashes at the end are insignificant on both sides.
    P7 | observed | SW, A9 | A pattern that ends in '/*' also matches the path without that end.
    P8 | observed | SW | No slash is added for the sake of a '?'.
    P9 | observed | SW | Empty segments inside a path count.
    P10 | inferred | OWN | Segments '.' and '..' are compared as written.
    P11 | observed | SW, A13 | "paths" follow the same rules for paths and ignore query and fragment.
    Q1 | documented | A5, SW | A pattern for the whole query covers everything between '?' and '#'.
    Q2 | documented | A5, A6, A14 | Of a '?' object every named item has to hold; other items and their order do not count.
    Q3 | documented | A14, SW | An item that is absent, or has no value, counts as the empty text.
    Q4 | documented | A14, SW | Of an item that occurs several times all values have to hold.
    Q5 | inferred | OWN | Names of query items are compared literally, and without case where the rule says so.
    Q6 | observed | SW | A value that is no string disables the whole '?' object.
    Q7 | inferred | OWN | '+' is no blank.
    K1 | documented | A5, UL | Case counts unless the rule says otherwise.
    K2 | observed | SW | '"caseSensitive": false' ignores case, also in predefined variables.
    K3 | observed | SW | By default the URL's text is compared as it is written, escapes and their case included; text that no URL carries never matches.
    K4 | observed | SW | '"percentEncoded": false' decodes the URL and not the pattern.
    K5 | inferred | OWN | Escapes that decode to nothing valid stay as they are written.
    DF1 | documented | A7, SW | Defaults of the domain, then those of the entry, then the rule: the most specific counts, key by key.
    DF2 | documented | A7, SW | Defaults may hold any key of a rule.
    DF3 | observed | SW | Defaults that exclude keep every URL out whose rule does not say '"exclude": false'.
    S1 | documented | A8 | '$(name)' stands for any one text of the named list.
    S2 | documented | A8, A15 | A name holds no '$', '(' or ')' and is always compared with case.
    S3 | documented | A8 | Values may hold '*' and '?' and no variables.
    S4 | documented | A8, SW | Predefined are alpha, upper, lower, alnum, digit and xdigit, each one character, and the ISO lists region and lang.
    S5 | observed | SW | '$(region)' matches GB and not UK; the lists are those of the system.
    S6 | inferred | OWN | A variable that is undefined, not closed or empty never matches.
    S7 | inferred | OWN | Which counts is unknown where a variable has the name of a predefined one; Linkspan takes the file's.
    S8 | inferred | OWN | Variables may stand in patterns of path, query and fragment alike.
    """
}
