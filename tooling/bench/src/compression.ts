// Measures a 1 MB answer over a slow link, plain and compressed: between node and gateway, then between gateway and caller.
// `pnpm --filter @wayleave/bench compression [CALLS]`. The link has no slow start, which would favour few bytes still more.
import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingMessage, request } from 'node:http'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { createGunzip, createGzip } from 'node:zlib'
import { createLog, startGateway } from '@wayleave/gateway'
import { systemClock } from './defaults.ts'
import { percentile } from './statistics.ts'
import { printTable } from './table.ts'

const calls = Number(process.argv[2] ?? 100)
const [roundTripMs, bitsPerMs] = [20, 100_000]
const key = '0123456789abcdef0123456789abcdef'

let seed = 1
/** Hex digits as of a hash: of no pattern, and the same in each run. */
function hex(length: number): string {
  let digits = ''
  for (; digits.length < length; digits += (seed >>> 4).toString(16).padStart(7, '0')) {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  }
  return digits.slice(0, length)
}

/** Prints transfers of one ERC-20 token as geth prints their logs: hashes, accounts and amounts differ, the rest repeats. */
function printLogs(bytes: number): string {
  const logs: string[] = []
  const accounts = Array.from({ length: 500 }, () => `0x${'0'.repeat(24)}${hex(40)}`)
  const account = (): string => accounts[Number.parseInt(hex(6), 16) % accounts.length]!
  for (let length = 0, i = 0; length < bytes; length += logs.at(-1)!.length + 1, i++) {
    logs.push(
      `{"address":"0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48","topics":["0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef","${account()}","${account()}"],` +
        `"data":"0x${hex(10).padStart(64, '0')}","blockNumber":"0x${(21_000_000 + (i >> 5)).toString(16)}","transactionHash":"0x${hex(64)}","transactionIndex":"0x${(i % 150).toString(16)}",` +
        `"blockHash":"0x${hex(64)}","blockTimestamp":"0x${(1_760_000_000 + 12 * (i >> 5)).toString(16)}","logIndex":"0x${(i % 400).toString(16)}","removed":false}`,
    )
  }
  return `[${logs.join()}]`
}

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** Passes what comes as a link does that has this delay and takes so many bits at a time. */
function pass(from: Socket, to: Socket, count: (bytes: number) => void): void {
  let freeAt = 0
  // Timers of one moment end in any order.
  const waiting: Buffer[] = []
  from.on('data', (chunk: Buffer) => {
    count(chunk.length)
    waiting.push(chunk)
    freeAt = Math.max(freeAt, systemClock.now()) + (chunk.length * 8) / bitsPerMs
    systemClock.after(freeAt - systemClock.now() + roundTripMs / 2, () => to.write(waiting.shift()!))
  })
  from.on('close', () => to.destroy()).on('error', () => {})
}

/** A slow link to a port. */
async function openLink(target: number) {
  let bytes = 0
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect({ port: target, host: '127.0.0.1', noDelay: true })
    pass(near, far, () => {})
    pass(far, near, (count) => (bytes += count))
  })
  return { port: await listening(server), taken: () => bytes }
}

const logs = Buffer.from(`,"result":${printLogs(1_000_000)}}`)
const node = createHttpServer(async (asked, response) => {
  const { id } = JSON.parse(await text(asked)) as { readonly id: unknown }
  const body = Buffer.concat([Buffer.from(`{"jsonrpc":"2.0","id":${JSON.stringify(id)}`), logs])
  response.setHeader('content-type', 'application/json')
  if (asked.headers['accept-encoding'] !== 'gzip') return void response.end(body)
  response.setHeader('content-encoding', 'gzip')
  createGzip().end(body).pipe(response)
})
const nodePort = await listening(node)

async function measure(slow: 'node' | 'caller', compress: boolean): Promise<readonly string[]> {
  const link = slow === 'node' ? await openLink(nodePort) : undefined
  const upstream = { url: `http://127.0.0.1:${link?.port ?? nodePort}`, compress: slow === 'node' && compress }
  const gateway = await startGateway(
    {
      listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0', compress: slow === 'caller' && compress },
      networks: { mainnet: { kind: 'evm', chainId: 1, upstreams: [upstream], followHeads: false } },
      cache: false,
      projects: [{ name: 'bench', keys: [{ key }] }],
    },
    { log: createLog({ level: 'silent' }) },
  )
  const near = link ?? (await openLink(Number(new URL(gateway.rpc).port)))
  const port = link === undefined ? near.port : new URL(gateway.rpc).port
  const body = '{"jsonrpc":"2.0","id":1,"method":"eth_getLogs","params":[{"fromBlock":"0x1","toBlock":"0x1"}]}'
  const times: number[] = []
  for (let i = -5; i < calls; i++) {
    const begun = systemClock.now()
    const headers = { 'accept-encoding': 'gzip' }
    const sent = request(`http://127.0.0.1:${port}/v3/${key}`, { method: 'POST', headers }).end(body)
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    const coded = response.headers['content-encoding'] === 'gzip'
    const { length } = await text(coded ? response.pipe(createGunzip()) : response)
    if (length < logs.length) throw new Error(`an answer of ${length} characters came`)
    if (i >= 0) times.push(systemClock.now() - begun)
  }
  await gateway.close()
  const bytes = Math.round(near.taken() / (calls + 5)).toLocaleString('en')
  return [`gateway and ${slow}`, compress ? 'gzip' : 'plain', bytes, percentile(times, 50).toFixed(1)]
}

const rows: (readonly string[])[] = []
for (const slow of ['node', 'caller'] as const) rows.push(await measure(slow, false), await measure(slow, true))
console.log(`${calls} calls, one after the other, over a link of ${roundTripMs} ms there and back and 100 Mbit/s\n`)
console.log(printTable(['link between', 'answer', 'bytes', 'p50 ms'], rows))
process.exit()
