// In this process, over nodes of several versions, straight and through a gateway; some runs are of a whole command.
import { readFile } from 'node:fs/promises'
import { Readable, Writable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { type Config, createLog, type RunningGateway, startGateway } from '@wayleave/gateway'
import { isStarknetError, starknetMethods } from '@wayleave/starknet-types'
import { describe, expect, it, onTestFinished } from 'vitest'
import { UsageError } from '../../src/command.ts'
import { kebabOf } from '../../src/call/methods.ts'
import { starknet as command } from '../../src/commands/starknet.ts'
import { file, key, type Run, runProcess, runWayleave, serveNode, servePushes } from '../helpers.ts'

const account = '0x64b48806902a367c8598f4f95c305e8c1a1acba5f082d294a43793113115691'
const usage = (words: string): Run => ({ code: 2, stdout: '', stderr: words })
const answer = (stdout: string): Run => ({ code: 0, stdout, stderr: '' })

/** The command in this process; `isTTY` has it print for a person. */
async function starknet(
  args: readonly string[],
  { url, input = '', isTTY = false }: { url?: string; input?: string; isTTY?: boolean } = {},
): Promise<Run> {
  let stdout = ''
  let stderr = ''
  const stream = Object.assign(new Writable(), { isTTY })
  const io = {
    stdout: (text: string) => void (stdout += text),
    stderr: (text: string) => void (stderr += text),
    env: url === undefined ? {} : { WAYLEAVE_RPC_URL: url },
    process: { stdin: Readable.from([input]), stdout: stream } as unknown as NodeJS.Process,
  }
  try {
    return { code: await command.run(args, io), stdout, stderr }
  } catch (thrown) {
    if (!(thrown instanceof UsageError)) throw thrown
    return usage(thrown.message)
  }
}

interface Node {
  readonly url: string
  readonly seen: { readonly method: string; readonly params: unknown }[]
}

/** A node of a version, and what it was asked but for its version. */
async function nodeOf(version: unknown, answers: Readonly<Record<string, unknown>> = {}): Promise<Node> {
  const seen: Node['seen'] = []
  const { url } = await serveNode(({ method, params }) => {
    if (method === 'starknet_specVersion') return version
    seen.push({ method, params })
    return answers[method] ?? { code: -32601, message: 'Method not found' }
  })
  return { url, seen }
}

async function gatewayOver(node: Node, network: object = {}): Promise<RunningGateway> {
  const config = {
    listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
    networks: { sn: { kind: 'starknet', chainId: 'SN_MAIN', upstreams: [node.url], ...network } },
    projects: [{ name: 'open', keys: [{ key }] }],
  } as Config
  const gateway = await startGateway(config, { log: createLog({ level: 'silent' }) })
  onTestFinished(() => gateway.close(0))
  return gateway
}

describe('the version of wayleave starknet', () => {
  it('of a node is the one that it speaks, asked once', async () => {
    const node = await nodeOf('0.8.1', { starknet_getNonce: '0x5' })
    expect(await starknet(['get-nonce', account], { url: node.url })).toEqual(answer('0x5\n'))
    expect(node.seen).toEqual([
      { method: 'starknet_getNonce', params: { block_id: 'latest', contract_address: account } },
    ])
  })

  it('of a node that speaks another one than was asked for is told, and the call is made all the same', async () => {
    const node = await nodeOf('0.10.2', { starknet_getNonce: '0x5' })
    const { code, stdout, stderr } = await starknet(['get-nonce', account, '--spec-version', '0.8'], { url: node.url })
    expect({ code, stdout }).toEqual({ code: 0, stdout: '0x5\n' })
    expect(stderr).toBe('note: the node speaks version 0.10.2, and 0.8 was asked for\n')
    expect(await starknet(['get-nonce', account, '--spec-version', 'v0_10'], { url: node.url })).toEqual(
      answer('0x5\n'),
    )
  })

  it('is the newest where a node speaks one that is not known', async () => {
    const node = await nodeOf('1.0.0', { starknet_blockNumber: 7 })
    expect(await starknet(['block-number'], { url: node.url })).toEqual({
      code: 0,
      stdout: '7\n',
      stderr: 'note: the node speaks version 1.0.0, which is not known here; 0.10 is taken\n',
    })
  })

  it('is what the call needs: without it nothing is asked, and the failure is told', async () => {
    const node = await nodeOf({ code: -32601, message: 'Method not found' }, { starknet_blockNumber: 7 })
    expect(await starknet(['block-number'], { url: node.url })).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'starknet_specVersion: Method not found (-32601)\nhint: starknet_specVersion is a method of Starknet networks: --rpc-url names a node of one\n',
    })
    expect(node.seen).toEqual([{ method: 'starknet_chainId', params: [] }])
    expect(await starknet(['block-number', '--spec-version', '0.8'], { url: node.url })).toEqual(answer('7\n'))
  })

  it('of a gateway is 0.5.1, whatever its configuration says, or the one that is asked for', async () => {
    const node = await nodeOf('0.8.1', { starknet_estimateFee: [fee] })
    const gateway = await gatewayOver(node, { specVersion: '0.8' })
    const url = `${gateway.rpc}/sn/v3/${key}`
    const old = await starknet(['estimate-fee', '[]'], { url })
    expect({ ...old, stdout: old.stdout.split('\n').slice(0, 3) }).toEqual({
      ...answer(''),
      stdout: ['[0].overall_fee\t0x5e89', '[0].gas_consumed\t0x5d09', '[0].gas_price\t0x1'],
    })
    const { stdout } = await starknet(['estimate-fee', '[]', '--spec-version', '0.8', '--json'], { url })
    expect(JSON.parse(stdout)).toEqual([fee])
    const ws = `${gateway.ws}/sn/ws/v3/${key}`
    const elsewhere = await starknet(['block-number', '--network', 'nowhere'], { url })
    expect({ code: elsewhere.code, hint: elsewhere.stderr.split('\n').at(-2) }).toEqual({
      code: 1,
      hint: 'hint: --network names a network of the gateway',
    })
    expect(await starknet(['spec-version'], { url: ws })).toEqual(answer('0.5.1\n'))
    expect(await starknet(['spec-version', '--spec-version', '0.9'], { url: ws })).toEqual(answer('0.9.0\n'))
    // The path of a version is a URL of its own.
    expect((await starknet(['estimate-fee', '[]', '--json'], { url: `${url}/rpc/v0_8` })).stdout).toBe(stdout)
  })
})

const fee = {
  l1_gas_consumed: '0x5d09',
  l1_gas_price: '0x1',
  l2_gas_consumed: '0x0',
  l2_gas_price: '0x1',
  l1_data_gas_consumed: '0x180',
  l1_data_gas_price: '0x1',
  overall_fee: '0x5e89',
  unit: 'WEI',
}

describe('the params of wayleave starknet', () => {
  const invoke = {
    type: 'INVOKE',
    version: '0x3',
    sender_address: account,
    calldata: ['0x1'],
    signature: [],
    nonce: '0x0',
    tip: '0x0',
    paymaster_data: [],
    account_deployment_data: [],
    nonce_data_availability_mode: 'L1',
    fee_data_availability_mode: 'L1',
    resource_bounds: {
      l1_gas: { max_amount: '0x0', max_price_per_unit: '0x0' },
      l2_gas: { max_amount: '0x0', max_price_per_unit: '0x0' },
      l1_data_gas: { max_amount: '0x0', max_price_per_unit: '0x0' },
    },
  }

  const tx = JSON.stringify(invoke)

  /** What a node of 0.8 was asked. */
  async function sent(args: readonly string[], input?: string): Promise<unknown> {
    const results = {
      starknet_getNonce: '0x5',
      starknet_getStorageAt: '0x5',
      starknet_estimateFee: [],
      starknet_simulateTransactions: [],
      starknet_blockNumber: 7,
      starknet_getTransactionByBlockIdAndIndex: {},
      starknet_getStorageProof: {},
    }
    const node = await nodeOf('0.8.1', results)
    const run = await starknet(args, { url: node.url, ...(input !== undefined && { input }) })
    expect(run.code, run.stderr).toBe(0)
    return node.seen[0]!.params
  }

  it.each([
    [[], 'latest'],
    [['pending'], 'pending'],
    [['12'], { block_number: 12 }],
    [['0xab'], { block_hash: '0xab' }],
    [['{"block_number":3}'], { block_number: 3 }],
    [['--block-id', '12'], { block_number: 12 }],
    [['--block-id=0xab'], { block_hash: '0xab' }],
  ])('takes the block from %j', async (block, block_id) => {
    expect(await sent(['get-nonce', ...block, account])).toEqual({ block_id, contract_address: account })
  })

  it('takes positions in the order of the version, and names in any; none is sent where there are none', async () => {
    const params = { contract_address: account, key: '0x11', block_id: 'latest' }
    expect(await sent(['storage-at', account, '17', 'latest'])).toEqual(params)
    expect(await sent(['storage-at', '--key', '17', '--contract-address', account])).toEqual(params)
    expect(await sent(['storage-at', '--block-id', 'latest', account, '0x11'])).toEqual(params)
    expect(await sent(['get-transaction-by-block-id-and-index', '5', '0'])).toEqual({
      block_id: { block_number: 5 },
      index: 0,
    })
    expect(await sent(['block-number'])).toEqual([])
  })

  it('reads transactions from a file, from stdin or as they stand; one is a list of one', async () => {
    const path = await file('tx.json', tx)
    const params = { request: [invoke], simulation_flags: [], block_id: 'latest' }
    for (const [args, input] of [
      [[`@${path}`]],
      [['--request', `@${path}`]],
      [['-'], tx],
      [['--request', '-'], `[${tx}]`],
      [[tx, 'latest']],
      [[`[${tx}]`, '[]', 'latest']],
    ] as const) {
      expect(await sent(['estimate-fee', ...args], input)).toEqual(params)
    }
  })

  it('takes the elements of a list with commas', async () => {
    const flags = 'SKIP_VALIDATE,SKIP_FEE_CHARGE'
    expect(await sent(['simulate-transactions', tx, '--simulation-flags', flags])).toMatchObject({
      simulation_flags: ['SKIP_VALIDATE', 'SKIP_FEE_CHARGE'],
    })
    expect(await sent(['get-storage-proof', 'latest', '--class-hashes', '0x1'])).toEqual({
      block_id: 'latest',
      class_hashes: ['0x1'],
    })
  })

  it.each([
    [[], 'expected a METHOD, such as block-number'],
    [['get-nonze'], 'there is no method "get-nonze" (did you mean "get-nonce"?)'],
    [['subscribe'], 'expected a kind: newHeads, '],
    [['subscribe-new-haeds'], 'there is no subscription to "new-haeds" (did you mean "newHeads"?)'],
    [['subscribe', 'transactionStatus'], 'expected TRANSACTION_HASH, got nothing'],
    [
      ['subscribe', 'newHeads', '--spec-version', '0.7'],
      'version 0.7 has no subscriptions: --spec-version 0.8 or later has',
    ],
    [['block-number', '--count', '1'], '--count: belongs to wayleave starknet subscribe'],
    [['get-nonce'], 'CONTRACT_ADDRESS is missing: expected [BLOCK_ID] CONTRACT_ADDRESS'],
    [['get-nonce', 'newest', account], 'BLOCK_ID: expected a number, a hash, "latest" or "pending", got "newest"'],
    [['get-nonce', 'xyz'], 'below 2^251 + 17·2^192 + 1), got "xyz"; --unchecked sends it all the same'],
    [['get-nonce', 'latest', account, 'more'], 'too many arguments: expected [BLOCK_ID] CONTRACT_ADDRESS'],
    [['block-number', '1'], 'too many arguments: expected none'],
    [['block-number', '--key', '1'], '--key: starknet_blockNumber has no such param'],
    [['estimate-fee', '[{"type":"INVOKE"}]'], 'params.request[0]: expected a transaction'],
    [['estimate-fee', '@/nowhere.json'], '--request: /nowhere.json cannot be read: ENOENT'],
    [['estimate-fee', '-'], '--request: expected JSON in stdin: '],
    [
      ['get-storage-proof', '--spec-version', '0.7'],
      'version 0.7 has no method "get-storage-proof"; --spec-version 0.10 has',
    ],
    [
      ['block-number', '--spec-version', '0.4'],
      '--spec-version: expected one of 0.5.1, 0.6, 0.7, 0.8, 0.9, 0.10, got "0.4"',
    ],
    [['block-number', '--chain-id', 'SN_MAIN'], '--chain-id: belongs to wayleave starknet hash'],
    [['block-number', 'https://host/v3/key'], 'a URL came as an argument: give it by --rpc-url'],
    [['hash', '-'], 'hash: expected --chain-id, such as SN_MAIN'],
    [['hash'], 'hash: expected one FILE or - for stdin'],
    [['selector'], 'selector: expected one NAME'],
    [['selector', ''], 'selector: expected one NAME'],
    [['call', '@'], '--request: expected the name of a file behind @'],
  ])('refuses %j, and sends nothing', async (args, words) => {
    const node = await nodeOf('0.8.1')
    const { code, stdout, stderr } = await starknet(args, { url: node.url })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(words)
    expect(node.seen).toEqual([])
  })

  it('sends what is wrong with --unchecked', async () => {
    expect(await sent(['get-nonce', 'newest', account, '--unchecked'])).toEqual({
      block_id: 'newest',
      contract_address: account,
    })
  })
})

describe('the answers of wayleave starknet', () => {
  it('are a table on a terminal, and what is wrong with them is told', async () => {
    const node = await nodeOf('0.8.1', { starknet_estimateFee: [fee, fee], starknet_blockNumber: '0x7' })
    const { stdout } = await starknet(['estimate-fee', '[]'], { url: node.url, isTTY: true })
    expect(stripVTControlCharacters(stdout).split('\n')[0]).toMatch(/l1_gas_consumed +l1_gas_price/)
    const nodes = await nodeOf('0.8.1', { starknet_blockHashAndNumber: { block_hash: '0x12', gas: '0x12' } })
    const hash = await starknet(['block-hash-and-number'], { url: nodes.url, isTTY: true })
    // A hash is no number.
    expect(stripVTControlCharacters(hash.stdout)).toBe('block_hash  0x12\ngas         0x12  18\n')
    expect(await starknet(['block-number'], { url: node.url })).toEqual({
      code: 0,
      stdout: '0x7\n',
      stderr: 'note: starknet_blockNumber result: expected a whole number from 0, got "0x7"\n',
    })
  })

  it('are errors with code 1, in words or as JSON with all their data', async () => {
    const data = { revert_error: 'out of gas' }
    const node = await nodeOf('0.8.1', { starknet_call: { code: 40, message: 'Contract error', data } })
    const request = JSON.stringify({ contract_address: account, entry_point_selector: '0x2', calldata: [] })
    expect(await starknet(['call', request], { url: node.url })).toEqual({
      code: 1,
      stdout: '',
      stderr: 'starknet_call: Contract error (40)\ndata: {"revert_error":"out of gas"}\n',
    })
    const { code, stdout } = await starknet(['call', request, '--json'], { url: node.url })
    const { error } = JSON.parse(stdout) as { error: { code: number; message: string } }
    expect({ code, guarded: isStarknetError(error, 40, '0.8') }).toEqual({ code: 1, guarded: true })
  })
})

describe('wayleave starknet without a node', async () => {
  // Of mainnet; the feeder gateway that it is from calls an INVOKE otherwise.
  const vectors = new URL('../../../../packages/starknet-types/test/vectors/transaction-hashes.json', import.meta.url)
  const { cases } = JSON.parse(await readFile(vectors, 'utf8')) as {
    readonly cases: readonly {
      readonly type: string
      readonly version: string
      readonly hash: string
      readonly tx: object
    }[]
  }
  const { hash, tx } = cases.find(({ type, version }) => type === 'INVOKE_FUNCTION' && version === '0x1')!
  const invoke = JSON.stringify({ ...tx, type: 'INVOKE' })

  it('gives the selector of a name', async () => {
    const transfer = '0x83afd3f4caedc6eebf44246fe54e38c95e3179a5ec9ea81740eca5b482d12e'
    expect(await starknet(['selector', 'transfer'])).toEqual(answer(`${transfer}\n`))
    expect(await starknet(['selector', 'transfer', '--json'])).toEqual(answer(`"${transfer}"\n`))
  })

  it('gives the hash of a transaction, from a file or stdin, by a name of the chain or its felt', async () => {
    const path = await file('tx.json', invoke)
    expect(await starknet(['hash', path, '--chain-id', 'SN_MAIN'])).toEqual(answer(`${hash}\n`))
    expect(await starknet(['hash', '-', '--chain-id', '0x534e5f4d41494e'], { input: invoke })).toEqual(
      answer(`${hash}\n`),
    )
    expect((await starknet(['hash', path, '--chain-id', 'SN_SEPOLIA'])).stdout).not.toContain(hash)
  })

  it('lists the methods of the version that is named, and tells of each what it takes', () => {
    const help = command.help as (args: readonly string[]) => string
    for (const version of ['0.5.1', '0.10'] as const) {
      const list = help(version === '0.5.1' ? [] : ['--spec-version', version])
      for (const [name, { effect, summary }] of Object.entries(starknetMethods[version])) {
        const isListed = list.includes(`  ${kebabOf(name)} `) && list.includes(`  ${summary}\n`)
        expect([name, isListed]).toEqual([name, effect !== 'session'])
      }
    }
    const method = help(['estimate-fee', '--spec-version', '0.8'])
    expect(method).toContain('Usage: wayleave starknet estimate-fee REQUEST [SIMULATION_FLAGS] [BLOCK_ID] [options]\n')
    expect(method).toContain('Calls starknet_estimateFee of version 0.8. Source: Spec §4.9.\n')
    expect(help(['estimate-fee'])).toContain('estimate-fee REQUEST [BLOCK_ID] [options]\n')
    // Of a method that the default lacks, the newest version that has it.
    expect(help(['get-storage-proof'])).toContain('of version 0.10.')
  })
})

describe('the whole command', () => {
  it('is listed, and refuses with code 2 what the hash of a transaction cannot be made of', async () => {
    const refused = await runWayleave(['starknet', 'hash', '-', '--chain-id', 'SN_MAIN'], {}, '{"type":"INVOKE"}')
    expect(refused).toEqual(
      usage(
        'wayleave starknet: version: expected a felt (0x, up to 64 hex digits, below 2^251 + 17·2^192 + 1), got nothing\nwayleave starknet --help tells more.\n',
      ),
    )
  })

  it('asks a node', async () => {
    const node = await nodeOf('0.8.1', { starknet_blockNumber: 7 })
    expect(await runProcess(['starknet', 'block-number'], { WAYLEAVE_RPC_URL: node.url })).toEqual(answer('7\n'))
  })
})

describe('wayleave starknet subscribe', () => {
  it.each([
    [['newHeads'], 'starknet_subscribeNewHeads', {}],
    [['new-heads', '12'], 'starknet_subscribeNewHeads', { block_id: { block_number: 12 } }],
    [
      ['events', '--from-address', '0x5', '--keys', '[["0x6"]]', '--finality-status', 'ACCEPTED_ON_L2'],
      'starknet_subscribeEvents',
      { from_address: '0x5', keys: [['0x6']], finality_status: 'ACCEPTED_ON_L2' },
    ],
    [['transactionStatus', '0x9'], 'starknet_subscribeTransactionStatus', { transaction_hash: '0x9' }],
    [
      ['newTransactions', '--finality-status', 'RECEIVED,CANDIDATE', '--sender-address', '0x5'],
      'starknet_subscribeNewTransactions',
      { finality_status: ['RECEIVED', 'CANDIDATE'], sender_address: ['0x5'] },
    ],
    [['newTransactionReceipts'], 'starknet_subscribeNewTransactionReceipts', {}],
    // The newest version that has it is 0.8.
    [
      ['pendingTransactions', '--transaction-details', 'true'],
      'starknet_subscribePendingTransactions',
      { transaction_details: true },
    ],
  ])('%j asks %s', async (args, method, params) => {
    const peer = await servePushes('starknet_subscriptionAny', { block_number: 7 })
    const typed = ['starknet', 'subscribe', ...args, '--rpc-url', peer.url, '--count', '1']
    expect(await runWayleave(typed)).toEqual(
      answer('{"method":"starknet_subscriptionAny","result":{"block_number":7}}\n'),
    )
    expect(peer.calls).toEqual([[method, params]])
  })

  it('takes the name of the method, too', async () => {
    const peer = await servePushes('starknet_subscriptionNewHeads', {})
    for (const name of ['subscribe-new-heads', 'subscribeNewHeads', 'starknet_subscribeNewHeads'])
      expect((await runWayleave(['starknet', name, '--rpc-url', peer.url, '--count', '1'])).code).toBe(0)
    expect(peer.calls).toHaveLength(3)
  })

  it('through a gateway takes the version that its nodes speak, unless another one is asked for', async () => {
    const peer = await servePushes('starknet_subscriptionNewHeads', { block_number: 7 })
    const node = await nodeOf('0.8.1')
    const gateway = await gatewayOver(node, { upstreams: [{ name: 'node', url: node.url, ws: peer.url }] })
    const url = `${gateway.rpc}/sn/v3/${key}`
    const typed = ['starknet', 'subscribe', 'newHeads', '--rpc-url', url, '--count', '1']
    expect(await runWayleave(typed)).toEqual(
      answer('{"method":"starknet_subscriptionNewHeads","result":{"block_number":7}}\n'),
    )
    const refused = await runWayleave([...typed, '--spec-version', '0.9'])
    expect({ code: refused.code, stdout: refused.stdout }).toEqual({ code: 1, stdout: '' })
    expect(refused.stderr).toContain('hint: --spec-version 0.8 speaks it\n')
  })

  it('tells its kinds, and what each takes', async () => {
    const list = (await runWayleave(['starknet', 'subscribe', '--help'])).stdout
    const kinds = [
      'newHeads',
      'events',
      'transactionStatus',
      'newTransactionReceipts',
      'newTransactions',
      'pendingTransactions',
    ]
    for (const kind of kinds) expect(list).toMatch(new RegExp(`^  ${kind} +\\S`, 'm'))
    const events = (await runWayleave(['starknet', 'subscribe', 'events', '--help'])).stdout
    expect(events).toContain('Usage: wayleave starknet subscribe events [FROM_ADDRESS] [KEYS] [BLOCK_ID]')
    expect(events).toContain('--count N')
  })
})
