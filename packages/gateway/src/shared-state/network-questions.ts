import { type Clock, type RawJson, rawJsonFromText, rawJsonFromValue, type RpcHandler } from '@wayleave/jsonrpc-core'
import { type PendingSource, withHints } from '@wayleave/network'
import type { Channel } from './channel.ts'
import { askFor, askOver, type WireQuestion } from './rpc-wire.ts'
import { createSharedQuestions } from './shared-questions.ts'

/** A question to the upstreams of a network, for a stream or for fees. */
export interface NetworkQuestion {
  readonly network: string
  /** The groups whose upstreams may be asked; undefined: all. */
  readonly groups: readonly string[] | undefined
  /** Names these groups. */
  readonly tenant: string | undefined
  /** Upstreams that gave answers of no use, by name. */
  readonly tried: readonly string[] | undefined
  readonly question: WireQuestion
}

export interface NetworkQuestionsOptions {
  /** Read anew each time. */
  readonly networks: () => readonly {
    readonly name: string
    readonly nodes: RpcHandler
    readonly pending: PendingSource | undefined
  }[]
  readonly clock: Clock
}

/** Time for which the answer about a block by its hash is kept for workers that come later to it, in ms. */
const blockMs = 10_000

/** Asks what workers need for their streams: each block once for all of them. */
export function createNetworkQuestions({ networks, clock }: NetworkQuestionsOptions): {
  serve(channel: Channel): void
} {
  const questions = createSharedQuestions({ clock })
  return {
    serve(channel) {
      channel.serve('network.ask', (body) => {
        const { network, groups, tenant, tried, question } = body as NetworkQuestion
        const nodes = networks().find(({ name }) => name === network)?.nodes
        if (nodes === undefined) throw new Error('the primary has no such network')
        const { method, params } = question
        const asStream: RpcHandler = (request, context) => {
          return nodes(withHints(request, { isOfStream: true, excludedUpstreams: tried }), context)
        }
        const handler = method === 'eth_feeHistory' ? nodes : asStream
        return questions.ask(
          JSON.stringify([network, groups, tried, method, params]),
          hasHash(params) ? blockMs : 0,
          () => askFor(question, handler, clock, tenant),
        )
      })
      channel.serve('network.pending', (body) => {
        const { network, tenant, question } = body as Pick<NetworkQuestion, 'network' | 'tenant' | 'question'>
        const pending = networks().find(({ name }) => name === network)?.pending
        if (pending === undefined) throw new Error('no upstream of the primary pushes transactions')
        return askFor(question, reportPending(pending), clock, tenant)
      })
    },
  }
}

/** Answers with the place after the transactions, and with the JSON text of these. */
const reportPending =
  (pending: PendingSource): RpcHandler =>
  async ({ params }, context) => {
    const [cursor, isFull] = params!.value() as readonly [string | null, boolean]
    const changes = await pending(cursor ?? undefined, isFull, context)
    return { result: rawJsonFromValue([changes.cursor, changes.result.text()]) }
  }

/** Makes the function by which a worker has its primary tell pending transactions: all workers hear of the same. */
export function remotePending(channel: Pick<Channel, 'ask'>, network: string, clock: Clock): PendingSource {
  return async (cursor, isFull, context) => {
    const params = rawJsonFromValue([cursor ?? null, isFull])
    const request = { method: 'network.pending', params, notification: false }
    const { result } = await askOver(
      channel,
      'network.pending',
      { network, tenant: context.tenant },
      request,
      context,
      clock,
    )
    const [next, text] = (result as RawJson).value() as readonly [string, string]
    return { cursor: next, result: rawJsonFromText(text) }
  }
}

/** Whether params name a block by its hash, so that the answer stays the same. */
function hasHash(params: string | undefined): boolean {
  return params !== undefined && /^\[(?:\{"blockHash":)?"0x[\da-f]{64}"/i.test(params)
}
