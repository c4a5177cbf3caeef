import type { SocketPort } from '@wayleave/jsonrpc-core'
import type { UndiciPort } from '@wayleave/upstream/node'
import type { Plan, Question, UpstreamPlan } from '../plan.ts'
import { type Chain, createChain } from './chain.ts'
import { createLabPort, type LabPort } from './http-port.ts'
import { createJournal, type Journal } from './journal.ts'
import { createNode, type LabNode, type Sending } from './node.ts'
import { type Random, streamOf } from './random.ts'
import { LabSocket } from './socket.ts'
import { resolved } from './symbols.ts'
import { createTally, type Tally } from './tally.ts'
import { createTruth, type Truth } from './truth.ts'
import { VirtualClock } from './virtual-clock.ts'

/** A chain, its nodes and their faults, behind the two ports of the gateway. */
export interface World {
  readonly plan: Plan
  readonly clock: VirtualClock
  readonly journal: Journal
  readonly chain: Chain
  readonly nodes: ReadonlyMap<string, LabNode>
  readonly truth: Truth
  readonly tally: Tally
  /** Opens the HTTP connections of one endpoint. */
  openPort(): UndiciPort
  readonly connect: SocketPort
  /** Puts the chain's own values in the place of a question's symbols. */
  resolve(question: Question, subscriptions?: ReadonlyMap<number, string>): Question
  /** The numbers of one purpose, which stay the same whatever else is drawn. */
  random(purpose: string): Random
  /** Questions over HTTP that are on their way. */
  readonly exchanges: number
  /** The bodies of those of them that began by a time. */
  exchangesBegunBy(at: number): readonly string[]
  /** WebSockets of the gateway that are not closed. */
  readonly sockets: number
}

/** The URLs of an upstream, which `openPort` and `connect` take. */
export function urlsOf({ name, transport }: UpstreamPlan): { readonly url: string; readonly ws?: string } {
  const [http, ws] = [`http://${name}.lab/`, `ws://${name}.lab/`]
  if (transport === 'socket') return { url: ws }
  return transport === 'both' ? { url: http, ws } : { url: http }
}

/** Time that a transaction takes to miners and to another node, in ms. */
const gossipMs = { least: 20, most: 250 }

/** Creates the world of a plan. Nothing happens in it before its clock runs. */
export function createWorld(plan: Plan): World {
  const clock = new VirtualClock()
  const journal = createJournal(() => clock.now())
  const chain = createChain(plan, clock, journal)
  const random = streamOf(plan.seed, 'gossip')
  const sent: Sending[] = []
  const tally = createTally()
  const ports: LabPort[] = []
  let sockets = 0

  const nodes = new Map<string, LabNode>(
    plan.upstreams.map((upstream) => {
      const node = createNode({
        plan,
        upstream,
        chain,
        clock,
        journal,
        gossip,
        onSending: (each) => void sent.push(each),
        tally,
      })
      return [upstream.name, node]
    }),
  )
  const byUrl = new Map<string, LabNode>()
  for (const { plan: upstream } of nodes.values()) {
    const { url, ws } = urlsOf(upstream)
    for (const each of [url, ws]) if (each !== undefined) byUrl.set(each, nodes.get(upstream.name)!)
  }
  const nodeOf = (url: string): LabNode => byUrl.get(url)!
  const soon = (run: () => void): void =>
    void clock.after(gossipMs.least + random() * (gossipMs.most - gossipMs.least), run)

  function gossip(transaction: Parameters<LabNode['hear']>[0], from: string): void {
    soon(() => chain.submit(transaction))
    for (const [name, node] of nodes) {
      if (name === from) continue
      soon(() => {
        if (!node.faults.isDown && node.chain.isTrue) node.hear(transaction)
      })
    }
  }

  return {
    plan,
    clock,
    journal,
    chain,
    nodes,
    tally,
    truth: createTruth(chain, sent, { reorgs: plan.reorgs, blockMs: plan.blockMs, clock }),
    openPort() {
      const port = createLabPort({ nodeOf, clock, journal })
      ports.push(port)
      return port
    },
    connect(url) {
      sockets++
      return new LabSocket({ node: nodeOf(url), clock, journal, onClosed: () => void sockets-- })
    },
    resolve: (question, subscriptions = new Map()) => resolved(question, chain, subscriptions),
    random: (purpose) => streamOf(plan.seed, purpose),
    get exchanges() {
      return ports.reduce((sum, { inFlight }) => sum + inFlight, 0)
    },
    exchangesBegunBy: (at) => ports.flatMap((port) => port.begunBy(at)),
    get sockets() {
      return sockets
    },
  }
}
