// Reads one HTTP/1.1 answer: strict and bounded as `HTTP1ResponseParser` of the program, with its words, which Node's own reader
// has not. `answer.py` is the same for Python.

/** The answer breaks HTTP, or is longer than a number can say. */
export class Malformed extends Error {
  constructor(reason, failure = 'malformed') {
    super(reason)
    this.failure = failure
  }
}

// Those of the program: `HTTPLimits`, `SiteFetcher`, `HTTP1ResponseParser` and `ChunkedBody`.
const fieldLimit = 100
const headerLimitBytes = 65_536
const interimLimit = 8
const statusLineLimitBytes = 1_024
const sizeLineLimitBytes = 256
const extensionsLimitBytes = 1_024

const tokenForm = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const isControlled = (text) => /[\0-\x08\x0a-\x1f\x7f]/.test(text)
const decoded = (text) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.from(text, 'latin1'))

/** Without blanks at its ends; a pattern would take the square of their number. */
function trimmed(text) {
  const isBlank = (place) => text[place] === ' ' || text[place] === '\t'
  let [low, high] = [0, text.length]
  while (low < high && isBlank(low)) low++
  while (high > low && isBlank(high - 1)) high--
  return text.slice(low, high)
}

const ofLine = (what) => ({ tooLong: `${what} is too long`, bare: `${what} does not end in CRLF` })

/** What has come and is not read yet; a generator that needs more yields. */
class Input {
  constructor() { this.bytes = Buffer.alloc(0) }

  /** The next line without its end, a character for each byte. */
  * line(limitBytes, { tooLong, bare }) {
    let searched = 0
    while (true) {
      const end = this.bytes.indexOf(10, searched)
      if ((end < 0 ? this.bytes.length : end) > limitBytes) throw new Malformed(tooLong)
      if (end >= 0) {
        if (this.bytes[end - 1] !== 13) throw new Malformed(bare)
        const line = this.bytes.toString('latin1', 0, end - 1)
        this.bytes = this.bytes.subarray(end + 1)
        return line
      }
      searched = this.bytes.length
      yield
    }
  }

  take(limitBytes) {
    const taken = this.bytes.subarray(0, limitBytes)
    this.bytes = this.bytes.subarray(taken.length)
    return taken
  }
}

/** The fields of a section, up to its empty line. */
function * section(input, words) {
  const fields = []
  let left = headerLimitBytes
  while (true) {
    const line = yield * input.line(Math.max(1, left - 1), words)
    if (line === '') return fields
    left -= line.length + 2
    if (fields.length === fieldLimit) throw new Malformed(words.tooMany)
    const colon = line.indexOf(':')
    const [name, value] = [line.slice(0, Math.max(0, colon)), trimmed(line.slice(colon + 1))]
    if (!tokenForm.test(name) || isControlled(value)) throw new Malformed(words.invalid)
    fields.push([name, decoded(value)])
  }
}

const header = {
  tooLong: `the header section is larger than ${headerLimitBytes} bytes`, bare: 'a header line does not end in CRLF',
  tooMany: `there are more than ${fieldLimit} header fields`, invalid: 'a header field is not valid',
}
const trailer = {
  tooLong: 'the trailer section is too large', bare: 'a trailer line does not end in CRLF',
  tooMany: 'the trailer section is too large', invalid: 'a trailer field is not valid',
}

/** How the body ends: after some bytes, after a chunk of none, or (undefined) with the connection. */
function framing(fields) {
  const values = (name) => fields.filter(([other]) => other.toLowerCase() === name).map(([, value]) => value)
  const lengths = values('content-length')
  const codings = values('transfer-encoding')
  if (codings.length > 0) {
    if (lengths.length > 0) throw new Malformed('Content-Length and Transfer-Encoding exclude each other')
    const names = codings.join(',').split(',').map(trimmed).filter((name) => name)
    if (names.length !== 1 || !/^chunked$/i.test(names[0])) throw new Malformed('the transfer coding is not chunked')
    return 'chunked'
  }
  if (lengths.length > 1) throw new Malformed('there is more than one Content-Length field')
  if (lengths.length === 1 && !/^[0-9]+$/.test(lengths[0])) throw new Malformed('Content-Length is not a number')
  return lengths.length === 1 ? Number(lengths[0]) : undefined
}

/** An answer to one question, read as its bytes come. */
export class AnswerReader {
  receivedBytes = 0
  #input = new Input()
  #begun = false
  /** With what has come of the body, where only the end of the connection ends it. */
  #open
  #work

  constructor(method, limitBytes) { this.#work = this.#read(method, limitBytes) }

  /** The answer when it is whole, or as long as the limit: status, fields and body. */
  append(bytes) {
    this.receivedBytes += bytes.length
    this.#input.bytes = Buffer.concat([this.#input.bytes, bytes])
    const { done, value } = this.#work.next()
    return done ? value : undefined
  }

  /** The answer when the connection has ended. */
  end(isTrusted) {
    if (this.#open && isTrusted) return this.#open()
    throw new Malformed(this.receivedBytes === 0 ? 'the connection closed without an answer' : 'the connection closed in the middle of the answer')
  }

  * #read(method, limitBytes) {
    const input = this.#input
    for (let interim = 0; ; interim++) {
      if (interim > interimLimit) throw new Malformed('too many interim answers')
      const line = yield * input.line(statusLineLimitBytes, ofLine('the status line'))
      const [, digits, rest] = /^HTTP\/1\.[0-9] ([1-9][0-9]{2})( .*)?$/s.exec(line) ?? []
      if (digits === undefined || isControlled(rest ?? '')) throw new Malformed("the answer does not begin with 'HTTP/1.1' and a status")
      const status = Number(digits)
      const fields = yield * section(input, header)
      if (status === 101) throw new Malformed('the answer changes to another protocol')
      if (status < 200) continue
      const pieces = []
      let size = 0
      const answer = () => ({ status, fields, body: Buffer.concat(pieces, size).subarray(0, limitBytes) })
      /** Moves bytes to the body; the number that is missing of them, or of the limit. */
      const move = (count) => {
        const piece = input.take(count)
        pieces.push(piece)
        size += piece.length
        return piece.length
      }
      const end = framing(fields)
      if (method === 'HEAD' || status === 204 || status === 304) return answer()
      if (end === 'chunked') {
        yield * this.#chunks(move, () => size >= limitBytes)
        return answer()
      }
      if (end === undefined) this.#open = answer
      const wanted = Math.min(end ?? Infinity, limitBytes)
      while (true) {
        move(wanted - size)
        if (size === wanted) return answer()
        yield
      }
    }
  }

  /** Moves the data of chunks until their end, or until it is enough. */
  * #chunks(move, isEnough) {
    const input = this.#input
    let extensionBytes = 0
    while (true) {
      const line = yield * input.line(sizeLineLimitBytes, ofLine('a chunk size line'))
      const [, digits, extension] = /^([0-9A-Fa-f]+)(;.*)?$/s.exec(line) ?? []
      if (digits === undefined || isControlled(extension ?? '')) throw new Malformed('a chunk size is not valid')
      if (BigInt(`0x${digits}`) >> 63n) throw new Malformed('', 'large')
      extensionBytes += (extension ?? '').length
      if (extensionBytes > extensionsLimitBytes) throw new Malformed('chunk extensions are too long')
      let left = Number.parseInt(digits, 16)
      if (left === 0) break
      while (true) {
        left -= move(left)
        if (isEnough()) return
        if (left === 0) break
        yield
      }
      const wrong = "a chunk's data does not end in CRLF"
      if ((yield * input.line(1, { tooLong: wrong, bare: wrong })) !== '') throw new Malformed(wrong)
    }
    yield * section(input, trailer)
  }
}
