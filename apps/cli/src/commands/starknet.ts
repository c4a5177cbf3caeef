import { parseArgs } from 'node:util'
import { RpcError } from '@wayleave/client'
import { versionOf, type StarknetVersion, starknetVersions } from '@wayleave/starknet-types'
import { namedIn } from '../call/method-help.ts'
import { callFlags, type CallFlagValues, openStarknet, type StarknetConnection } from '../call/open-client.ts'
import { reportFailure } from '../call/report.ts'
import { callAndPrint } from '../call/run-method.ts'
import { starknetHelp, starknetMethodHelp } from '../call/starknet-help.ts'
import { findStarknetMethod, readVersion } from '../call/starknet-methods.ts'
import { readStarknetParams, starknetParamFlags } from '../call/starknet-params.ts'
import { type Command, type CommandIo, UsageError } from '../command.ts'
import { visible } from '../output/visible.ts'
import { isOffline, runOffline } from './starknet-offline.ts'

const options = {
  ...callFlags,
  ...starknetParamFlags,
  'spec-version': { type: 'string' },
  'chain-id': { type: 'string' },
  unchecked: { type: 'boolean', default: false },
} as const

interface Flags extends CallFlagValues {
  readonly json: boolean
  readonly unchecked: boolean
  readonly 'spec-version'?: string | undefined
  readonly [param: string]: unknown
}

/** `wayleave starknet`: the `starknet_*` methods of any version by name, hashes and selectors. */
export const starknet: Command = {
  help: (args) => {
    const { values } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true })
    const given = values['spec-version']
    const version = typeof given === 'string' ? readVersion(given) : '0.5.1'
    const name = namedIn(args, options)
    if (name === undefined || isOffline(name)) return starknetHelp(version)
    const has = typeof given === 'string' ? version : newestWith(name)
    return starknetMethodHelp(findStarknetMethod(name, has), has)
  },
  async run(args, io) {
    const parsed = parseArgs({ args: [...args], allowPositionals: true, options })
    const values = parsed.values as Flags
    const [name, ...texts] = parsed.positionals
    if (name === undefined)
      throw new UsageError('expected a METHOD, such as block-number; wayleave starknet --help lists them')
    if (isOffline(name)) return runOffline(name, texts, values, io)
    if (values['chain-id'] !== undefined) throw new UsageError('--chain-id: belongs to wayleave starknet hash')
    return run(name, texts, values, io)
  },
}

async function run(name: string, texts: readonly string[], flags: Flags, io: CommandIo): Promise<number> {
  const given = flags['spec-version']
  const wanted = given === undefined ? undefined : readVersion(given)
  // Wrong names and params are told before anybody is asked, where the version is known.
  const { client, isGateway } = openStarknet(flags, io.env, wanted ?? '0.5.1')
  const known = wanted ?? (isGateway ? '0.5.1' : undefined)
  const read = async (version: StarknetVersion): Promise<[ReturnType<typeof findStarknetMethod>, unknown]> => {
    const method = findStarknetMethod(name, version)
    return [method, await readStarknetParams(method, texts, flags, io, flags.unchecked)]
  }
  try {
    const early = known === undefined ? undefined : await read(known)
    return await reportFailure(io, flags.json, async () => {
      if (early === undefined) {
        const spoken = await client.requestUnchecked('starknet_specVersion', [])
        return callAndPrint(client, ...(await read(versionSpoken(spoken, io))), flags, io)
      }
      const calling = callAndPrint(client, ...early, flags, io)
      if (isGateway) return calling.catch((thrown: unknown) => hintAtNetwork(thrown, io))
      // Asked beside the call, so that it takes no longer.
      const told = tellOther(client, known!, io)
      return calling.finally(() => told)
    })
  } finally {
    await client.close()
  }
}

/** A network of another kind has no versions in its paths. */
function hintAtNetwork(thrown: unknown, io: CommandIo): never {
  if (thrown instanceof RpcError && thrown.httpStatus === 404)
    io.stderr('note: --network names a network of Starknet, such as starknet-dev\n')
  throw thrown
}

/** Says so where the node speaks another version; what it fails with is none of the call's. */
async function tellOther(client: StarknetConnection['client'], version: StarknetVersion, io: CommandIo): Promise<void> {
  const spoken = await client.requestUnchecked('starknet_specVersion', []).catch(() => undefined)
  if (typeof spoken === 'string' && versionOf(spoken) !== version)
    io.stderr(visible(`note: the node speaks version ${spoken}, and ${version} was asked for\n`))
}

/** The version that a node answered to `starknet_specVersion`, or the newest where its own has no table. */
function versionSpoken(answer: unknown, io: CommandIo): StarknetVersion {
  const version = versionOf(String(answer))
  if (version !== undefined) return version
  const newest = starknetVersions.at(-1)!
  io.stderr(visible(`note: the node speaks version ${String(answer)}, which is not known here; ${newest} is taken\n`))
  return newest
}

/** The version whose help is shown where none is named: the default one, or the newest that has the method. */
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
