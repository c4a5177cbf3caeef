import type { ByteStream } from '../backend.ts'
import { systemClock } from '../defaults.ts'
import { IpfsError } from '../error.ts'
import type { IpfsAnswer, IpfsHandler, IpfsHandlerOptions, IpfsRequest } from './api.ts'
import type { Call, CallServices, Command } from './call.ts'
import { createCharges } from './charges.ts'
import { commandAt } from './commands.ts'
import { createDeadline } from './deadline.ts'
import { boundaryOf, readParts } from './multipart.ts'
import { type CommandOptions, readDuration, readOptions } from './options.ts'
import { createParts } from './parts.ts'
import { createPinClaims } from './pin-claims.ts'
import { createPinLeases } from './pin-leases.ts'
import { readWhole } from '../read-whole.ts'
import { answerOf, Refusal, refusal } from './refusal.ts'
import { createStorage, noStorage } from './storage.ts'
import { createTransfer } from './transfer.ts'

/**
 * Creates the IPFS HTTP API over a backend: projects, their pins and quotas, Kubo's statuses, headers and lines. Source: Spec §4.12,
 * Kubo RPC `/api/v0`.
 */
export function createIpfsHandler(options: IpfsHandlerOptions): IpfsHandler {
  const { backend, ledger, clock = systemClock, maxRequestBytes = 100_000_000, timeoutMs = 60_000 } = options
  const claims = createPinClaims(ledger)
  const leases = createPinLeases({ backend, ledger, clock, timeoutMs })
  const storages = createStorage({ backend, ledger, maxBlocks: options.maxBlocks ?? 1_200_000 })
  const charges = createCharges(ledger, clock)
  const parts = createParts(options.maxParts ?? 1_000_000)
  const services: CallServices = { backend, ledger, claims, leases, clock, timeoutMs }

  /** Runs a command. Rejects if it fails before its answer begins; what it holds is freed when the answer ends. */
  async function run(command: Command, request: IpfsRequest): Promise<IpfsAnswer> {
    const transfer = createTransfer({ charges, clock, maxRequestBytes }, request)
    const contentType = request.headers['content-type']
    const more = command.bodyArguments === true ? await readBodyArguments(contentType, transfer.upload) : []
    const commandOptions = readOptions(request.query, command, more)
    const totalMs = timeoutOf(commandOptions)
    const deadline = createDeadline({ clock, signal: request.signal, totalMs, waitMs: timeoutMs })
    let storage = noStorage
    const ownParts = parts.open()
    // A backend may put an error that its streams threw into words of its own.
    const explain = (thrown: unknown): unknown => {
      const reason = transfer.refused() ?? ownParts.refused() ?? storage.refused() ?? deadline.exceeded() ?? thrown
      if (!(reason instanceof IpfsError) && !(reason instanceof Refusal)) options.onError?.(thrown, request)
      return reason
    }
    const end = (isDone: boolean): Promise<void> => {
      deadline.end()
      ownParts.end()
      return storage.end(isDone)
    }
    try {
      if (command.stores === true)
        storage = await storages.open(
          request.project,
          commandOptions.bool('only-hash') === true ? 0 : Math.min(transfer.declaredBytes, maxRequestBytes),
        )
      const call: Call = {
        ...services,
        ...deadline,
        ...transfer,
        options: commandOptions,
        project: request.project,
        storage,
        parts: ownParts,
        contentType,
        backendCall: { signal: deadline.signal, staged: storage.staged, lane: request.project.id },
      }
      const answer = await command.run(call)
      if (typeof answer.body !== 'string') return { ...answer, body: closing(answer.body, explain, deadline.end, end) }
      await end(true)
      return answer
    } catch (thrown) {
      const reason = explain(thrown)
      await end(false)
      return answerOf(reason)
    }
  }

  async function answerCall(request: IpfsRequest): Promise<IpfsAnswer> {
    try {
      if (request.method !== 'POST') throw refusal(405, '405 - Method Not Allowed\n', { Allow: 'OPTIONS, POST' })
      if (!request.project.hasBillingCard) throw refusal(403, 'billing card required')
      return await run(commandAt(request.path), request)
    } catch (thrown) {
      return answerOf(thrown)
    }
  }

  return Object.assign(answerCall, { close: charges.close, [Symbol.asyncDispose]: charges.close })
}

const maxArgumentBytes = 1_048_576

/**
 * Reads a multipart body to its end and returns the lines of its first file; none if there is no such body.
 * Source: go-ipfs-cmds `arguments.go`.
 */
async function readBodyArguments(
  contentType: string | undefined,
  upload: () => Promise<ByteStream>,
): Promise<readonly string[]> {
  const boundary = boundaryOf(contentType)
  if (boundary === undefined) return []
  let lines: readonly string[] | undefined
  for await (const { content } of readParts(await upload(), { boundary, maxParts: 10, maxHeaderBytes: 16_384 })) {
    if (lines !== undefined) continue
    const bytes = await readWhole(content, maxArgumentBytes, `arguments may have ${maxArgumentBytes} bytes`)
    lines = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString().split(/\r?\n/)
  }
  return lines?.at(-1) === '' ? lines.slice(0, -1) : (lines ?? [])
}

function timeoutOf(options: CommandOptions): number | undefined {
  const text = options.string('timeout')
  if (text === undefined || text === '') return undefined
  const ms = readDuration(text)
  if (ms === undefined)
    throw refusal(400, `could not read the timeout ${JSON.stringify(text.slice(0, 64))}: expected 10s or 1m30s\n`)
  return ms
}

/** Calls `onEnd` once the stream has ended, was left, or broke off; also if it never began. `onLeave` comes first, when it is left. */
function closing(
  source: AsyncIterator<Uint8Array>,
  explain: (thrown: unknown) => unknown,
  onLeave: () => void,
  onEnd: (isDone: boolean) => Promise<void>,
): AsyncIterableIterator<Uint8Array> {
  const stream: AsyncIterableIterator<Uint8Array> = {
    async next() {
      try {
        const step = await source.next()
        if (step.done === true) await onEnd(true)
        return step
      } catch (thrown) {
        const reason = explain(thrown)
        await onEnd(false)
        throw reason
      }
    },
    async return() {
      onLeave()
      try {
        await source.return?.()
      } catch (thrown) {
        // The caller has left, but the service still reports it.
        explain(thrown)
      }
      await onEnd(false)
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]: () => stream,
  }
  return stream
}
