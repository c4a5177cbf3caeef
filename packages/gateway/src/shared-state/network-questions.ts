import type { Clock, RpcHandler } from '@wayleave/jsonrpc-core'
import { streamQuestion } from '../network/streams/stream-question.ts'
import { excludedUpstreams } from '../network/excluded-upstreams.ts'
import type { Channel } from './channel.ts'
import { askFor, type WireQuestion } from './rpc-wire.ts'
import { createSharedQuestions } from './shared-questions.ts'

/** A question to the upstreams of a network, for a stream or for fees. */
export interface NetworkQuestion {
  readonly network: string
  /** The groups whose upstreams may be asked; undefined: all. */
  readonly groups: readonly string[] | undefined
  /** Names these groups. */
  readonly lane: string | undefined
  /** Upstreams that gave answers of no use, by name. */
  readonly tried: readonly string[] | undefined
  readonly question: WireQuestion
}

export interface NetworkQuestionsOptions {
  /** Read anew each time. */
  readonly networks: () => readonly { readonly name: string; readonly nodes: RpcHandler }[]
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
        const { network, groups, lane, tried, question } = body as NetworkQuestion
        const nodes = networks().find(({ name }) => name === network)?.nodes
        if (nodes === undefined) throw new Error('the primary has no such network')
        const { method, params } = question
        const asStream: RpcHandler = (request, context) => {
          const own = streamQuestion.on(request, true)
          return nodes(tried === undefined ? own : excludedUpstreams.on(own, tried), context)
        }
        const handler = method === 'eth_feeHistory' ? nodes : asStream
        return questions.ask(
          JSON.stringify([network, groups, tried, method, params]),
          hasHash(params) ? blockMs : 0,
          () => askFor(question, handler, clock, lane),
        )
      })
    },
  }
}

/** Whether params name a block by its hash, so that the answer stays the same. */
function hasHash(params: string | undefined): boolean {
  return params !== undefined && /^\[(?:\{"blockHash":)?"0x[\da-f]{64}"/i.test(params)
}
