import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { consoleFiles } from '@wayleave/console'
import { createRollupNode, devAccounts, type DevNode, DevNodeError, startDevNode } from '@wayleave/dev-node'
import { type Config, ConfigError, ListenError, startGateway } from '@wayleave/gateway'
import { createHttpTransport } from '@wayleave/jsonrpc-core'
import { readyLine, runUntilStopped } from '@wayleave/proxy'
import { type CommandIo, UsageError } from '../command.ts'
import { banner, starknetJsUrl } from '../dev-banner.ts'
import { type DevStarknet, type NoStarknet, openDevStarknet } from '../dev-starknet.ts'
import { devKey, devSecret } from '../dev-project.ts'
import { whyPortIsTaken } from '../free-port.ts'
import { ownVersion } from '../own-version.ts'
import { isLoopback, loopbackAddress, printAddress, readPort } from '../listen-flags.ts'
import { readFlags } from '../read-args.ts'

/** Runs the chains and the gateway until a signal. Resolves with the exit code. @throws UsageError */
export async function runDev(args: readonly string[], io: CommandIo): Promise<number> {
  const flags = readDevFlags(args)
  const { host, ports, dataDir, starknetUrl, json } = flags
  const chainDir = join(dataDir, 'chains')
  await mkdir(chainDir, { recursive: true }).catch(({ code }: NodeJS.ErrnoException) => {
    throw new UsageError(`--data-dir: expected a folder that can be written, got "${dataDir}" (${code})`)
  })
  // Checked before the chains start, so that a second `wayleave dev` fails at once.
  const taken =
    (await whyPortIsTaken(host, ports.rpc, '--port')) ??
    (await whyPortIsTaken(host, ports.ipfs, '--ipfs-port')) ??
    (await whyPortIsTaken(host, ports.admin, '--admin-port'))
  if (taken !== undefined) {
    io.stderr(`wayleave dev: ${taken}\n`)
    return 1
  }
  let chainEnded: (why: Error) => void = () => {}
  const failed = new Promise<never>((_resolve, reject) => (chainEnded = reject))
  // The first chain to end also ends the other one, so one message is enough.
  failed.catch(({ message }: Error) => io.stderr(`wayleave dev: ${message}, so everything stops\n`))
  const onExit = ({ message }: { readonly message: string }): void => chainEnded(new Error(message))
  const openingStarknet = openDevStarknet({
    url: starknetUrl,
    dataDir: chainDir,
    env: io.process.env,
    onExit,
    onFailure: (why) => io.stderr(`wayleave dev: there is no starknet-dev: ${why}\n`),
  })
  // A wrong URL is reported before the chains start.
  if (starknetUrl !== undefined) await openingStarknet
  const starting = [
    startDevNode({ dataDir: chainDir, onExit: (_network, exit) => onExit(exit) }),
    openingStarknet,
  ] as const
  try {
    const [node, starknet] = await Promise.all(starting)
    const absent = 'why' in starknet ? { 'starknet-dev': starknet.why } : {}
    const rollupNodes = { 'rollup-dev': rollupNodeOf(node) }
    const gateway = await startGateway(devConfig(node, starknet, flags), {
      rollupNodes,
      absentNetworks: absent,
      about: { version: ownVersion() },
      console: { files: consoleFiles, isOpen: true },
    })
    const further = {
      apiKey: devKey,
      apiKeySecret: devSecret,
      accounts: devAccounts,
      ...('accounts' in starknet && {
        starknetUrl: starknetJsUrl(gateway, starknet),
        starknetAccounts: starknet.accounts.map(({ address, privateKey }) => ({ address, privateKey })),
      }),
    }
    // A reader of the ready line may signal at once, so signals are handled before it is printed.
    const stopped = runUntilStopped(gateway, io.process, failed)
    io.stdout(json ? readyLine(gateway, further) : banner(gateway, starknet, dataDir, io.process.stdout))
    return await stopped
  } catch (thrown) {
    // Anything else is a bug and keeps its stack.
    if (!(thrown instanceof ListenError || thrown instanceof DevNodeError || thrown instanceof ConfigError))
      throw thrown
    io.stderr(`wayleave dev: ${thrown.message}\n`)
    return 1
  } finally {
    const started = await Promise.allSettled(starting)
    await Promise.all(started.map((each) => each.status === 'fulfilled' && 'close' in each.value && each.value.close()))
  }
}

type Flags = ReturnType<typeof readDevFlags>

function readDevFlags(args: readonly string[]) {
  const values = readFlags(args, {
    port: { type: 'string', default: '8545' },
    'ipfs-port': { type: 'string', default: '5001' },
    'admin-port': { type: 'string', default: '8546' },
    host: { type: 'string', default: '127.0.0.1' },
    'data-dir': { type: 'string', default: '.wayleave' },
    'starknet-url': { type: 'string' },
    json: { type: 'boolean', default: false },
  })
  if (!isLoopback(values.host)) {
    throw new UsageError(
      `--host: expected a loopback address, got "${values.host}": the key of dev mode is public; use wayleave serve to be reached from elsewhere`,
    )
  }
  if (values['data-dir'] === '') throw new UsageError('--data-dir: expected a folder, got nothing')
  const ports = {
    rpc: readPort('--port', values.port),
    ipfs: readPort('--ipfs-port', values['ipfs-port']),
    admin: readPort('--admin-port', values['admin-port']),
  }
  const host = loopbackAddress(values.host)
  const starknetUrl = values['starknet-url']
  const protocol = URL.parse(starknetUrl ?? '')?.protocol ?? 'none'
  if (starknetUrl !== undefined && !/^https?:$/.test(protocol)) {
    // The URL is not shown, as its path may be a key.
    throw new UsageError(
      `--starknet-url: expected an http or https URL, got ${protocol === 'none' ? protocol : `a ${protocol} one`}`,
    )
  }
  return { host, ports, dataDir: values['data-dir'], starknetUrl, json: values.json }
}

/** The dev chains make a block for each transaction. */
const gas = { blocksOnDemand: true } as const

function devConfig(node: DevNode, starknet: DevStarknet | NoStarknet, { host, ports, dataDir }: Flags): Config {
  const { dev: l1, 'rollup-dev': l2 } = node.networks
  return {
    dataDir,
    listen: {
      rpc: printAddress(host, ports.rpc),
      ipfs: printAddress(host, ports.ipfs),
      admin: printAddress(host, ports.admin),
    },
    ipfs: { backend: 'local' },
    defaultNetwork: 'dev',
    networks: {
      dev: { kind: 'evm', chainId: l1.chainId, upstreams: upstreamsOf(l1), gas },
      'rollup-dev': {
        kind: 'rollup',
        chainId: l2.chainId,
        upstreams: upstreamsOf(l2),
        rollupMode: 'sequencer',
        gas,
      },
      ...('upstreams' in starknet && {
        'starknet-dev': { kind: 'starknet', chainId: starknet.chainId, upstreams: starknet.upstreams },
      }),
    },
    // The key is public and the accounts are unlocked, so no remote web page may use them.
    onlyLocal: true,
    methods: { denyByDefault: false },
    projects: [{ name: 'dev', keys: [{ key: devKey, secret: devSecret }] }],
  }
}

function upstreamsOf({
  httpUrl,
  wsUrl,
}: {
  readonly httpUrl: string
  readonly wsUrl: string
}): NonNullable<Config['networks'][string]>['upstreams'] {
  return [{ name: 'anvil', url: httpUrl, ws: wsUrl }]
}

function rollupNodeOf({ networks }: DevNode): ReturnType<typeof createRollupNode> {
  return createRollupNode({
    l1: createHttpTransport({ url: networks.dev.httpUrl }),
    l2: createHttpTransport({ url: networks['rollup-dev'].httpUrl }),
  })
}
