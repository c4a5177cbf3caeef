import { parseArgs } from 'node:util'
import { encodeShortString, versionOf, type StarknetVersion, starknetVersions } from '@wayleave/starknet-types'
import { type HashableTransaction, selector, transactionHash } from '@wayleave/starknet-types/hash'
import { wordsIn } from '../call/method-help.ts'
import { kebabOf } from '../call/methods.ts'
import { callFlags } from '../call/call-flags.ts'
import { networkHint } from '../call/network-hint.ts'
import { openStarknet, type StarknetConnection } from '../call/open-starknet.ts'
import { reportFailure } from '../call/report.ts'
import { callAndPrint } from '../call/run-method.ts'
import { starknetHelp, starknetMethodHelp, starknetSubscribeHelp } from '../call/starknet-help.ts'
import { findStarknetMethod, findSubscription, readVersion, starknetSummaries } from '../call/starknet-methods.ts'
import { readJson, readStarknetParams, type StarknetFlags, starknetParamFlags } from '../call/starknet-params.ts'
import { type Command, type CommandIo, UsageError } from '../command.ts'
import { visible } from '../output/visible.ts'
import { readArgs, textFlags } from '../read-args.ts'

const options = {
  ...callFlags,
  ...starknetParamFlags,
  ...textFlags('spec-version', 'chain-id', 'count'),
  unchecked: { type: 'boolean', default: false },
} as const

type OfflineFlags = Pick<StarknetFlags, 'json' | 'chain-id'>

/** `wayleave starknet`: calls the `starknet_*` methods of any version by name; computes hashes and selectors. */
export const starknet: Command = {
  words: async () => starknetSummaries().map(({ name, summary }) => ({ name: kebabOf(name), summary })),
  help: (args) => {
    const { values } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true })
    const given = values['spec-version']
    const version = typeof given === 'string' ? readVersion(given) : '0.5.1'
    const [name, ...rest] = wordsIn(args, options)
    if (name === undefined || isOffline(name)) return starknetHelp(version)
    const kind = kindIn(name, rest)
    if (kind?.length === 0) return starknetSubscribeHelp()
    if (kind !== undefined) {
      const found = findSubscription(kind[0], typeof given === 'string' ? version : undefined)
      return starknetMethodHelp(found.method, found.version)
    }
    const has = typeof given === 'string' ? version : newestWith(name)
    return starknetMethodHelp(findStarknetMethod(name, has), has)
  },
  async run(args, io) {
    const parsed = readArgs(args, options)
    const values = parsed.values as StarknetFlags
    const [name, ...texts] = parsed.positionals
    if (name === undefined)
      throw new UsageError('expected a METHOD, such as block-number; wayleave starknet --help lists them')
    if (isOffline(name)) return runOffline(name, texts, values, io)
    const kind = kindIn(name, texts)
    if (values['chain-id'] !== undefined) throw new UsageError('--chain-id: belongs to wayleave starknet hash')
    if (kind !== undefined)
      return (await import('../call/starknet-subscribe.ts')).runStarknetSubscribe(kind, values, io)
    if (values.count !== undefined) throw new UsageError('--count: belongs to wayleave starknet subscribe')
    return run(name, texts, values, io)
  },
}

async function run(name: string, texts: readonly string[], flags: StarknetFlags, io: CommandIo): Promise<number> {
  const given = flags['spec-version']
  const wanted = given === undefined ? undefined : readVersion(given)
  // If the version is known, wrong names and params are refused before any call.
  const { client, isGateway } = openStarknet(flags, io.env, wanted ?? '0.5.1')
  const known = wanted ?? (isGateway ? '0.5.1' : undefined)
  const read = async (version: StarknetVersion): Promise<[ReturnType<typeof findStarknetMethod>, unknown]> => {
    const method = findStarknetMethod(name, version)
    return [method, await readStarknetParams(method, texts, flags, io, flags.unchecked)]
  }
  try {
    const early = known === undefined ? undefined : await read(known)
    const call = async (): Promise<number> => {
      if (early === undefined) {
        const spoken = await client.requestUnchecked('starknet_specVersion', [])
        return callAndPrint(client, ...(await read(versionSpoken(spoken, io))), flags, io)
      }
      const calling = callAndPrint(client, ...early, flags, io)
      if (isGateway) return calling
      // Asked in parallel with the call, so that it adds no time.
      const reported = reportOther(client, known!, io)
      return calling.finally(() => reported)
    }
    const method = early?.[0].name ?? 'starknet_specVersion'
    return await reportFailure(io, flags, call, (failure) => networkHint(method, failure, flags, io.env, client))
  } finally {
    await client.close()
  }
}

/** Notes if the node speaks another version. A failure of this question is ignored. */
async function reportOther(
  client: StarknetConnection['client'],
  version: StarknetVersion,
  io: CommandIo,
): Promise<void> {
  const spoken = await client.requestUnchecked('starknet_specVersion', []).catch(() => undefined)
  if (typeof spoken === 'string' && versionOf(spoken) !== version)
    io.stderr(visible(`note: the node speaks version ${spoken}, and ${version} was asked for\n`))
}

/** Returns the version that a node answered to `starknet_specVersion`, or the newest if that one is unknown. */
function versionSpoken(answer: unknown, io: CommandIo): StarknetVersion {
  const version = versionOf(String(answer))
  if (version !== undefined) return version
  const newest = starknetVersions.at(-1)!
  io.stderr(visible(`note: the node speaks version ${String(answer)}, which is not known here; ${newest} is taken\n`))
  return newest
}

/** Chooses the version for help without `--spec-version`: the default if it has the method, else the newest that has it. */
function newestWith(name: string): StarknetVersion {
  const found = ['0.5.1' as const, ...starknetVersions.toReversed()].find((version) => {
    try {
      return findStarknetMethod(name, version)
    } catch {
      return false
    }
  })
  return found ?? '0.5.1'
}

/** The kind of `subscribe KIND`, `subscribe-new-heads` or `starknet_subscribeNewHeads`, and what follows; undefined for any other method. */
function kindIn(name: string, rest: readonly string[]): readonly string[] | undefined {
  const [, inName] = /^(?:starknet_)?subscribe-?(.*)$/i.exec(name) ?? []
  if (inName === undefined) return undefined
  return inName === '' ? rest : [inName, ...rest]
}

/** Tells whether a word after `wayleave starknet` needs no node. */
function isOffline(name: string): name is 'hash' | 'selector' {
  return name === 'hash' || name === 'selector'
}

/** Runs `wayleave starknet hash FILE|-` and `wayleave starknet selector NAME`. */
async function runOffline(
  name: 'hash' | 'selector',
  texts: readonly string[],
  flags: OfflineFlags,
  io: CommandIo,
): Promise<number> {
  const [text] = texts
  const what = name === 'hash' ? 'FILE or - for stdin' : 'NAME, such as transfer'
  if (!text || texts.length > 1) throw new UsageError(`${name}: expected one ${what}`)
  const felt = name === 'selector' ? selector(text) : await hashOf(text, flags, io)
  io.stdout(`${flags.json ? JSON.stringify(felt) : felt}\n`)
  return 0
}

async function hashOf(path: string, { 'chain-id': chain }: OfflineFlags, io: CommandIo): Promise<string> {
  if (chain === undefined) throw new UsageError('hash: expected --chain-id, such as SN_MAIN or SN_SEPOLIA')
  const chainId = /^0x/i.test(chain) ? chain : encodeShortString(chain)
  const tx = await readJson(path.replace(/^@/, ''), io, 'hash')
  if (typeof tx !== 'object' || tx === null) throw new UsageError('hash: expected a transaction, a JSON object')
  return transactionHash(tx as HashableTransaction, chainId)
}
