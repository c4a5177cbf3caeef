import { type StarknetDevAccount, type StarknetDevnet, startStarknetDevnet } from '@wayleave/dev-node'
import { createLog, type RunningGateway, startGateway } from '@wayleave/gateway'
import { encodeShortString, type Felt } from '@wayleave/starknet-types'
import { selector, sign, transactionHash } from '@wayleave/starknet-types/hash'
import { httpUrl, key, wsUrl } from '../../test/support/gateway.ts'
import { post, type RpcAnswer } from '../../test/support/http.ts'
import { openSocket } from '../../test/support/socket.ts'

/** A starknet-devnet, and a gateway whose network `starknet-dev` asks it over HTTP, and `starknet-ws` over WebSocket. */
export interface StarknetNetwork extends AsyncDisposable {
  readonly devnet: StarknetDevnet
  readonly gateway: RunningGateway
}

export async function startStarknetNetwork(binary: string): Promise<StarknetNetwork> {
  const devnet = await startStarknetDevnet({ binary, accounts: 2 })
  const { httpUrl: http, wsUrl: ws, chainId } = devnet
  const gateway = await startGateway(
    {
      listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
      networks: {
        'starknet-dev': { kind: 'starknet', chainId, upstreams: [http] },
        'starknet-ws': { kind: 'starknet', chainId, upstreams: [ws] },
      },
      projects: [{ name: 'interop', keys: [{ key }] }],
    },
    { log: createLog({ level: 'silent' }) },
  )
  return {
    devnet,
    gateway,
    async [Symbol.asyncDispose]() {
      await gateway.close()
      await devnet.close()
    },
  }
}

/** A method and its params, by name or by position. */
export type Asked = readonly [method: string, params: unknown]

/** Asks calls in the version of a path, such as `v0_10`; without one in that of the network. */
export type Ask = (version: string | undefined, calls: readonly Asked[]) => Promise<readonly RpcAnswer[]>

/** Every way for calls through a gateway to a node, by what a test says of it. */
export function waysTo({ gateway }: StarknetNetwork): Readonly<Record<string, Ask>> {
  const url = (version: string | undefined, network = 'starknet-dev'): string =>
    `${httpUrl(gateway, network)}${version === undefined ? '' : `/rpc/${version}`}`
  return {
    'over HTTP': (version, calls) => askEach(url(version), calls),
    'in a batch': async (version, calls) => {
      const { text } = await post(url(version), calls.map(callOf))
      return (JSON.parse(text) as readonly RpcAnswer[]).toSorted((a, b) => Number(a.id) - Number(b.id))
    },
    'over WebSocket': async (version, calls) => {
      await using socket = await openSocket(
        `${wsUrl(gateway, 'starknet-dev')}${version === undefined ? '' : `/rpc/${version}`}`,
      )
      return await Promise.all(calls.map(([method, params]) => socket.ask(method, params as readonly unknown[])))
    },
    'of a node over WebSocket': (version, calls) => askEach(url(version, 'starknet-ws'), calls),
  }
}

/** A POST for each call; the ids count from 1. */
export function askEach(url: string, calls: readonly Asked[]): Promise<readonly RpcAnswer[]> {
  return Promise.all(calls.map(async (asked, i) => JSON.parse((await post(url, callOf(asked, i))).text) as RpcAnswer))
}

function callOf([method, params]: Asked, i: number): object {
  return { jsonrpc: '2.0', id: i + 1, method, params }
}

/** A value in which what devnet lists in an order of chance is in order: changes and reads of the state. */
export function settled(value: unknown, isList = false): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const items = value.map((each) => settled(each, isList))
    return isList ? items.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : items
  }
  const entries = Object.entries(value).map(([name, member]) => {
    return [name, settled(member, isList || name === 'state_diff' || name === 'initial_reads')] as const
  })
  return Object.fromEntries(entries)
}

/** The contract of STRK on every chain of Starknet. */
export const strk: Felt = '0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d'

interface Transfer {
  readonly nonce: number
  /** In fri. Default 5. */
  readonly amount?: bigint
  /** Default `0x3`. */
  readonly version?: '0x3' | '0x100000000000000000000000000000003'
  /** Of L2 gas: the most that is used. Default 10 million. */
  readonly gas?: bigint
}

const hex = (value: bigint | number): Felt => `0x${value.toString(16)}`

/** A transfer of STRK to `0x1234`, as an account signs it with our hashes. */
export function signTransfer(account: StarknetDevAccount, transfer: Transfer) {
  const { nonce, amount = 5n, version = '0x3', gas = 10_000_000n } = transfer
  const bound = (most: bigint) => ({ max_amount: hex(most), max_price_per_unit: '0x59682f00' }) as const
  const calldata: readonly Felt[] = [
    '0x1',
    strk,
    selector('transfer'),
    '0x3',
    '0x1234',
    hex(amount % 2n ** 128n),
    hex(amount >> 128n),
  ]
  const transaction = {
    type: 'INVOKE',
    version,
    sender_address: account.address as Felt,
    nonce: hex(nonce),
    calldata,
    tip: '0x0',
    resource_bounds: { l1_gas: bound(0n), l2_gas: bound(gas), l1_data_gas: bound(1_024n) },
    paymaster_data: [],
    account_deployment_data: [],
    nonce_data_availability_mode: 'L1',
    fee_data_availability_mode: 'L1',
  } as const
  return { ...transaction, signature: sign(transactionHash(transaction, chainFelt), account.privateKey) }
}

/** What the hashes of devnet's transactions take for its chain. */
export const chainFelt: string = encodeShortString('SN_SEPOLIA')
