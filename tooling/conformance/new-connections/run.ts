import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { cpuNanos, processTree } from '@wayleave/bench/process-usage'
import { devAccounts } from '@wayleave/dev-node'
import { Wallet } from 'ethers'
import { startProxy } from '../test/support/proxy-process.ts'
import { fees, receiver } from '../two-nodes/clients/client.ts'
import type { TestChain } from '../two-nodes/nodes/chain.ts'

export interface NewConnectionsOptions {
  /** Two nodes that are seldom at the same height, so that whoever asks them in turns sees steps back. */
  readonly chain: TestChain
  readonly workers: number
  readonly calls: number
  /** Callers who wait for each answer: every fifth sends transactions, too, the others read what they change. Ten at most. */
  readonly callers: number
  readonly signal: AbortSignal
  /** Called every 5,000 answers. */
  readonly report: (line: string) => void
}

export interface NewConnectionsResult {
  readonly calls: number
  readonly seconds: number
  readonly blocks: number
  /** Transactions that were accepted. */
  readonly sent: number
  readonly failed: number
  readonly failures: readonly string[]
  /** Heads, and blocks by the tag `latest`, below one that an earlier answer told. */
  readonly headsBack: number
  /** Nonces below one that an earlier answer told, or that a transaction which was accepted leads to. */
  readonly noncesBack: number
  /** The first steps back, in words. */
  readonly notes: readonly string[]
  /** CPU seconds of each process that serves, the busiest first. */
  readonly cpuSeconds: readonly number[]
  /** Steps back of the same reads, asked of the two nodes in turns: what the workers have to prevent. */
  readonly withoutGateway: { readonly calls: number; readonly headsBack: number }
}

/** Those who write are of another project, since reads are not pinned to a head for a moment after a write of their own. */
const keys = { writers: '7c0ffee07c0ffee07c0ffee07c0ffee0', readers: '0c0ffee70c0ffee70c0ffee70c0ffee7' }
/** Calls of a writer to one transaction. */
const callsToSend = 10
/** One caller in so many writes. */
const readersToWriter = 5
const mostNotes = 20
/** Reads of the nodes in turns, and the time that they take at least, in ms: some blocks. */
const controlCalls = 2_000
const controlMs = 2_000
const timeoutMs = 30_000

/** Asks workers in turns by a new connection for each call, and counts what goes back. */
export async function runNewConnections(options: NewConnectionsOptions): Promise<NewConnectionsResult> {
  const { chain, workers, callers, signal, report } = options
  await using proxy = await startProxy(
    {
      listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0', ipfs: '127.0.0.1:0' },
      networks: {
        main: {
          kind: 'evm',
          chainId: chain.chainId,
          upstreams: chain.nodes.map(({ name, url, ws }) => ({ name, url, ws })),
        },
      },
      projects: Object.entries(keys).map(([name, key]) => ({ name, keys: [{ key }] })),
    },
    {},
    ['--workers', String(workers)],
  )
  const counts = { calls: 0, sent: 0, failed: 0, headsBack: 0, noncesBack: 0 }
  const failures = new Set<string>()
  const notes: string[] = []
  const note = (sentence: string): void => void (notes.length < mostNotes && notes.push(sentence))
  /** The greatest height that any answer has told so far: whoever asks later may have been told it. */
  let reported = 0
  /** The same of the nonces of each account, by tag. */
  const nonces = { latest: new Map<string, number>(), pending: new Map<string, number>() }
  const before = chain.progress().height
  const beganAt = performance.now()

  async function call(caller: number): Promise<void> {
    const isWriter = caller % readersToWriter === 0
    const url = `${proxy.rpc}/v3/${isWriter ? keys.writers : keys.readers}`
    // Its own account, or that of the writer before it.
    const { address, privateKey } = devAccounts[caller - (caller % readersToWriter)]!
    const wallet = new Wallet(privateKey)
    // An address has 28,000 ports, and each is taken for a minute.
    const localAddress = `127.0.1.${caller + 1}`
    const ask = (method: string, ...params: unknown[]): Promise<unknown> =>
      askOnce(url, localAddress, method, params, signal)

    async function readHead(): Promise<void> {
      const floor = reported
      seeHead('eth_blockNumber', Number(await ask('eth_blockNumber')), floor)
    }

    async function readLatest(): Promise<void> {
      const floor = reported
      const { number } = (await ask('eth_getBlockByNumber', 'latest', false)) as { readonly number: string }
      seeHead('the latest block', Number(number), floor)
    }

    async function readNonce(tag: 'latest' | 'pending'): Promise<void> {
      const floor = nonces[tag].get(address) ?? 0
      const nonce = Number(await ask('eth_getTransactionCount', address, tag))
      if (nonce < floor) {
        counts.noncesBack++
        note(`the ${tag} nonce was ${nonce} after ${floor}, for a ${isWriter ? 'writer' : 'reader'}`)
      }
      raise(tag, nonce)
    }

    function raise(tag: 'latest' | 'pending', nonce: number): void {
      nonces[tag].set(address, Math.max(nonces[tag].get(address) ?? 0, nonce))
    }

    async function send(): Promise<void> {
      const nonce = nonces.pending.get(address) ?? 0
      const signed = { to: receiver, value: 1n, gasLimit: 21_000n, nonce, type: 2, chainId: chain.chainId, ...fees }
      await ask('eth_sendRawTransaction', await wallet.signTransaction(signed))
      counts.sent++
      raise('pending', nonce + 1)
    }

    const reads = [readHead, readLatest, () => readNonce('pending'), readHead, readLatest, () => readNonce('latest')]
    for (let nth = 0; counts.calls < options.calls && !signal.aborted; nth++) {
      if (++counts.calls % 5_000 === 0) report(`${counts.calls} calls, block ${chain.progress().height}`)
      try {
        await (isWriter && nth % callsToSend === callsToSend - 1 ? send() : reads[nth % reads.length]!())
      } catch (thrown) {
        counts.failed++
        if (failures.size < mostNotes) failures.add((thrown as Error).message)
      }
    }
  }

  function seeHead(what: string, number: number, floor: number): void {
    if (number < floor) {
      counts.headsBack++
      note(`${what} was ${number} after ${floor}`)
    }
    reported = Math.max(reported, number)
  }

  await Promise.all(Array.from({ length: callers }, (_, caller) => call(caller)))
  signal.throwIfAborted()
  return {
    ...counts,
    seconds: Math.round((performance.now() - beganAt) / 100) / 10,
    blocks: chain.progress().height - before,
    failures: [...failures],
    notes,
    cpuSeconds: cpuOfWorkers(proxy.pid, workers),
    withoutGateway: await readInTurns(chain, signal),
  }
}

/** The primary and a process that waits to be a worker have done less than those that serve. */
function cpuOfWorkers(pid: number, workers: number): readonly number[] {
  return processTree(pid)
    .slice(1)
    .map((child) => Number(cpuNanos([child])) / 1e9)
    .toSorted((a, b) => b - a)
    .slice(0, workers)
}

/** Reads heads from the nodes themselves, one after the other. */
async function readInTurns(chain: TestChain, signal: AbortSignal): Promise<NewConnectionsResult['withoutGateway']> {
  let reported = 0
  let headsBack = 0
  const beganAt = performance.now()
  let nth = 0
  for (; nth < controlCalls || performance.now() - beganAt < controlMs; nth++) {
    const { url } = chain.nodes[nth % chain.nodes.length]!
    const head = Number(await askOnce(url, '127.0.0.1', 'eth_blockNumber', [], signal))
    if (head < reported) headsBack++
    reported = Math.max(reported, head)
  }
  return { calls: nth, headsBack }
}

/** Makes one call on a connection of its own. @throws Error with the words of the answer's error */
async function askOnce(
  url: string,
  localAddress: string,
  method: string,
  params: readonly unknown[],
  signal: AbortSignal,
): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  const answer = await new Promise<string>((resolve, reject) => {
    const asking = request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', connection: 'close' },
      agent: new Agent({ keepAlive: false }),
      localAddress,
      signal: limit,
    })
    asking.on('error', reject)
    asking.on('response', (response) => text(response).then(resolve, reject))
    asking.end(body)
  })
  const { result, error } = JSON.parse(answer) as { readonly result?: unknown; readonly error?: { message: string } }
  if (error !== undefined) throw new Error(`${method}: ${error.message}`)
  return result
}
