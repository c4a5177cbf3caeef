import type { Transform } from 'node:stream'
import zlib from 'node:zlib'
import { type BodyRefusal, GatheredBody, type Hold } from './body.ts'

type Decoder = (body: Uint8Array) => Transform

/** Bytes that a decoder gives at a time. */
const chunkSize = 65_536

/** Reads `deflate` with zlib's head (RFC 9110 §8.4.1.2) and without, as some senders leave it out; the first byte tells. */
const inflate: Decoder = (body) =>
  ((body[0] ?? 0) & 0x0f) === 8 ? zlib.createInflate({ chunkSize }) : zlib.createInflateRaw({ chunkSize })

const decoders: Readonly<Record<string, Decoder>> = {
  gzip: () => zlib.createGunzip({ chunkSize }),
  'x-gzip': () => zlib.createGunzip({ chunkSize }),
  deflate: inflate,
  br: () => zlib.createBrotliDecompress({ chunkSize }),
  // Node has it from 22.15 on.
  ...('createZstdDecompress' in zlib ? { zstd: () => zlib.createZstdDecompress({ chunkSize }) } : {}),
}

/** The encodings in which a body is read, as `Accept-Encoding` lists them. */
export const acceptedEncodings: string = Object.keys(decoders)
  .filter((name) => name !== 'x-gzip')
  .join(', ')

/** Finds the decoder of a `Content-Encoding`, in any case; undefined for an unknown one. */
export function decoderOf(encoding: string): Decoder | undefined {
  const name = encoding.trim().toLowerCase()
  return Object.hasOwn(decoders, name) ? decoders[name] : undefined
}

/** One body to inflate. */
export interface InflateJob {
  /** The project that sent it: projects take turns. */
  readonly project: string
  readonly decode: Decoder
  readonly body: Uint8Array
  /** Longest plain body, in bytes. */
  readonly cap: number
  readonly hold: Hold
  /** Called once, unless the job was given up. */
  readonly done: (plain: Uint8Array | BodyRefusal | 'broken') => void
}

/** Inflates bodies, a few at a time. */
export interface Inflater {
  /** Begins when the job's turn has come. Returns a function that gives it up. */
  inflate(job: InflateJob): () => void
}

/** Creates an inflater of at most `most` bodies at a time. Jobs wait by project, and the projects take turns; each holds its body. */
export function createInflater(most: number): Inflater {
  /** The jobs that wait; the project whose turn is next stands first. */
  const waiting = new Map<string, Set<InflateJob>>()
  let running = 0

  function next(): void {
    while (running < most) {
      const [first] = waiting
      if (first === undefined) return
      const [project, jobs] = first
      const [job] = jobs
      remove(job!)
      if (waiting.delete(project)) waiting.set(project, jobs)
      begin(job!)
    }
  }

  function remove(job: InflateJob): void {
    const jobs = waiting.get(job.project)
    if (jobs?.delete(job) === true && jobs.size === 0) waiting.delete(job.project)
  }

  /** The functions that stop the jobs that run. */
  const stops = new Map<InflateJob, () => void>()

  function begin(job: InflateJob): void {
    running++
    stops.set(
      job,
      run(job, (plain) => {
        end(job)
        job.done(plain)
      }),
    )
  }

  function end(job: InflateJob): void {
    if (!stops.delete(job)) return
    running--
    next()
  }

  return {
    inflate(job) {
      const jobs = waiting.get(job.project)
      if (jobs === undefined) waiting.set(job.project, new Set([job]))
      else jobs.add(job)
      next()
      return () => {
        remove(job)
        stops.get(job)?.()
        end(job)
      }
    },
  }
}

/** Inflates one body. Calls `done` once, unless the function that it returns was called before. */
function run({ decode, body, cap, hold }: InflateJob, done: InflateJob['done']): () => void {
  const stream = decode(body)
  const gathered = new GatheredBody(cap, hold)
  let isOver = false
  const finish = (result?: Uint8Array | BodyRefusal | 'broken'): void => {
    if (isOver) return
    isOver = true
    stream.destroy()
    if (result !== undefined) done(result)
  }
  stream.on('data', (chunk: Buffer) => {
    if (isOver) return
    // A short piece is a part of a long buffer.
    const refused = gathered.add(chunk.byteLength < chunkSize / 2 ? new Uint8Array(chunk) : chunk)
    if (refused !== undefined) finish(refused)
  })
  stream.on('end', () => finish(gathered.bytes))
  stream.on('error', () => finish('broken'))
  stream.end(body)
  return finish
}
