import {
  type Clock,
  coalesce,
  createContext,
  isStream,
  rawJsonFromText,
  type RpcContext,
  RpcError,
  type RpcHandler,
  type RpcRequest,
  type RpcResponse,
  timeout,
  toRpcError,
} from '@wayleave/jsonrpc-core'
import { type StarknetVersion, starknetVersions, versionOf } from '@wayleave/starknet-types'

/** Which version of the interface one Starknet node speaks. */
export interface SpecVersion {
  /** As last heard. */
  readonly known: StarknetVersion | undefined
  /**
   * As heard within five minutes. Else the node is asked, once for all who wait, for 2 s at most and a quarter of a call's time.
   * @throws RpcError whose `delivery` is `not_sent`: of the call itself the node has heard nothing.
   */
  current(context: RpcContext): Promise<StarknetVersion>
  /** Asks in the background where the node never told, at most once in five minutes. */
  learn(): void
  /** Has the version asked again, unless that was done in the last ten seconds: something does not fit the one that is known. */
  doubt(): void
}

/** For how long an answer holds, at most and at least, in ms. */
const freshMs = 300_000
const settledMs = 10_000
/** How long a node may take to answer, in ms. */
const patienceMs = 2_000

const question: RpcRequest = { method: 'starknet_specVersion', params: rawJsonFromText('[]'), notification: false }

export interface SpecVersionOptions {
  readonly clock: Clock
  /** Called once for each version that is newer than all known ones; it is taken for the newest of them. */
  readonly onNewer: (version: string) => void
}

/** Asks `handler` which version it speaks; nothing is asked before the first call. */
export function createSpecVersion(handler: RpcHandler, { clock, onNewer }: SpecVersionOptions): SpecVersion {
  const share = coalesce({ clock, key: ({ method }) => method })(handler)
  const reported = new Set<string>()
  let known: StarknetVersion | undefined
  let askedAt = Number.NEGATIVE_INFINITY
  let learntAt = Number.NEGATIVE_INFINITY
  let isDoubted = false

  async function ask(context: RpcContext): Promise<StarknetVersion> {
    const timeoutMs = Math.min(patienceMs, (context.deadline - clock.now()) / 4)
    try {
      return read(await timeout(timeoutMs, { clock })(share)(question, context))
    } catch (thrown) {
      if (context.cancelled !== undefined) throw context.cancelled
      const { code, message, httpStatus, retryAfterMs } = toRpcError(thrown, 'invalid_response', 'no version was told')
      throw new RpcError(code === 'too_large' ? 'invalid_response' : code, message, {
        delivery: 'not_sent',
        httpStatus,
        retryAfterMs,
        cause: thrown,
      })
    }
  }

  function read({ result, error }: RpcResponse): StarknetVersion {
    // A node that told before is at its limit of calls, say; it does not speak otherwise for that.
    if (error !== undefined && known !== undefined) return known
    if (error !== undefined) throw notReported(`error ${error.code}`)
    if (isStream(result)) {
      result.cancel()
      throw notReported('a long answer')
    }
    const text = result.value()
    if (typeof text !== 'string' || !/^[\w.+-]{1,32}$/.test(text)) throw notReported('something else')
    const version = versionOf(text)
    if (version !== undefined) return version
    if (!isNewer(text)) throw notReported(text)
    if (!reported.has(text) && reported.size < 16) {
      reported.add(text)
      onNewer(text)
    }
    return newest
  }

  async function current(context: RpcContext): Promise<StarknetVersion> {
    if (known !== undefined && !isDoubted && clock.now() - askedAt < freshMs) return known
    known = await ask(context)
    askedAt = clock.now()
    isDoubted = false
    return known
  }

  return {
    get known() {
      return known
    },
    current,
    learn() {
      if (known !== undefined || clock.now() - learntAt < freshMs) return
      learntAt = clock.now()
      const context = createContext({ clock, timeoutMs: 4 * patienceMs })
      const release = (): void => context.release()
      void current(context).then(release, release)
    },
    doubt() {
      if (clock.now() - askedAt >= settledMs) isDoubted = true
    },
  }
}

const newest = starknetVersions.at(-1)!

/** A later minor version: a node that was upgraded is better asked in the newest words than not at all. */
function isNewer(version: string): boolean {
  const minor = /^v?0\.(\d{1,4})(?!\d)/.exec(version)?.[1]
  return minor !== undefined && Number(minor) > Number(newest.split('.')[1])
}

function notReported(got: string): RpcError {
  const expected = `a version of the Starknet RPC from ${starknetVersions[0]!} on`
  return new RpcError('invalid_response', `starknet_specVersion: expected ${expected}, got ${got}`)
}
