// The language server: the module runs on a thread of its own, so that it can ask, while it works, whether the client has sent
// something in the meantime.
import { MessageChannel, Worker, isMainThread, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { runOnce } from './host.mjs'
import { host, module, writeAll } from './node.mjs'

/** Hands standard input on until the server ends; resolves to its status. */
export function serve(words) {
  // Counts what was sent.
  const sent = new Int32Array(new SharedArrayBuffer(4))
  const { port1: out, port2: port } = new MessageChannel()
  const worker = new Worker(new URL(import.meta.url), { workerData: { words, sent, port }, transferList: [port] })
  const give = (bytes) => {
    out.postMessage(bytes)
    Atomics.add(sent, 0, 1)
    Atomics.notify(sent, 0)
  }
  // No bytes stand for the end.
  const end = () => give(new Uint8Array(0))
  process.stdin.on('data', give).once('end', end).once('error', end)
  return new Promise((resolve, reject) => {
    worker.once('error', reject)
    worker.once('exit', (status) => {
      out.close()
      process.stdin.destroy()
      resolve(status)
    })
  })
}

function work({ words, sent, port }) {
  let taken = 0
  const input = (manner) => {
    while (true) {
      const count = Atomics.load(sent, 0)
      if (count !== taken) {
        taken++
        return receiveMessageOnPort(port).message
      }
      if (manner === 'poll') return undefined
      Atomics.wait(sent, 0, count)
    }
  }
  const put = (stream, bytes) => writeAll(stream, bytes)
  return runOnce(module, words, { ...host, input, put }).status
}

if (!isMainThread) process.exit(work(workerData))
