// The answers are those of `linkspan … --json`; members that are added later are not listed here.

/** An association file or another file, as its text or its bytes. */
export type Content = string | Uint8Array

/** Why there is no answer: what the program prints with exit status 2. */
export class LinkspanError extends Error {}

export interface Result {
  /** 0 done or yes, 1 no or errors found, 2 could not answer. */
  status: 0 | 1 | 2
  stdout: string
  stderr: string
  /** The files in memory after the run; `check --fix` changes them. */
  files: Record<string, Uint8Array>
}

/** Runs a command with files in memory: `run(['check', 'a.json'], { files: { 'a.json': '{}' } })`. */
export function run(
  words: string[], options?: { files?: Record<string, Content>; stdin?: Content; environment?: Record<string, string> },
): Result

export interface Finding {
  rule: string
  severity: 'error' | 'warning' | 'note'
  file: string
  line: number | null
  column: number | null
  message: string
  help: string | null
  [member: string]: unknown
}

export interface CheckAnswer {
  type: 'check'
  findings: Finding[]
  summary: Record<string, number>
  not_checked: string[]
  /** With `fix`: what the file would become. */
  patch?: string
  [member: string]: unknown
}

export interface CheckOptions {
  /** What findings call the file. */
  name?: string
  host?: string
  /** Releases, such as `ios:15..26`. */
  os?: string | string[]
  /** An application identifier. */
  app?: string | string[]
  /** Entitlements, Info.plist or Expo's app.json, by name. */
  apps?: Record<string, Content>
  /** Whether the answer has the patch of `check --fix --dry-run`. */
  fix?: boolean
}

/** What is wrong with an association file, an assetlinks.json, or the entitlements of an app. */
export function check(file: Content, options?: CheckOptions): CheckAnswer

export type Verdict = 'match' | 'excluded' | 'noMatch'

/** What every answer about a URL has. */
export interface Judgement {
  /** null where it is not decided. */
  decision: Verdict | null
  entry: number | null
  rule: number | null
  reason: string
  certainty: string | null
  [member: string]: unknown
}

export interface MatchAnswer extends Judgement {
  type: 'match'
  url: string
  app: string | null
  os: string | null
  by_release?: { from: string; to: string | null; decision: Verdict; reason: string }[]
}

/** Whether URLs open an app: an answer for each URL, release and app. */
export function match(
  file: Content, urls: string | URL | (string | URL)[],
  options?: { app?: string | string[]; os?: string | string[]; host?: string; writtenIn?: 'page' | 'code' },
): MatchAnswer[]

export interface BatchQuestion {
  id?: unknown
  /** An object, its JSON, or bytes in UTF-8. */
  file: Content | object
  url: string | URL
  app?: string
  host?: string
  os?: string
  written_in?: 'page' | 'code'
}

/** The answer for the question's app; without one, what happens when every app of the file is installed. */
export interface BatchAnswer extends Judgement {
  type: 'match'
  /** The question's, else null. */
  id: unknown
  /** Where the question names no app: the app that decides, null where the file names none. */
  app?: string | null
  /** Where the question names no app: the answer for each app of the file. */
  apps?: (Judgement & { app: string })[]
}

/** What is wrong with a question. */
export interface BatchError {
  type: 'error'
  id: unknown
  /** From 1. */
  line: number
  message: string
}

/** The answers to questions of `linkspan match --batch`, in their order. */
export function matchBatch(questions: BatchQuestion[]): (BatchAnswer | BatchError)[]

export interface ExplainAnswer {
  type: 'explanation'
  url: string
  device: string
  os: string
  from: string
  /** What opens; null where it is not known. */
  opens: string | null
  /** The app that opens. */
  app: string | null
  /** Whether the outcome is known and every change that could help was tried. */
  decided: boolean
  certainty: string | null
  /** From finger to screen. */
  steps: { step: string; verdict: 'yes' | 'no' | 'unknown' | 'not-reached'; rules: string[]; certainty: string; message: string }[]
  not_known: string[]
  /** What the changes lead to. */
  toward: 'app' | 'browser'
  /** The smallest sets of changes that lead there, the cheapest first; each set is enough. */
  changes: { who: string; what: string; rules: string[]; certainty: string }[][]
  [member: string]: unknown
}

export interface ExplainOptions {
  /** Application identifiers; without, the apps that the file names. */
  app?: string | string[]
  /** Entitlements, Info.plist, profiles or Expo's app.json, by name. */
  apps?: Record<string, Content>
  /** A release, such as `ios:17.4`. */
  os?: string
  /** How the link is followed: `messages`, `safari`, `webview` and the others of `linkspan explain --help`. */
  from?: string
  /** In place of `from`, where the link is: `mail`, `webview` and the others of `linkspan explain --help`. */
  container?: string
  /** With `container`: what moves the link, such as `tap` or `script`. */
  gesture?: string
  /** The identifier of the app around the link: with `from: 'own-app'` or `'webview'`, or a container that is an app. */
  in?: string
  /** With `from: 'safari'`, or a tap in the container `browser`: the page of the link. */
  page?: string | URL
  /** The links that redirect to this one, the tapped one first. */
  through?: string | URL | (string | URL)[]
  /** With `from: 'long-press'`: what the person chooses. */
  choice?: 'app' | 'browser'
  /** The host of the file, where it is not the URL's. */
  host?: string
  expect?: 'app' | 'browser'
  /** Whether the device has developer mode for associated domains on. */
  developer?: boolean
  /** Whether the device is managed, with direct downloads allowed. */
  managed?: boolean
}

/** What a link does on a device, step by step, and what would change the outcome. */
export function explain(file: Content, url: string | URL, options?: ExplainOptions): ExplainAnswer

export interface DiffAnswer {
  type: 'diff'
  changes: { url: string; app: string; old: { decision: Verdict }; new: { decision: Verdict }; [member: string]: unknown }[]
  /** URLs that two apps match, and that another one of them opens where both are installed: the entries have another order. */
  precedence: { url: string; old: string; new: string; [member: string]: unknown }[]
  /** Applications that `webcredentials`, `appclips` and the others name or no longer name. */
  services: { service: string; added: string[]; removed: string[] }[]
  decided: boolean
  [member: string]: unknown
}

/** Which URLs behave differently between two association files. */
export function diff(
  before: Content, after: Content,
  options?: { host?: string; app?: string | string[]; os?: string | string[]; limit?: number },
): DiffAnswer

export interface GenerateAnswer {
  type: 'generate'
  file: object
  exact: boolean
  differences: { url: string; wanted: Verdict; got: Verdict; app: string; [member: string]: unknown }[]
  [member: string]: unknown
}

/** The association file for the routes of apps: an object or JSON5 as `linkspan generate` takes it. */
export function generate(request: object | Content): GenerateAnswer

/** Which rules the URLs of a list reach. */
export function coverage(
  file: Content, urls: string | URL | (string | URL)[], options?: { host?: string; os?: string },
): Record<string, unknown>

/** What is wrong with a push payload for its type and headers. */
export function pushLint(
  payload: object | Content, options?: { pushType?: string; headers?: Record<string, string> },
): { type: 'push-lint'; findings: Finding[]; [member: string]: unknown }

/** Which App Clip card URLs show, and what the clip receives. */
export function clipURL(
  urls: string | URL | (string | URL)[], experiences: object | Content,
  options?: { from?: string; os?: string; appInstalled?: boolean },
): Record<string, unknown>[]
