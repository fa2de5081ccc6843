// Runs the module: one instance for each command, so that nothing is left of the one before. It knows neither Node nor a page;
// `host` is where files, network and terminal are.

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true })

// The numbers of `Host.Question`.
const questions = ['read', 'kind', 'names', 'resolved', 'write', 'environment', 'columns', 'fetch', 'keepCopy', 'addresses', 'input',
  'entry', 'fill', 'access']

// Those that ask the network.
const waiting = new Set(['fetch', 'addresses'])

/** A question to the network, which a run cannot wait for. */
export class Unanswered extends Error {
  constructor(name, question) {
    super(question)
    this.name = name
    this.question = question
  }
}

class Ended extends Error {
  constructor(status) {
    super('ended')
    this.status = status
  }
}

/** What a host answers where it refuses, with the reason as the system words it, or the number of one that the module words. */
export class Refusal extends Error {
  constructor(reason, kind = 1) {
    super(reason)
    this.kind = kind
  }
}

function joined(pieces) {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
  let place = 0
  for (const piece of pieces) {
    whole.set(piece, place)
    place += piece.length
  }
  return whole
}

/** What ends a word of the command line, and halves of characters, which UTF-8 has not. */
const noText = /[\0\ud800-\udfff]/u

const escaped = (text) => text.replace(new RegExp(noText, 'gu'), (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`)

function reply(host, name, bytes, answers) {
  if (waiting.has(name)) {
    const question = decoder.decode(bytes)
    if (!answers.has(question)) throw new Unanswered(name, question)
    return answers.get(question)
  }
  if (name === 'write' || name === 'fill') {
    const end = bytes.indexOf(0)
    return host[name]?.(decoder.decode(bytes.subarray(0, end)), bytes.slice(end + 1))
  }
  return host[name]?.(decoder.decode(bytes))
}

/**
 * Runs a command once.
 *
 * @param {WebAssembly.Module} module
 * @param {string[]} words what a person would type behind `linkspan`
 * @param {object} host
 * @param {Map<string, Uint8Array>} answers of the network, by question
 * @returns {{status: number, stdout: Uint8Array, stderr: Uint8Array}}
 */
export function runOnce(module, words, host, answers = new Map()) {
  const streams = { 1: [], 2: [] }
  const put = host.put ?? ((stream, bytes) => streams[stream].push(bytes))
  let memory
  let held = new Uint8Array(0)
  const bytesAt = (place, count) => new Uint8Array(memory.buffer, place >>> 0, count)
  const instance = new WebAssembly.Instance(module, {
    linkspan: {
      ask(number, place, count) {
        let kind = 0
        let value
        try {
          value = reply(host, questions[number - 1], bytesAt(place, count), answers)
        } catch (error) {
          if (!(error instanceof Refusal)) throw error
          kind = error.kind
          value = error.message
        }
        if (value === undefined || value === null) kind = 2
        const bytes = typeof value === 'string' ? encoder.encode(value) : (value ?? new Uint8Array(0))
        held = new Uint8Array(bytes.length + 1)
        held[0] = kind
        held.set(bytes, 1)
        return held.length
      },
      take(place) { bytesAt(place, held.length).set(held) },
      write(stream, place, count) { put(stream, bytesAt(place, count).slice()) },
      exit(status) { throw new Ended(status) },
      number: (place, count) => Number(decoder.decode(bytesAt(place, count))),
    },
  })
  memory = instance.exports.memory
  const unusable = words.find((word) => noText.test(word))
  if (unusable !== undefined) {
    put(2, encoder.encode(`linkspan: error: the argument '${escaped(unusable)}' is not text that a command line can hold.\n`))
    return { status: 2, stdout: joined(streams[1]), stderr: joined(streams[2]) }
  }
  const line = encoder.encode(words.map((word) => word + '\0').join(''))
  const place = instance.exports.malloc(line.length)
  bytesAt(place, line.length).set(line)
  let status
  try {
    status = instance.exports.linkspan_run(place, line.length)
  } catch (error) {
    if (error instanceof Unanswered) throw error
    if (error instanceof Ended) {
      status = error.status
    } else {
      // The engine's stack or memory is at its end, or the module stopped at a broken assumption of its own.
      status = 2
      put(2, encoder.encode(`linkspan: error: the WebAssembly module stopped: ${error.message}\n`))
    }
  }
  return { status, stdout: joined(streams[1]), stderr: joined(streams[2]) }
}

/** Runs a command, and again with each answer of the network that it asks for. */
export async function run(module, words, host) {
  const answers = new Map()
  // Standard input and a shell's <(…) can be read once.
  const read = new Map()
  const patient = {
    ...host,
    read(path) {
      if (path !== '-' && host.kind(path) !== 'special') return host.read(path)
      if (!read.has(path)) {
        try {
          read.set(path, host.read(path))
        } catch (error) {
          read.set(path, error)
        }
      }
      const found = read.get(path)
      if (found instanceof Error) throw found
      return found
    },
  }
  while (true) {
    try {
      return runOnce(module, words, patient, answers)
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error
      const ask = host[error.name]
      const found = ask ? await ask(JSON.parse(error.question)) : failure('unreachable', 'the network is not asked')
      answers.set(error.question, found)
    }
  }
}

/** An answer of the network as the module reads it; the server's certificate is hexadecimal DER. */
export function answer(status, fields, body, certificate) {
  return joined([encoder.encode(JSON.stringify({ status, fields, certificate }) + '\n'), body])
}

/** Why there is none. */
export function failure(failure, reason = '', more = {}) {
  return encoder.encode(JSON.stringify({ failure, reason, ...more }) + '\n')
}

/** The addresses of a name. */
export function addressList(addresses) {
  return encoder.encode(JSON.stringify({ addresses }) + '\n')
}

/** What a value is. Not `instanceof`: a test runner or a frame has classes of its own. */
export const tag = (value) => Object.prototype.toString.call(value).slice(8, -1)

/** The bytes of a text or of bytes; every other view of memory means something else. */
export function bytesOf(content, name) {
  if (typeof content === 'string') return encoder.encode(content)
  if (tag(content) === 'Uint8Array') return content
  throw new TypeError(`'${name}': expected a string or a Uint8Array, got ${typeof content === 'object' ? tag(content) : typeof content}`)
}

/** A path without '.', '..' and empty parts. */
function plain(path) {
  const parts = []
  for (const part of path.split('/')) {
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return (path.startsWith('/') ? '/' : '') + parts.join('/')
}

/** Files in memory as a host: names and their text or bytes. */
export function memoryHost(files = {}, { stdin = '', columns, environment = {} } = {}) {
  const all = new Map()
  // The names as they were given, by the paths that they stand for.
  const given = new Map()
  for (const [name, content] of Object.entries(files)) {
    if (noText.test(name)) throw new TypeError(`'${escaped(name)}': no file has this name`)
    if (given.has(plain(name))) throw new TypeError(`'${given.get(plain(name))}' and '${name}' are the same file`)
    all.set(name, bytesOf(content, name))
    given.set(plain(name), name)
  }
  const input = bytesOf(stdin, 'stdin')
  // Only a folder's path may end with a slash or a dot.
  const named = (path) => (/(^|\/)\.{0,2}$/.test(path) ? undefined : given.get(plain(path)))
  const below = (path) => {
    const folder = plain(path)
    const start = folder === '' || folder === '/' ? folder : folder + '/'
    return [...given.keys()].filter((name) => name.startsWith(start) && (start !== '' || !name.startsWith('/')))
      .map((name) => name.slice(start.length).split('/')[0])
  }
  const kind = (path) => {
    if (named(path) !== undefined) return 'file'
    return path !== '' && below(path).length > 0 ? 'folder' : 'missing'
  }
  return {
    files: all,
    read: (path) => (path === '-' ? input : all.get(named(path))),
    kind,
    entry: kind,
    names: (path) => [...new Set(below(path))].join('\0'),
    resolved: (path) => (named(path) === undefined ? undefined : path),
    write(path, bytes) {
      const name = named(path) ?? path
      all.set(name, bytes)
      given.set(plain(name), name)
      return ''
    },
    environment: (name) => (environment[name] === undefined ? undefined : String(environment[name])),
    columns: () => (columns ? String(columns) : undefined),
  }
}
