import { networkInterfaces } from 'node:os'
import { styleText } from 'node:util'
import type { RecognizedNode, RunningGateway } from '@wayleave/gateway'
import { isLoopback } from '../listen-flags.ts'
import type { KeptKey } from './kept-key.ts'

/** The words of a banner that depend on the kind of a network. */
interface KindLines {
  /** The end of its path. */
  readonly path: string
  /** The method of a first call. */
  readonly method: string
  /** A first program. */
  readonly program: (url: string) => string
}

const ofEvm: KindLines = { path: '', method: 'eth_blockNumber', program: viemLines }
const linesOf: Readonly<Record<RecognizedNode['kind'], KindLines>> = {
  evm: ofEvm,
  rollup: ofEvm,
  // The version of the interface that starknet.js speaks. Callers who name none get an older one.
  starknet: { path: '/rpc/v0_10', method: 'starknet_blockNumber', program: starknetLines },
}

/** A network of `wayleave serve --upstream`, as its banner shows it. */
interface HomeNetwork {
  readonly name: string
  readonly kind: RecognizedNode['kind']
  /** The nodes without the parts of their URLs that may be keys. */
  readonly nodes: readonly string[]
}

/** The parts of the banner that the gateway does not know. */
export interface HomeBannerOptions {
  /** The first one is the default. */
  readonly networks: readonly HomeNetwork[]
  readonly kept: KeptKey
  /** The address of a proxy in front. */
  readonly publicUrl: string | undefined
}

/** Prints the text of a ready `wayleave serve --upstream`: its URLs and lines to copy, coloured if `stream` shows colour. */
export function homeBanner(
  gateway: Pick<RunningGateway, 'rpc' | 'ws' | 'admin' | 'networks'>,
  { networks, kept, publicUrl }: HomeBannerOptions,
  stream: NodeJS.WriteStream,
): string {
  const bold = (text: string): string => styleText('bold', text, { stream })
  const faint = (text: string): string => styleText('dim', text, { stream })
  const notes = networks.map(({ name }) => `chain ${gateway.networks[name]}`)
  const nameWidth = Math.max(7, ...networks.map(({ name }) => name.length))
  const noteWidth = Math.max(...notes.map((note) => note.length))
  const row = (name: string, note: string, value: string): string =>
    `  ${bold(name.padEnd(nameWidth))}  ${faint(note.padEnd(noteWidth))}  ${value}\n`
  const { hostname } = new URL(gateway.rpc)
  const isOnAll = hostname === '0.0.0.0' || hostname === '[::]'
  const here = isOnAll ? gateway.rpc.replace(hostname, '127.0.0.1') : gateway.rpc
  const http = publicUrl ?? here
  const ws = http.replace(/^http/, 'ws')
  const urls = networks.map(({ name, kind }, i) => ({
    http: `${http}${i === 0 ? '' : `/${name}`}/v3/${kept.key}${linesOf[kind].path}`,
    ws: `${ws}${i === 0 ? '' : `/${name}`}/ws/v3/${kept.key}`,
  }))
  const rows = networks.map(({ name, nodes }, i) =>
    [row(name, notes[i]!, urls[i]!.http), row('', '', urls[i]!.ws), row('', '', `from ${nodes.join(', ')}`)].join(''),
  )
  const others = isOnAll
    ? ownAddresses().map((address) => row('also at', '', gateway.rpc.replace(hostname, address)))
    : []
  const local = publicUrl === undefined ? '' : row('proxied', '', `to ${here}`)
  const { method, program } = linesOf[networks[0]!.kind]
  const url = urls[0]!.http
  return `
${bold('wayleave serve')} is ready

${rows.join('')}${local}${others.join('')}${row('key', '', `${kept.isNew ? 'made, and kept' : 'kept'} in ${kept.file}`)}${row('metrics', '', `${gateway.admin}/metrics`)}
A first call:

  curl ${url} -H 'content-type: application/json' -d '{"jsonrpc":"2.0","id":1,"method":"${method}","params":[]}'

${program(url)}
${reachOf(hostname, publicUrl)} Ctrl-C stops it.
`
}

function reachOf(hostname: string, publicUrl: string | undefined): string {
  if (!isLoopback(hostname.replaceAll(/[[\]]/g, ''))) {
    return 'Whoever reaches this machine and has the key can call, and plain HTTP shows the key on its way.'
  }
  if (publicUrl !== undefined) return 'Whoever has the key can call, through the proxy that runs on this machine.'
  return 'Only this machine can call: --host 0.0.0.0 lets others in, --public-url names a proxy with a certificate.'
}

function viemLines(url: string): string {
  return `From a program, with viem:

  import { createPublicClient, http } from 'viem'
  const client = createPublicClient({ transport: http('${url}') })
  console.log(await client.getBlockNumber())
`
}

function starknetLines(url: string): string {
  return `From a program, with starknet.js:

  import { RpcProvider } from 'starknet'
  const provider = new RpcProvider({ nodeUrl: '${url}' })
  console.log(await provider.getBlockNumber())
`
}

/** The IPv4 addresses by which others reach this machine. */
function ownAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((all = []) =>
    all.filter(({ family, internal }) => family === 'IPv4' && !internal).map(({ address }) => address),
  )
}
