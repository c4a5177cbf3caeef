import type { IncomingMessage, ServerResponse } from 'node:http'
import { realSurroundings } from '@wayleave/gateway'
import { describe, expect, it, onTestFinished } from 'vitest'
import { frame, key, send, startNodeWith, startTestGateway } from '../support.ts'
import { openSocket } from '../web-socket-client.ts'

interface Frame {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}

/** Makes the text, the status, or no end, of an answer. */
type Reply = (
  frames: readonly Frame[],
  text: string,
) => string | { readonly status: number; readonly body: string } | 'die' | 'hang'

const answerTo = ({ id, params }: Frame): string => JSON.stringify({ jsonrpc: '2.0', id, result: params[0] })
const array = (answers: readonly string[]): string => `[${answers.join(',')}]`
const sound: Reply = (frames, text) => (text.startsWith('[') ? array(frames.map(answerTo)) : answerTo(frames[0]!))

/** Answers batches as `reply` does, and single calls well. */
const toBatches =
  (reply: Reply): Reply =>
  (frames, text) =>
    (text.startsWith('[') ? reply : sound)(frames, text)

async function startReplying(reply: { now: Reply }) {
  const posts: string[] = []
  const node = await startNodeWith(async (request: IncomingMessage, response: ServerResponse) => {
    const text = Buffer.concat(await request.toArray()).toString()
    const frames = [JSON.parse(text) as Frame | readonly Frame[]].flat() as readonly Frame[]
    if (frames[0]!.method === 'eth_chainId')
      return void response.end(`{"jsonrpc":"2.0","id":${frames[0]!.id},"result":"0x1"}`)
    posts.push(
      text.startsWith('[')
        ? `[${frames.map(({ params }) => params[0] as string).join(' ')}]`
        : String(frames[0]!.params[0]),
    )
    const reported = reply.now(frames, text)
    if (reported === 'hang') return
    if (reported === 'die')
      return void response.writeHead(200, { 'content-length': 99 }).write('[', () => response.destroy())
    if (typeof reported === 'string') return void response.end(reported)
    response.writeHead(reported.status).end(reported.body)
  })
  onTestFinished(() => node.close())
  return { url: node.url, posts }
}

const gasOf = (names: readonly string[]): string =>
  array(names.map((name, i) => frame('eth_estimateGas', [name, 'latest'], i + 1)))

/** The calls of all requests. One call of a batch goes alone where none has in the last second. */
const callsIn = (posts: readonly string[]): readonly string[] =>
  posts.flatMap((post) => post.replace(/[[\]]/g, '').split(' ')).toSorted()

const names = ['0x1', '0x2', '0x3', '0x4', '0x5']

/** Surroundings in which the size of a batch depends on no wait. */
const surroundings = { ...realSurroundings, random: () => 0.01, idleMs: () => 0 }

/** A gateway over nodes that answer as told, and that have been asked a call alone. */
async function begin(reply: Reply, more: { readonly nodes?: number; readonly upstream?: object } = {}) {
  const replies = Array.from({ length: more.nodes ?? 1 }, () => ({ now: sound }))
  const nodes = await Promise.all(replies.map(startReplying))
  const upstreams = nodes.map(({ url }, i) => ({ url, name: 'ab'[i]!, ...more.upstream }))
  const networks = { mainnet: { kind: 'evm', chainId: 1, upstreams } } as const
  const gateway = await startTestGateway([], { networks }, { surroundings })
  onTestFinished(() => gateway.close(0))
  const post = (body: string) => send(gateway.rpc, `/v3/${key}`, { body })
  for (let i = 0; nodes.some(({ posts }) => posts.length === 0) && i < 50; i++)
    await post(gasOf(['0xf', '0xf0', '0xf1', '0xf2']))
  for (const { posts } of nodes) posts.length = 0
  for (const each of replies) each.now = reply
  return {
    gateway,
    replies,
    nodes,
    posts: nodes[0]!.posts,
    post,
    async ask(asked = names): Promise<unknown[]> {
      const answers = JSON.parse((await post(gasOf(asked))).body) as { result?: unknown; error?: { code: number } }[]
      return answers.map(({ result, error }) => result ?? error?.code)
    },
  }
}

describe("a caller's batch", () => {
  it('reaches its node in one request', async () => {
    const { posts, ask } = await begin(sound)
    expect(await ask()).toEqual(names)
    expect(callsIn(posts)).toEqual(names)
    expect(posts.length).toBeLessThanOrEqual(2)
  })

  it('of a WebSocket reaches its node in one request, too', async () => {
    const { posts, gateway } = await begin(sound)
    const socket = await openSocket(`${gateway.ws}/ws/v3/${key}`)
    socket.send(gasOf(names))
    expect(await socket.next()).toEqual(names.map((result, i) => ({ jsonrpc: '2.0', id: i + 1, result })))
    expect(callsIn(posts)).toEqual(names)
    expect(posts.length).toBeLessThanOrEqual(2)
    await socket.close()
  })

  it('of an upstream without batches reaches it call by call', async () => {
    const { posts, ask } = await begin(sound, { upstream: { batch: { max: 1 } } })
    expect(await ask()).toEqual(names)
    expect(posts.toSorted()).toEqual(names)
  })

  it('reaches its node in requests of at most as many calls as are configured', async () => {
    const { posts, ask } = await begin(sound, { upstream: { batch: { max: 2 } } })
    expect(await ask()).toEqual(names)
    expect(callsIn(posts)).toEqual(names)
    expect(posts).toHaveLength(3)
  })

  it('reaches a node whose answers are verified call by call', async () => {
    const { posts, ask } = await begin(sound, { upstream: { verify: 'consistent' } })
    expect(await ask()).toEqual(names)
    expect(posts.toSorted()).toEqual(names)
  })

  it('has the same call once', async () => {
    const { posts, ask } = await begin(sound)
    expect(await ask(['0x1', '0x2', '0x1'])).toEqual(['0x1', '0x2', '0x1'])
    expect(callsIn(posts)).toEqual(['0x1', '0x2'])
  })

  it('has its writes sent alone', async () => {
    const { posts, post } = await begin(sound)
    const calls = [
      frame('eth_estimateGas', ['0x1', 'latest'], 1),
      frame('eth_sendRawTransaction', ['0x00'], 2),
      frame('eth_estimateGas', ['0x2', 'latest'], 3),
    ]
    await post(array(calls))
    expect(posts).toContain('0x00')
    expect(callsIn(posts)).toEqual(['0x00', '0x1', '0x2'])
  })

  it('counts each of its calls to the upstream', async () => {
    const { gateway, ask } = await begin(sound)
    const count = async (): Promise<number> => {
      const { body } = await send(gateway.admin, '/metrics')
      return Number(/^wayleave_upstream_calls_total\{.*endpoint="a",purpose="caller"\} (\d+)$/m.exec(body)?.[1])
    }
    const before = await count()
    await ask()
    expect((await count()) - before).toBe(names.length)
  })
})

describe('a node that', () => {
  it.each<[string, Reply]>([
    ['answers in another order', toBatches((frames) => array(frames.map(answerTo).toReversed()))],
    ['leaves out an answer', toBatches((frames) => array(frames.map(answerTo).slice(1)))],
    [
      'has no room for an answer',
      toBatches((frames) => array(frames.map((each, i) => (i < 3 ? answerTo(each) : tooLarge(each))))),
    ],
    ['refuses batches by an error', toBatches(() => errorOf(null, -32600, 'batch requests are disabled'))],
    ['refuses batches with an array', toBatches(([first]) => array([errorOf(first!.id, -32600, 'batch too large')]))],
    ['refuses batches by a status', toBatches(() => ({ status: 413, body: 'too large' }))],
    ['refuses batches by a status with an error', toBatches(() => refused(413, -32000, 'request entity too large'))],
    ['answers one error for all', toBatches(() => errorOf(null, -32602, 'invalid argument 0'))],
    ['answers one error for all under a status', toBatches(() => refused(400, -32602, 'invalid argument 0'))],
    ['answers an empty array', toBatches(() => '[]')],
    ['refuses batches by an object', toBatches(() => '{"message":"unexpected array"}')],
  ])('%s has every call answered', async (_what, reply) => {
    const { ask } = await begin(reply)
    expect(await ask()).toEqual(names)
    expect(await ask()).toEqual(names)
  })

  it.each<[string, Reply]>([
    ['doubles an answer', toBatches((frames) => array([...frames, frames[0]!].map(answerTo)))],
    ['answers what nobody asked', toBatches((frames) => array([...frames, { ...frames[0]!, id: 999 }].map(answerTo)))],
    ['dies while it answers', () => 'die'],
    ['is out of order', () => ({ status: 503, body: 'out of order' })],
    ['has no quota left', toBatches(() => errorOf(null, -32005, 'daily request count exceeded, request rate limited'))],
    ['has no quota left for a batch', toBatches(() => errorOf(null, -32005, 'batch quota exceeded, rate limited'))],
  ])('%s has its calls answered by another one', async (_what, reply) => {
    const { replies, ask } = await begin(sound, { nodes: 2 })
    replies[0]!.now = reply
    expect(await ask()).toEqual(names)
    expect(await ask()).toEqual(names)
  })

  it('has long answers is asked for each alone', async () => {
    // As long as the cap of the whole batch, with the others.
    const long = 'f'.repeat(1_100_000)
    const { posts, ask } = await begin((frames, text) => {
      const reported = frames.map(({ id }) => `{"jsonrpc":"2.0","id":${id},"result":"0x${long}"}`)
      return text.startsWith('[') ? array(reported) : reported[0]!
    })
    const answers = (await ask()) as string[]
    expect(answers.map(({ length }) => length)).toEqual(names.map(() => long.length + 2))
    expect(posts.filter((asked) => !asked.startsWith('[')).toSorted()).toEqual(names)
  })

  it('stalls has its calls answered by another one', async () => {
    const { replies, ask } = await begin(sound, { nodes: 2 })
    replies[0]!.now = () => 'hang'
    expect(await ask()).toEqual(names)
  })

  it('fails one call of a batch gets the others not once more', async () => {
    const { nodes, replies, ask } = await begin(sound, { nodes: 2 })
    const failing: Reply = toBatches((frames) =>
      array(frames.map((each, i) => (i === 1 ? errorOf(each.id, -32603, 'internal error') : answerTo(each)))),
    )
    for (const each of replies) each.now = failing
    expect(await ask(['0x1', '0x2', '0x3', '0x4'])).toHaveLength(4)
    const asked = nodes.flatMap(({ posts }) => posts).join(' ')
    const most = ['0x1', '0x2', '0x3', '0x4'].map((name) => asked.split(new RegExp(`${name}\\b`)).length - 1)
    expect(most.filter((times) => times === 1).length).toBeGreaterThanOrEqual(2)
  })

  it('answers an error to one call has it given to its caller', async () => {
    const reverted: Reply = toBatches((frames) =>
      array(frames.map((each, i) => (i === 1 ? errorOf(each.id, 3, 'execution reverted') : answerTo(each)))),
    )
    const { ask } = await begin(reverted)
    expect(await ask()).toEqual(['0x1', 3, '0x3', '0x4', '0x5'])
  })
})

function refused(status: number, code: number, message: string) {
  return { status, body: errorOf(null, code, message) }
}

function tooLarge({ id }: Frame): string {
  return errorOf(id, -32003, 'response too large')
}

function errorOf(id: number | null, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })
}
