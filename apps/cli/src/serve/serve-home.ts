import { isIP } from 'node:net'
import {
  type Config,
  ConfigError,
  hostOf,
  ListenError,
  recognizeNode,
  type RunningGateway,
  startGateway,
} from '@wayleave/gateway'
import { countWorkers, readyLine, runUntilStopped } from '@wayleave/proxy'
import { type CommandIo, UsageError } from '../command.ts'
import { whyPortIsTaken } from '../free-port.ts'
import { isLoopback, loopbackAddress, printAddress, readPort } from '../listen-flags.ts'
import { homeBanner } from './home-banner.ts'
import { homeDataDir, homePorts, readUpstreamUrls } from './home-flags.ts'
import { type HomeNode, homeNetworks } from './home-networks.ts'
import { keepKey } from './kept-key.ts'

/** The flags of `wayleave serve --upstream`, as they were given. */
export interface HomeFlags {
  readonly upstream: readonly string[]
  readonly host?: string | undefined
  readonly port?: string | undefined
  readonly 'admin-port'?: string | undefined
  readonly 'data-dir'?: string | undefined
  readonly 'public-url'?: string | undefined
  readonly json: boolean
  readonly workers: number | 'auto'
}

/**
 * Serves nodes without a file: asks each for its kind and its chain, makes a key if there is none, and serves until a signal. Resolves with
 * the exit code: 0 stopped, 1 a node or a port that cannot be used. @throws UsageError
 */
export async function serveHome(flags: HomeFlags, io: CommandIo): Promise<number> {
  const urls = readUpstreamUrls(flags.upstream)
  const host = readHost(flags.host ?? '127.0.0.1')
  const port = readPort('--port', flags.port ?? homePorts.rpc)
  const adminPort = readPort('--admin-port', flags['admin-port'] ?? homePorts.admin)
  const publicUrl = readPublicUrl(flags['public-url'])
  const dataDir = flags['data-dir'] ?? homeDataDir
  if (dataDir === '') throw new UsageError('--data-dir: expected a folder, got nothing')
  const taken =
    (await whyPortIsTaken(host, port, '--port')) ?? (await whyPortIsTaken('127.0.0.1', adminPort, '--admin-port'))
  if (taken !== undefined) {
    io.stderr(`wayleave serve: ${taken}\n`)
    return 1
  }
  const nodes = await recognizeAll(urls, io)
  if (nodes === undefined) return 1
  const kept = await keepKey(dataDir)
  const networks = homeNetworks(nodes)
  const config: Config = {
    dataDir,
    listen: { rpc: printAddress(host, port), admin: printAddress('127.0.0.1', adminPort) },
    defaultNetwork: Object.keys(networks)[0]!,
    networks,
    // The first label of any other name would be taken for a network.
    ...(publicUrl !== undefined && { bareHosts: [new URL(publicUrl).hostname] }),
    projects: [{ name: 'home', keys: [{ key: kept.key }] }],
  }
  const count = countWorkers(flags.workers, config, (why) => io.stderr(`wayleave serve: one process serves: ${why}\n`))
  let gateway: RunningGateway
  try {
    gateway = await startGateway(config, { lingerMs: 250, workers: { count } })
  } catch (thrown) {
    // Anything else is a bug and keeps its stack.
    if (!(thrown instanceof ListenError || thrown instanceof ConfigError)) throw thrown
    io.stderr(`wayleave serve: ${isInUse(thrown) ? `${dataDir} ${inUse}` : thrown.message}\n`)
    return 1
  }
  // A reader of the ready line may signal at once, so signals are handled before it is printed.
  const stopped = runUntilStopped(gateway, io.process)
  const shown = Object.entries(networks).map(([name, { kind, upstreams }]) => ({
    name,
    kind,
    nodes: upstreams.map((url) => hostOf(url as string)),
  }))
  io.stdout(
    flags.json
      ? readyLine(gateway, { publicUrl, apiKey: kept.key, keyFile: kept.file })
      : homeBanner(gateway, { networks: shown, kept, publicUrl }, io.process.stdout),
  )
  return stopped
}

const inUse = 'is in use by another process: stop that one, or choose another folder with --data-dir'

/** Tells that another process has the data folder; the gateway's own words name members of a configuration. */
function isInUse(thrown: ListenError | ConfigError): boolean {
  return (
    thrown instanceof ConfigError &&
    thrown.problems.some(({ path, got }) => path === 'dataDir' && got.includes('which is in use'))
  )
}

/**
 * Asks all nodes at once, and leaves those out that cannot be reached. Undefined if it is the first one, which names the default network, or if
 * a URL is that of no node. Tells of each on stderr.
 */
async function recognizeAll(urls: readonly string[], io: CommandIo): Promise<readonly HomeNode[] | undefined> {
  const asked = await Promise.all(urls.map(async (url) => ({ url, ...(await recognizeNode(url)) })))
  const nodes = asked.filter((each) => 'chainId' in each)
  const faulty = asked.filter((each) => 'fault' in each)
  const isDefaultKnown = nodes[0] === asked[0]
  const isServed = isDefaultKnown && faulty.every(({ isUnreachable }) => isUnreachable)
  const place = isServed ? 'wayleave serve: left out until the next start' : 'wayleave serve'
  for (const { url, fault } of faulty) io.stderr(`${place}: ${hostOf(url)}: ${fault}\n`)
  if (isServed) return nodes
  if (faulty.some(({ isUnreachable }) => isUnreachable)) {
    io.stderr('Is the node running, with its HTTP API on (geth --http)? --upstream URL names another.\n')
  }
  if (!isDefaultKnown && nodes.length > 0) {
    io.stderr('The first --upstream is the default network: put one first that answers.\n')
  }
  return undefined
}

function readPublicUrl(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol) || url.origin !== url.href.replace(/\/$/, '')) {
    throw new UsageError('--public-url: expected a URL with nothing behind its host, such as https://node.example.org')
  }
  return url.origin
}

function readHost(text: string): string {
  if (isIP(text) === 0 && !isLoopback(text)) {
    throw new UsageError(`--host: expected an IP address of this machine, or 0.0.0.0 for all of them, got "${text}"`)
  }
  return loopbackAddress(text)
}
