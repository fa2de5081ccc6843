// Node as the module's host: files, terminal, network.
import {
  accessSync, closeSync, constants, fchmodSync, fchownSync, fstatSync, fsyncSync, lstatSync, openSync, readFileSync, readSync, readdirSync,
  realpathSync, renameSync, statSync, unlinkSync, writeFileSync, writeSync,
} from 'node:fs'
import { lookup } from 'node:dns/promises'
import { connect, isIP } from 'node:net'
import { Duplex } from 'node:stream'
import { connect as secure } from 'node:tls'
import { isatty } from 'node:tty'
import { AnswerReader, Malformed } from './answer.mjs'
import { Refusal, addressList, answer, failure } from './host.mjs'

/** The module, compiled once. */
export const module = new WebAssembly.Module(readFileSync(new URL('linkspan.wasm', import.meta.url)))

const words = {
  EACCES: 'Permission denied', EBADF: 'Bad file descriptor', EPERM: 'Operation not permitted', ENOENT: 'No such file or directory',
  EISDIR: 'Is a directory', ENOTDIR: 'Not a directory', ELOOP: 'Too many levels of symbolic links',
  ENAMETOOLONG: 'File name too long', ECONNREFUSED: 'Connection refused', ENETUNREACH: 'Network is unreachable',
  EHOSTUNREACH: 'No route to host', ECONNRESET: 'Connection reset by peer', EPIPE: 'Broken pipe', EROFS: 'Read-only file system', ENXIO: 'No such device or address', ENOSPC: 'No space left on device',
}

/** One byte more than the module takes of a file: it refuses a longer one, and what never ends is not read on. */
const readLimitBytes = (64 << 20) + 1

/** What the system says of an error. */
export const reason = (error) => words[error.code] ?? error.message

function refusing(work) {
  try {
    return work()
  } catch (error) {
    if (!error.code) throw error
    throw new Refusal(reason(error))
  }
}

/** Waits a moment for a descriptor that another program has made non-blocking. */
function pause() { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5) }

function readSome(descriptor, buffer) {
  while (true) {
    try {
      return readSync(descriptor, buffer, 0, buffer.length, null)
    } catch (error) {
      // Windows says so of the end of a pipe.
      if (error.code === 'EOF') return 0
      if (error.code !== 'EAGAIN') throw error
      pause()
    }
  }
}

/** How long a named pipe may have no program at its other end, as the program has it. */
const otherEndWait_ms = 2000

/** The numbers of `Host.Reply`. */
const silentPipe = 3
const device = 4

/** Reads the first bytes of a named pipe; refuses one that no program opens for writing in time. */
function readFirst(descriptor, buffer) {
  const end = Date.now() + otherEndWait_ms
  while (true) {
    try {
      const count = readSync(descriptor, buffer, 0, buffer.length, null)
      if (count > 0) return count
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error
      return readSome(descriptor, buffer)
    }
    if (Date.now() > end) throw new Refusal('', silentPipe)
    pause()
  }
}

/** Whether a path leads to an entry of a folder: that of a descriptor's pipe is a link which leads nowhere. */
function isNamed(path) {
  try {
    return lstatSync(realpathSync(path)).isFIFO()
  } catch {
    return false
  }
}

/** Refuses a device that may never end; somebody may type, and the null device ends at once. */
function refuseDevice(descriptor, entry) {
  if (process.platform === 'win32' || !(entry.isBlockDevice() || entry.isCharacterDevice())) return
  if (isatty(descriptor) || entry.isCharacterDevice() && entry.rdev === statSync('/dev/null').rdev) return
  throw new Refusal('', device)
}

function readBounded(path) {
  // Without O_NONBLOCK, to open a pipe would wait for its other end.
  const descriptor = path === '-' ? 0 : openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const pieces = []
    let size = 0
    if (path !== '-') {
      const entry = fstatSync(descriptor)
      refuseDevice(descriptor, entry)
      // What the writer of a pipe without a name wrote is still there when it has ended, and then the end.
      if (entry.isFIFO() && isNamed(path)) {
        const buffer = Buffer.allocUnsafe(1 << 16)
        size = readFirst(descriptor, buffer)
        pieces.push(buffer.subarray(0, size))
      }
    }
    while (size < readLimitBytes) {
      const buffer = Buffer.allocUnsafe(Math.min(1 << 16, readLimitBytes - size))
      const count = readSome(descriptor, buffer)
      if (count === 0) break
      pieces.push(buffer.subarray(0, count))
      size += count
    }
    return Buffer.concat(pieces, size)
  } finally {
    if (descriptor !== 0) closeSync(descriptor)
  }
}

/**
 * Makes a file that is not there yet, whatever the umask says with the mode of another, and its owner and group where the system
 * allows that, or else readable by all; on the disk when this returns, or gone.
 */
function make(path, bytes, model) {
  const descriptor = openSync(path, 'wx', model ? 0o600 : 0o644)
  try {
    if (model) {
      give(descriptor, -1, model.gid)
      give(descriptor, model.uid, -1)
    }
    fchmodSync(descriptor, model ? model.mode & 0o777 : 0o644)
    writeFileSync(descriptor, bytes)
    fsyncSync(descriptor)
  } catch (error) {
    unlinkSync(path)
    throw error
  } finally {
    closeSync(descriptor)
  }
}

function give(descriptor, user, group) {
  try {
    fchownSync(descriptor, user, group)
  } catch { /* Only root may give a file away. */ }
}

/** What has a path, or undefined. */
function found(path, look) {
  try {
    return look(path)
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw error
  }
}

const kind = (path) => refusing(() => {
  const entry = found(path, statSync)
  return !entry ? 'missing' : entry.isDirectory() ? 'folder' : entry.isFile() ? 'file' : 'special'
})

/** Opens what is there for writing; refuses a named pipe that no program opens for reading in time. */
function openForWriting(path) {
  const end = Date.now() + otherEndWait_ms
  while (true) {
    try {
      return openSync(path, constants.O_WRONLY | (constants.O_NONBLOCK ?? 0))
    } catch (error) {
      if (error.code !== 'ENXIO' || !statSync(path).isFIFO()) throw error
      if (Date.now() > end) throw new Refusal('', silentPipe)
      pause()
    }
  }
}

export const host = {
  read: (path) => refusing(() => readBounded(path)),
  kind,
  /** The same of the place itself: a symbolic link is not followed. */
  entry(path) {
    const entry = refusing(() => found(path, lstatSync))
    return entry?.isSymbolicLink() ? 'link' : entry?.isBlockDevice() ? 'disk' : kind(path)
  },
  access: (path) => refusing(() => {
    accessSync(path, constants.W_OK)
    return ''
  }),
  names: (path) => refusing(() => readdirSync(path).join('\0')),
  resolved(path) {
    try {
      return realpathSync(path)
    } catch {
      return undefined
    }
  },
  write: (path, bytes) => refusing(() => {
    // Whoever opens the file sees all of it or what was there; its mode stays.
    const draft = `${path}.linkspan-${process.pid}`
    make(draft, bytes, found(path, statSync))
    try {
      renameSync(draft, path)
    } catch (error) {
      unlinkSync(draft)
      throw error
    }
    return ''
  }),
  fill: (path, bytes) => refusing(() => {
    const descriptor = openForWriting(path)
    try {
      const entry = fstatSync(descriptor)
      if (entry.isFile() || entry.isBlockDevice()) throw new Refusal('it was replaced while it was opened')
      if (!writeAll(descriptor, bytes)) throw new Refusal(words.EPIPE)
    } finally {
      closeSync(descriptor)
    }
    return ''
  }),
  keepCopy: (path) => refusing(() => {
    for (let number = 1; ; number++) {
      const copy = number === 1 ? `${path}.orig` : `${path}.orig.${number}`
      try {
        make(copy, readFileSync(path), statSync(path))
        return copy
      } catch (error) {
        if (error.code !== 'EEXIST') throw error
      }
    }
  }),
  environment: (name) => process.env[name],
  columns(descriptor) {
    const stream = descriptor === '1' ? process.stdout : process.stderr
    return stream.isTTY ? String(stream.columns || 80) : undefined
  },
  addresses,
  fetch,
}

const certificateFaults = {
  CERT_HAS_EXPIRED: 'expired', ERR_TLS_CERT_ALTNAME_INVALID: 'name', DEPTH_ZERO_SELF_SIGNED_CERT: 'untrusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'untrusted', UNABLE_TO_GET_ISSUER_CERT: 'untrusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'untrusted', UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'untrusted',
}

/** All addresses of a name; the module decides which may be asked. */
async function addresses({ host }) {
  try {
    return addressList((await lookup(host, { all: true, verbatim: true })).map((found) => found.address))
  } catch (error) {
    // Every other code is the resolver's silence, and not its word that the name has no address.
    return error.code === 'ENOTFOUND' ? failure('unresolvable') : failure('lookup', error.code ?? error.message)
  }
}

/** Asks one question at the first of the addresses that takes the connection. */
async function fetch(question) {
  let last = failure('unreachable', 'there is no address to connect to')
  for (const place of question.addresses) {
    const { value, isRefused } = await ask(question, place)
    if (!isRefused) return value
    last = value
  }
  return last
}

/** As the program's library words it. */
const unended = 'The TLS connection was non-properly terminated'

/** A connection for TLS to lie over; `ended` is called when the connection ends, before TLS hears of it. */
function carrier(plain, ended) {
  const carrier = new Duplex({
    read: () => plain.resume(),
    // What fails is told by the connection itself.
    write: (piece, _, done) => plain.write(piece, () => done()),
    final: (done) => plain.end(() => done()),
    destroy: (_, done) => {
      plain.destroy()
      done()
    },
  })
  plain.on('data', (piece) => carrier.push(piece) || plain.pause())
  // What came before has then gone through TLS.
  plain.on('end', () => setImmediate(() => {
    ended()
    carrier.push(null)
  }))
  return carrier
}

/** Asks at one address, follows no redirect, and reads no more than the limit. */
function ask({ url, method, fields, timeout_s, limit_bytes, ca, believes_anyone }, { address, port }) {
  const [, scheme, authority, target] = /^(\w+):\/\/([^/?]*)(.*)$/s.exec(url)
  const name = authority.replace(/:\d*$/, '').replace(/^\[|\]$/g, '')
  const isTLS = scheme === 'https'
  const reader = new AnswerReader(method, limit_bytes)
  return new Promise((resolve) => {
    const plain = connect({ host: address, port })
    let stream = plain
    let certificate
    let isSettled = false
    const settle = (value, isRefused = false) => {
      isSettled = true
      clearTimeout(timer)
      resolve({ value, isRefused })
      stream.destroy()
      plain.destroy()
    }
    const fail = (kind, reason, more = {}) => settle(failure(kind, reason, { certificate, ...more }))
    const timer = setTimeout(() => {
      if (reader.receivedBytes > 0) fail('unfinished', '', { received_bytes: reader.receivedBytes })
      else fail('timeout', '')
    }, timeout_s * 1000)
    const broken = (error) => fail('unreachable', `the connection broke before the answer was whole: ${reason(error)}`)
    /** Takes what the reader makes of something that came. */
    const read = (work) => {
      if (isSettled) return
      try {
        const found = work()
        if (found) settle(answer(found.status, found.fields, found.body, certificate))
      } catch (error) {
        if (!(error instanceof Malformed)) throw error
        fail(error.failure, error.message)
      }
    }
    const begin = () => {
      const own = fields.filter(([field]) => field.toLowerCase() !== 'host').map(([field, value]) => `${field}: ${value}`)
      stream.write([`${method} ${target || '/'} HTTP/1.1`, `Host: ${authority}`, ...own, '', ''].join('\r\n'))
      stream.on('data', (piece) => read(() => reader.append(piece)))
      stream.on('end', () => read(() => reader.end(true)))
    }
    plain.on('error', (error) => {
      if (error.syscall === 'connect') {
        const where = `connecting to ${isIP(address) === 6 ? `[${address}]` : address}:${port}`
        settle(failure('unreachable', `${where}: ${reason(error)}`), true)
      } else if (isTLS && certificate === undefined) {
        fail('handshake', reason(error))
      } else {
        broken(error)
      }
    })
    if (!isTLS) return plain.on('connect', begin)
    plain.on('connect', () => {
      // The end that TLS has is the server's; any other may be that of somebody on the way (RFC 8446, 6.1).
      const over = carrier(plain, () => (certificate === undefined ? fail('handshake', unended) : read(() => reader.end(false))))
      stream = secure({ socket: over, host: name, ca, servername: isIP(name) ? '' : name, rejectUnauthorized: !believes_anyone })
      stream.on('secureConnect', () => {
        certificate = stream.getPeerCertificate().raw?.toString('hex') ?? ''
        begin()
      })
      stream.on('error', (error) => {
        const kind = certificateFaults[error.code] ?? (/^CERT_|_CERT/.test(error.code ?? '') ? 'certificate' : undefined)
        if (kind) fail(kind, error.message)
        else if (/SSL|TLS|EPROTO/.test(error.code ?? '') || certificate === undefined) fail('handshake', error.message)
        else broken(error)
      })
    })
  })
}

/** Writes all of it, also where the reader is slow; false where the reader has gone. */
export function writeAll(descriptor, bytes) {
  let place = 0
  while (place < bytes.length) {
    try {
      place += writeSync(descriptor, bytes, place)
    } catch (error) {
      if (error.code === 'EPIPE') return false
      if (error.code !== 'EAGAIN') throw error
      pause()
    }
  }
  return true
}
