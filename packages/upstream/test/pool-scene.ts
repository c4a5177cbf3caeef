import {
  createContext,
  type RpcContext,
  RpcError,
  type RpcErrorCode,
  type RpcHandler,
  type RpcRequest,
  type RpcResponse,
} from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import {
  createCallSlots,
  createCandidate,
  createPool,
  createProber,
  createSelection,
  createUpstreamHealth,
  type PoolOptions,
  type SelectionOptions,
  type UpstreamHealthOptions,
} from '@wayleave/upstream'
import { call } from './support.ts'

export const read = call('eth_chainId')
export const write = call('eth_sendRawTransaction', ['0x'])
const isRead = ({ method }: RpcRequest): boolean => method === read.method

/** Lets everything happen that waits for no time. */
export const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

export interface SceneOptions extends Partial<Omit<PoolOptions, 'selection' | 'slots'>> {
  readonly selection?: Partial<SelectionOptions>
  readonly health?: Partial<UpstreamHealthOptions>
  /** The names of those that can push. */
  readonly pushing?: string
  /** The names of fallbacks. */
  readonly fallbacks?: string
  /** The groups of an upstream. Default: it is in none. */
  readonly groupsOfName?: (name: string) => readonly string[]
  readonly perEndpoint?: number
  /** Answers probes. Default: none is sent. */
  readonly probe?: (name: string) => Promise<unknown>
}

/** A pool over `handlers`, named a, b, c, which are asked in this order while they are well; the log tells who was asked. */
export function scene(handlers: readonly RpcHandler[], options: SceneOptions = {}) {
  const { selection: selecting, health: healthOptions, perEndpoint = 160, probe, ...pooling } = options
  const { pushing = '', fallbacks = '', groupsOfName } = options
  const clock = new FakeClock()
  const asked: string[] = []
  const failures: string[] = []
  const prober = probe && createProber({ clock, probe })
  const candidates = handlers.map((handler, i) => {
    const name = 'abcdefghij'[i]!
    const endpoint = {
      name,
      carriesSubscriptions: pushing.includes(name),
      handler: (request: RpcRequest, context: RpcContext): Promise<RpcResponse> => {
        asked.push(name)
        return handler(request, context)
      },
    }
    const health = createUpstreamHealth({ name, ...(prober && { onProbeDue: prober.schedule }), ...healthOptions })
    const tier = fallbacks.includes(name) ? 'fallback' : 'primary'
    return createCandidate({ endpoint, health, slots: perEndpoint, tier, groups: groupsOfName?.(name) })
  })
  const selection = createSelection({ candidates, random: () => 0, order: (eligible) => eligible, ...selecting })
  const slots = createCallSlots({ clock, perEndpoint })
  const pool = createPool({
    selection,
    slots,
    clock,
    isRepeatable: isRead,
    opensSubscription: ({ method }) => method === 'eth_subscribe',
    onFailure: ({ name }, kind) => failures.push(`${name} ${kind}`),
    ...pooling,
  })
  const context = createContext({ clock, timeoutMs: 30_000 })
  return {
    pool,
    clock,
    asked,
    failures,
    context,
    selection,
    candidates,
    slots,
    /** Returns who was asked since it was last called. */
    take: () => asked.splice(0).join(''),
    /** Slots that are taken. */
    held: () => candidates.reduce((sum, it) => sum + it.slots.capacity - it.slots.free, 0),
    /** Calls that the records of health count as on their way. */
    pending: () => candidates.reduce((sum, { health }) => sum + health.inFlight, 0),
    /** Moves time on in small steps, so that calls can go on meanwhile. */
    async pass(ms: number, stepMs = 10): Promise<void> {
      for (let left = ms; left > 0; left -= stepMs) {
        clock.advance(Math.min(left, stepMs))
        await settled()
      }
    },
  }
}

export const failing =
  (code: RpcErrorCode, options: ConstructorParameters<typeof RpcError>[2] = {}): RpcHandler =>
  async () => {
    throw new RpcError(code, `failed: ${code}`, options)
  }

/** An upstream that never answers; `cancelled` holds the reason of each attempt that was ended. */
export function hanging() {
  const cancelled: RpcError[] = []
  const handler: RpcHandler = (_request, context) =>
    new Promise((_resolve, reject) => {
      context.onCancel((why) => {
        cancelled.push(why)
        reject(why)
      })
    })
  return { handler, cancelled }
}

/** An upstream that answers when it is told to. */
export function held() {
  const open: { readonly answer: (response: RpcResponse) => void; readonly fail: (why: RpcError) => void }[] = []
  const handler: RpcHandler = (_request, context) =>
    new Promise((answer, fail) => {
      open.push({ answer, fail })
      context.onCancel(fail)
    })
  return { handler, open }
}

export const reporting =
  (code: number, message: string): RpcHandler =>
  async () => ({ error: { code, message } })

/** A stream of one chunk; `cancelled` counts how often it was ended by its reader. */
export function streaming(fails = false) {
  const it = { cancelled: 0 }
  const handler: RpcHandler = async () => ({
    result: {
      streaming: true,
      cancel: () => void it.cancelled++,
      async *[Symbol.asyncIterator]() {
        yield new Uint8Array(8)
        if (fails) throw new RpcError('disconnected', 'the response ended within its result')
      },
    },
  })
  return { it, handler }
}
