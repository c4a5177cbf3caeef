import { type Client, RpcError } from '@wayleave/client'
import { classifyNodeError } from '@wayleave/evm-types'
import type { CommandIo } from '../command.ts'
import { type CallFlagValues, targetOf } from './call-flags.ts'

interface Family {
  readonly methods: RegExp
  readonly name: string
  /** A method that each network of the family answers, and no other. */
  readonly probe: string
  /** The network of `wayleave dev` that is one. */
  readonly example: string
}

const families: readonly Family[] = [
  { methods: /^starknet_/, name: 'Starknet networks', probe: 'starknet_chainId', example: 'starknet-dev' },
  { methods: /^(?:rollup|optimism)_/, name: 'rollups', probe: 'rollup_getInfo', example: 'rollup-dev' },
  { methods: /^(?:eth|net|web3|debug|trace|txpool)_/, name: 'EVM networks', probe: 'eth_chainId', example: 'dev' },
]

/** The longest time that a command which has failed takes to learn more, in ms. */
const patienceMs = 5_000

/**
 * Says that a call went to a network of another kind, or to one that is not there; undefined where the network was right. For a method
 * that is not found, the network is asked what it is by `client`.
 */
export async function networkHint(
  method: string,
  failure: RpcError,
  flags: CallFlagValues,
  env: CommandIo['env'],
  client?: Pick<Client, 'requestUnchecked'>,
): Promise<string | undefined> {
  const target = targetOf(flags, env)
  const message = failure.rpc?.message ?? ''
  if (failure.httpStatus === 404 && /^unknown network "[^"]*"$/.test(message)) return unknownNetworkHint(flags, env)
  const family = families.find(({ methods }) => methods.test(method))
  if (family === undefined) return undefined
  const isOfAnother =
    failure.httpStatus === 404
      ? message.includes('has no versions to choose from')
      : client !== undefined && isNotFound(failure) && (await isLacking(client, family.probe))
  if (!isOfAnother) return undefined
  if (target === 'node') return `${method} is a method of ${family.name}: --rpc-url names a node of one`
  return `${method} is a method of ${family.name}: --network names one${target === 'dev' ? `, such as ${family.example}` : ''}`
}

/** The hint for a network that the gateway does not have. */
export function unknownNetworkHint(flags: CallFlagValues, env: CommandIo['env']): string {
  const known = targetOf(flags, env) === 'dev' ? ': dev, rollup-dev or starknet-dev' : ''
  return `--network names a network of the gateway${known}`
}

function isNotFound(failure: unknown): boolean {
  return (
    failure instanceof RpcError && failure.rpc !== undefined && classifyNodeError(failure.rpc) === 'method_not_found'
  )
}

/** Tells whether the network lacks a method; any other failure tells nothing. */
async function isLacking(client: Pick<Client, 'requestUnchecked'>, method: string): Promise<boolean> {
  try {
    await client.requestUnchecked(method, [], { timeoutMs: patienceMs })
    return false
  } catch (thrown) {
    return isNotFound(thrown)
  }
}
