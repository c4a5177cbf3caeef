import { dirname, extname } from 'node:path'
import type { Config } from '@wayleave/gateway'
import type { Subcommand } from '../accounts/subcommands.ts'
import { type CommandIo, UsageError } from '../command.ts'
import { schemeHint } from '../scheme-hint.ts'
import { hashOf } from './key-hash.ts'
import { type ConfigFormat, printConfig } from './new-config.ts'
import { schemaAddress } from './schema-place.ts'
import { writeNew } from './write-new.ts'
import { listFlags, readFlags, switchFlags, textFlags, type ValuesOf } from '../read-args.ts'

const defaultUpstream = 'http://127.0.0.1:8545'

const flags = { ...listFlags('upstream'), ...textFlags('config', 'format'), ...switchFlags('json') } as const

/** `config init`. */
export const init: Subcommand = {
  usage: '[--upstream URL]… [--config FILE] [--format yaml|ts|json] [--json]',
  summary: 'writes a small configuration, and prints its key this once',
  help: `Writes a small configuration with comments that wayleave serve serves, and a key for it: the file holds its hash, stdout gets the key,
and nothing prints it again. Asks each node for its chain. Never overwrites a file, and asks you nothing.

  --upstream URL      a node (http, https, ws, wss); those of one chain are one network. Default ${defaultUpstream}
  --config FILE       the file to write, by its name in YAML, TypeScript or JSON; default wayleave.config.yaml
  --format FORMAT     yaml, ts or json: that of the default name
  --json              one line of JSON: {"file","key","networks":[{"name","kind","chainId"}]}

Exit code 0: written; 2: used wrongly, or the file is there already.
`,
  async run(args, io) {
    const values = readFlags(args, flags)
    const { file, format } = placeOf(values)
    const urls = (values.upstream ?? [defaultUpstream]).map(checkUrl)
    // The gateway takes a while to load.
    const [{ createApiKey }, { hostOf, recognizeNode }, { homeNetworks }] = await Promise.all([
      import('@wayleave/auth'),
      import('@wayleave/gateway'),
      import('../serve/home-networks.ts'),
    ])
    const nodes = await Promise.all(urls.map(async (url) => ({ url, ...(await recognizeNode(url)) })))
    const silent = nodes.filter((node) => 'fault' in node)
    const networks = homeNetworks(nodes.filter((node) => 'chainId' in node))
    const key = createApiKey()
    const config = await checked(
      silent.length === 0 ? networks : { ...networks, node: { kind: 'evm', upstreams: silent.map(({ url }) => url) } },
      key,
    )
    await writeNew(file, printConfig(config, format, schemaAddress(dirname(file)), true))
    const found = Object.entries(config.networks).map(([name, { kind, chainId }]) => ({ name, kind, chainId }))
    if (values.json) io.stdout(`${JSON.stringify({ file, key, networks: found })}\n`)
    else {
      for (const { url, fault } of silent)
        io.stderr(`${hostOf(url)}: ${fault}; wayleave serve will ask it for its chain\n`)
      report(file, key, found, io)
    }
    return 0
  },
}

interface InitNetwork {
  readonly name: string
  /** Undefined if no node told it. */
  readonly chainId: number | string | undefined
}

function placeOf({ config, format }: Pick<ValuesOf<typeof flags>, 'config' | 'format'>): {
  readonly file: string
  readonly format: ConfigFormat
} {
  if (format !== undefined && !['yaml', 'ts', 'json'].includes(format)) {
    throw new UsageError(`--format: expected yaml, ts or json, got "${format}"`)
  }
  const file = config ?? `wayleave.config.${format ?? 'yaml'}`
  const kind = extname(file).slice(1).replace('yml', 'yaml')
  if (kind !== 'yaml' && kind !== 'ts' && kind !== 'json') {
    throw new UsageError('--config: expected the name of a .yaml, .ts or .json file')
  }
  if (format !== undefined && format !== kind) throw new UsageError(`--format ${format} and --config differ: give one`)
  return { file, format: kind }
}

/** Returns the same URL. @throws UsageError */
function checkUrl(url: string): string {
  const { protocol, hostname } = URL.parse(url) ?? {}
  if (hostname !== undefined && hostname !== '' && /^(?:http|ws)s?:$/.test(protocol!)) return url
  // The URL is not shown, as its path may be a key.
  throw new UsageError(`--upstream: expected an http, https, ws or wss URL${schemeHint(url)}`)
}

/** The configuration. Rejects with a UsageError where it could not be served. */
async function checked(networks: Config['networks'], key: string): Promise<Config> {
  const { checkConfig, ConfigError, printProblem } = await import('@wayleave/gateway')
  const config: Config = {
    listen: { rpc: '127.0.0.1:8645', admin: '127.0.0.1:8646' },
    dataDir: '.wayleave/gateway',
    ...(Object.keys(networks).length > 1 && { defaultNetwork: Object.keys(networks)[0]! }),
    networks,
    projects: [{ name: 'home', keys: [{ keyHash: hashOf(key) }] }],
  }
  try {
    return checkConfig(config)
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown
    throw new UsageError(thrown.problems.map((problem) => printProblem(problem)).join('\n'))
  }
}

function report(file: string, key: string, networks: readonly InitNetwork[], io: CommandIo): void {
  io.stdout(`${key}\n`)
  for (const { name, chainId } of networks) if (chainId !== undefined) io.stderr(`${name}: chain ${chainId}\n`)
  const flag = /(?:^|[/\\])wayleave\.config\.\w+$/.test(file) && !/[/\\]/.test(file) ? '' : ` --config ${file}`
  io.stderr(
    `${file} is written, with the hash of the key above, which nothing prints again; serve it by: wayleave serve${flag}\n`,
  )
}
