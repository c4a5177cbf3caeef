import type { Plan, UpstreamPlan } from '../plan.ts'
import { answerOf, logsIn, matcher, type NodeAnswer } from './answers.ts'
import type { Chain } from './chain.ts'
import { type LabTransaction, transactionOf } from './evm/transactions.ts'
import { createFaults, type Faults } from './faults.ts'
import type { Journal } from './journal.ts'
import { twisted } from './lies.ts'
import { createNodeView, type Move, type NodeView } from './node-view.ts'
import { streamOf } from './random.ts'
import type { Tally } from './tally.ts'
import type { VirtualClock } from './virtual-clock.ts'
import { wordsOf } from './words.ts'

/** One time that a node was given a transaction. */
export interface Sending {
  readonly upstream: string
  readonly hash: string
  readonly at: number
  /** Whether it went on to the network. */
  readonly isAccepted: boolean
  /** When its answer had reached the gateway whole; undefined: it never did. */
  answeredAt: number | undefined
}

/** A call that has reached a node, and what becomes of it. */
interface Served {
  readonly answer: NodeAnswer | 'nothing' | 'reset'
  /** Present for a call that sends a transaction. */
  readonly sending?: Sending
}

/** The node behind an upstream, below its transports. */
export interface LabNode {
  readonly plan: UpstreamPlan
  readonly faults: Faults
  readonly chain: NodeView
  /** Time from a call to its answer, in ms, drawn anew. */
  latency(): number
  serve(method: string, params: readonly unknown[]): Served
  /** Takes a transaction from another node. */
  hear(transaction: LabTransaction): void
  /** Opens a subscription; `push` gets its events. Returns its id, or undefined for a kind that it has not. */
  subscribe(kind: unknown, filter: unknown, push: (result: unknown) => void): string | undefined
  unsubscribe(id: string): boolean
  /** Calls back whenever its faults change. Returns a function that forgets it. */
  onChange(listener: () => void): () => void
}

export interface NodeOptions {
  readonly plan: Plan
  readonly upstream: UpstreamPlan
  readonly chain: Chain
  readonly clock: VirtualClock
  readonly journal: Journal
  /** Carries a transaction to the network. */
  readonly gossip: (transaction: LabTransaction, from: string) => void
  readonly onSending: (sending: Sending) => void
  readonly tally: Tally
}

type Follower = (move: Move, heard?: LabTransaction) => void

export function createNode({ plan, upstream, chain, clock, journal, gossip, onSending, tally }: NodeOptions): LabNode {
  const { name, client } = upstream
  const random = streamOf(plan.seed, `node ${name}`)
  const words = wordsOf(client)
  const listeners = new Set<() => void>()
  const followers = new Map<string, Follower>()
  const closers = new Map<string, () => void>()
  let subscriptions = 0

  const faults = createFaults(plan, name, {
    clock,
    journal,
    onChange() {
      view.refresh()
      for (const listener of listeners) listener()
    },
  })
  const view = createNodeView({
    plan,
    upstream,
    chain,
    faults,
    clock,
    onMove(move) {
      for (const follow of followers.values()) follow(move)
    },
  })

  function hear(transaction: LabTransaction): void {
    const { hash } = transaction
    if (view.pool.has(hash) || view.view().find(hash) !== undefined) return
    view.pool.set(hash, transaction)
    for (const follow of followers.values()) follow({ removed: [], added: [] }, transaction)
  }

  function send(raw: unknown): Served {
    const transaction = typeof raw === 'string' ? transactionOf(raw) : undefined
    if (transaction === undefined)
      return { answer: { error: words.invalidParams('rlp: element is larger than containing list') } }
    const { hash, id } = transaction
    const isKnown = view.pool.has(hash)
    const isMined = view.view().find(hash) !== undefined
    const isElsewhere = faults.active('other_chain') !== undefined
    const isAccepted = !isKnown && !isMined && !isElsewhere
    const sending: Sending = { upstream: name, hash, at: clock.now(), isAccepted, answeredAt: undefined }
    onSending(sending)
    journal.note(name, 'sent', `${id} ${hash.slice(0, 10)}${isAccepted ? '' : ', not taken'}`)
    if (isAccepted) {
      hear(transaction)
      // A liar tells nobody.
      if (view.isTrue) gossip(transaction, name)
    }
    if (faults.meets('accept_then_reset') !== undefined) return { answer: 'reset', sending }
    if (faults.meets('accept_then_hang') !== undefined) return { answer: 'nothing', sending }
    if (isElsewhere) return { answer: { error: { code: -32000, message: 'invalid sender' } }, sending }
    if (isMined) return { answer: { error: words.nonceTooLow() }, sending }
    if (isKnown || faults.meets('already_known') !== undefined)
      return { answer: { error: words.alreadyKnown() }, sending }
    return { answer: { result: hash }, sending }
  }

  function read(method: string, params: readonly unknown[]): NodeAnswer {
    tally.asked(method, params)
    const now = view.view()
    const failing = faults.meets('error_words')
    if (failing !== undefined)
      return { error: failures[(failing.variant ?? 0) % failures.length]!(words, now.head.number) }
    const empty = faults.meets('empty')
    if (empty !== undefined && (empty.variant ?? 0) < 2) return { result: empty.variant === 1 ? [] : null }
    const answer = answerOf(now, method, params)
    const lie = faults.meets('lie')
    if (lie === undefined || 'error' in answer) return answer
    return { result: twisted(lie.variant ?? 0, method, params, answer.result, now) }
  }

  const node: LabNode = {
    plan: upstream,
    faults,
    chain: view,
    latency: () => upstream.latencyMs * (0.5 + random()) * (random() < 0.02 ? 4 : 1),
    serve: (method, params) =>
      method === 'eth_sendRawTransaction' ? send(params[0]) : { answer: read(method, params) },
    hear,
    subscribe(kind, filter, push) {
      const follower = followerOf(kind, filter, (result) => {
        const lie = faults.active('lie')
        const method = `eth_subscription ${String(kind)}`
        push(lie === undefined ? result : twisted(lie.variant ?? 0, method, [], result, view.view()))
      })
      if (follower === undefined) return undefined
      const id = `0x${(++subscriptions).toString(16).padStart(32, '0')}`
      followers.set(id, follower)
      closers.set(id, tally.opened(name, filter === true ? `${String(kind)} in full` : String(kind)))
      return id
    },
    unsubscribe(id) {
      closers.get(id)?.()
      closers.delete(id)
      return followers.delete(id)
    },
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
  let announced = 0
  let learnt = 0
  let hasMissed = false
  chain.onHead((block) => {
    const nth = ++announced
    clock.after(upstream.blockDelayMs * (0.5 + random()), () => {
      // Heads may overtake one another on their way.
      if (nth < learnt) return
      learnt = nth
      if (faults.isDown) hasMissed = true
      else view.learn(block)
    })
  })
  node.onChange(() => {
    if (faults.isDown || !hasMissed) return
    hasMissed = false
    learnt = announced
    view.learn(chain.head)
  })
  return node
}

type Words = ReturnType<typeof wordsOf>

/** The errors of a node that fails in words; `variant` picks one, counted round. */
const failures: readonly ((words: Words, height: number) => ReturnType<Words['internal']>)[] = [
  (words) => words.internal(),
  (words) => words.timeout(),
  (words) => words.syncing(),
  (words, height) => words.unknownBlock(String(height)),
  (words, height) => words.prunedState(String(height)),
  (words) => words.rateLimited(),
  (words) => words.missingMethod('eth_call'),
]

/** Makes the events of a subscription; undefined for a kind that nodes have not. */
function followerOf(kind: unknown, filter: unknown, push: (result: unknown) => void): Follower | undefined {
  switch (kind) {
    case 'newHeads':
      return ({ added }) => {
        for (const { header } of added) push(header)
      }
    case 'newPendingTransactions':
      return (_, heard) => {
        if (heard !== undefined) push(filter === true ? heard.members : heard.hash)
      }
    case 'logs': {
      const { address, topics } = Object(filter) as { readonly address?: unknown; readonly topics?: unknown }
      const matches = matcher(address, topics)
      return ({ removed, added }) => {
        for (const log of removed.toReversed().flatMap(logsIn)) if (matches(log)) push({ ...log, removed: true })
        for (const log of added.flatMap(logsIn)) if (matches(log)) push(log)
      }
    }
    default:
      return undefined
  }
}
