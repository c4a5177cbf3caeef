import fc, { type Arbitrary } from 'fast-check'
import { type StarknetVersion, starknetVersions } from '../../src/index.ts'

type V = StarknetVersion
type Thing = Record<string, unknown>
type Shape = Record<string, Arbitrary<unknown>>

/** Whether a version is another one or later. */
export function since(version: V, first: V): boolean {
  return starknetVersions.indexOf(version) >= starknetVersions.indexOf(first)
}

export const felt: Arbitrary<string> = fc.bigInt({ min: 0n, max: 2n ** 250n }).map((n) => `0x${n.toString(16)}`)
export const index: Arbitrary<number> = fc.nat()
const felts = fc.array(felt, { maxLength: 2 })
const small = fc.bigInt({ min: 0n, max: 2n ** 60n })
const hex = small.map((n) => `0x${n.toString(16)}`)
const text = fc.string({ maxLength: 8 })
const never = fc.constant(undefined)

/** An object whose members may each be absent where their arbitrary says undefined. */
const thing = (shape: Shape): Arbitrary<Thing> =>
  fc.record(shape).map((made) => Object.fromEntries(Object.entries(made).filter(([, value]) => value !== undefined)))
const maybe = <T>(value: Arbitrary<T>): Arbitrary<T | undefined> => fc.option(value, { nil: undefined })
const list = (each: Arbitrary<unknown>): Arbitrary<unknown[]> => fc.array(each, { maxLength: 2 })

/** The same value for the same key: recursive things are costly to describe. */
function perVersion<T>(make: (version: V) => Arbitrary<T>): (version: V) => Arbitrary<T> {
  const made = new Map<V, Arbitrary<T>>()
  return (version) => made.get(version) ?? made.set(version, make(version)).get(version)!
}

/** A fee estimate that adds up, or one that does not say all that was paid for. */
export const fee = perVersion((version: V) =>
  fc
    .tuple(
      fc.array(small, { minLength: 3, maxLength: 3 }),
      fc.array(small, { minLength: 3, maxLength: 3 }),
      fc.boolean(),
    )
    .chain(([used, prices, usesL2]) => {
      const consumed = usesL2 ? used : [used[0]!, used[1]!, 0n]
      const names = since(version, '0.8')
        ? ['l1_gas', 'l1_data_gas', 'l2_gas']
        : since(version, '0.7')
          ? ['gas', 'data_gas']
          : ['gas']
      const product = names.reduce((sum, _, i) => sum + consumed[i]! * prices[i]!, 0n)
      const resources = names.flatMap((name, i) => [
        [`${name}_consumed`, fc.constant(`0x${consumed[i]!.toString(16)}`)],
        [`${name}_price`, fc.constant(`0x${prices[i]!.toString(16)}`)],
      ])
      return thing({
        ...(Object.fromEntries(resources) as Shape),
        overall_fee: fc.constantFrom(product, product, product + 1n).map((n) => `0x${n.toString(16)}`),
        unit: version === '0.5.1' ? never : fc.constantFrom('WEI', 'FRI'),
      })
    }),
)

const computation = (count: Arbitrary<unknown>): Shape => ({
  steps: count,
  memory_holes: maybe(count),
  ...Object.fromEntries(
    ['range_check', 'pedersen', 'poseidon', 'ec_op', 'ecdsa', 'bitwise', 'keccak'].map((name) => [
      `${name}_builtin_applications`,
      maybe(count),
    ]),
  ),
})

function resourcesOf(version: V): Arbitrary<Thing> {
  if (since(version, '0.8')) return thing({ l1_gas: index, l1_data_gas: index, l2_gas: index })
  if (version === '0.5.1') return thing(computation(index.map((n) => `0x${n.toString(16)}`)))
  const data = thing({ l1_gas: index, l1_data_gas: index })
  const counts = { ...computation(index), segment_arena_builtin: maybe(index) }
  return thing(version === '0.7' ? { ...counts, data_availability: data } : counts)
}

const call = perVersion((version: V) => {
  const gas = thing({ l1_gas: index, l2_gas: index })
  const more = since(version, '0.8')
    ? { execution_resources: gas, is_reverted: fc.boolean() }
    : version === '0.5.1'
      ? {}
      : { execution_resources: thing(computation(index)) }
  return fc.letrec<{ call: Thing }>((tie) => ({
    call: thing({
      contract_address: felt,
      entry_point_selector: felt,
      calldata: felts,
      caller_address: felt,
      class_hash: felt,
      entry_point_type: fc.constantFrom('EXTERNAL', 'L1_HANDLER', 'CONSTRUCTOR'),
      call_type: fc.constantFrom('CALL', 'LIBRARY_CALL', 'DELEGATE'),
      result: felts,
      calls: fc.oneof({ depthSize: 'small', maxDepth: 2 }, fc.constant([]), list(tie('call'))),
      events: list(thing({ order: index, keys: felts, data: felts })),
      messages: list(thing({ order: index, from_address: felt, to_address: felt, payload: felts })),
      ...more,
    }),
  })).call
})

const stateDiff = (version: V): Arbitrary<Thing> =>
  thing({
    storage_diffs: list(thing({ address: felt, storage_entries: list(thing({ key: felt, value: felt })) })),
    deprecated_declared_classes: felts,
    declared_classes: list(thing({ class_hash: felt, compiled_class_hash: felt })),
    deployed_contracts: list(thing({ address: felt, class_hash: felt })),
    replaced_classes: list(thing({ contract_address: felt, class_hash: felt })),
    nonces: list(thing({ contract_address: felt, nonce: felt })),
    migrated_compiled_classes:
      version === '0.10' ? maybe(list(thing({ class_hash: felt, compiled_class_hash: felt }))) : never,
  })

export const trace = perVersion((version: V) => {
  const reverted = thing({ revert_reason: text })
  const own = call(version)
  const rest = {
    state_diff: maybe(stateDiff(version)),
    execution_resources: since(version, '0.7') ? resourcesOf(version) : never,
  }
  const around = { validate_invocation: maybe(own), fee_transfer_invocation: maybe(own), ...rest }
  const type = (name: string): Arbitrary<string> => fc.constant(name)
  return fc.oneof(
    thing({ type: type('INVOKE'), execute_invocation: fc.oneof(own, reverted), ...around }),
    thing({ type: type('DECLARE'), ...around }),
    thing({ type: type('DEPLOY_ACCOUNT'), constructor_invocation: own, ...around }),
    thing({
      type: type('L1_HANDLER'),
      function_invocation: since(version, '0.9') ? fc.oneof(own, reverted) : own,
      ...rest,
    }),
  )
})

const event = thing({ from_address: felt, keys: felts, data: felts })

/** A receipt; `place` says whether it names its block. */
export function receipt(version: V, place: 'closed' | 'open' | 'inBlock'): Arbitrary<Thing> {
  const accepted = fc.constantFrom('ACCEPTED_ON_L2', 'ACCEPTED_ON_L1')
  const made = fc.constant(since(version, '0.9') ? 'PRE_CONFIRMED' : 'ACCEPTED_ON_L2')
  const kind = fc.oneof(
    thing({ type: fc.constantFrom('INVOKE', 'DECLARE') }),
    thing({ type: fc.constantFrom('DEPLOY', 'DEPLOY_ACCOUNT'), contract_address: felt }),
    thing({ type: fc.constant('L1_HANDLER'), message_hash: hex }),
  )
  const common = thing({
    transaction_hash: felt,
    actual_fee: version === '0.5.1' ? felt : thing({ amount: felt, unit: fc.constantFrom('WEI', 'FRI') }),
    finality_status: place === 'open' ? made : accepted,
    execution_status: fc.constant('SUCCEEDED'),
    messages_sent: list(thing({ from_address: felt, to_address: felt, payload: felts })),
    events: list(event),
    execution_resources: resourcesOf(version),
    block_hash: place === 'closed' ? felt : never,
    block_number: place === 'closed' || (place === 'open' && since(version, '0.9')) ? index : never,
  })
  return fc.tuple(kind, common).map(([one, other]) => ({ ...one, ...other }))
}

const maxFee = { max_fee: felt, signature: felts, nonce: felt }
const versionOf = (n: number): Arbitrary<string> => fc.constant(`0x${n}`)

function v3(version: V): Shape {
  const bound = thing({ max_amount: hex, max_price_per_unit: hex })
  return {
    version: versionOf(3),
    signature: felts,
    nonce: felt,
    resource_bounds: thing({ l1_gas: bound, l2_gas: bound, l1_data_gas: since(version, '0.8') ? bound : never }),
    tip: hex,
    paymaster_data: felts,
    nonce_data_availability_mode: fc.constantFrom('L1', 'L2'),
    fee_data_availability_mode: fc.constantFrom('L1', 'L2'),
  }
}

const invoke = fc.constant('INVOKE')
const calls = { type: invoke, sender_address: felt, calldata: felts }

function entryPoints(entry: Arbitrary<unknown>): Arbitrary<Thing> {
  return thing({ CONSTRUCTOR: list(entry), EXTERNAL: list(entry), L1_HANDLER: list(entry) })
}

const sierra = thing({
  sierra_program: felts,
  contract_class_version: fc.constant('0.1.0'),
  entry_points_by_type: entryPoints(thing({ selector: felt, function_idx: index })),
  abi: maybe(fc.constant('[]')),
})

/** The class of a contract, of either Cairo. */
export const classOf: Arbitrary<Thing> = fc.oneof(
  sierra,
  thing({
    program: fc.base64String({ maxLength: 8 }),
    entry_points_by_type: entryPoints(thing({ offset: hex, selector: felt })),
    abi: maybe(fc.constant([{ type: 'function', name: 'f' }])),
  }),
)

export const compiledClass: Arbitrary<Thing> = thing({
  entry_points_by_type: entryPoints(thing({ offset: index, selector: felt, builtins: fc.constant(['pedersen']) })),
  bytecode: felts,
  prime: felt,
  compiler_version: fc.constant('2.1.0'),
  hints: fc.constant([[2, [{ TestLessThan: {} }]]]),
})

const nodes = list(
  thing({
    node_hash: felt,
    node: fc.oneof(thing({ left: felt, right: felt }), thing({ path: hex, length: index, child: felt })),
  }),
)

export const storageProof: Arbitrary<Thing> = thing({
  classes_proof: nodes,
  contracts_proof: thing({
    nodes,
    contract_leaves_data: list(
      fc.option(thing({ nonce: felt, class_hash: felt, storage_root: maybe(felt) }), { nil: null }),
    ),
  }),
  contracts_storage_proofs: list(nodes),
  global_roots: thing({ contracts_tree_root: felt, classes_tree_root: felt, block_hash: felt }),
})

/** A message from L1. */
export const message: Arbitrary<Thing> = thing({
  from_address: fc.nat().map((n) => `0x${n.toString(16).padStart(40, '0')}`),
  to_address: felt,
  entry_point_selector: felt,
  payload: felts,
})

/** A transaction as it is sent. */
export const sent = perVersion((version: V): Arbitrary<Thing> => {
  const declare = {
    type: fc.constant('DECLARE'),
    sender_address: felt,
    compiled_class_hash: felt,
    contract_class: sierra,
  }
  const proof_facts = version === '0.10' ? maybe(felts) : never
  const newer = [
    thing({ ...calls, account_deployment_data: felts, ...v3(version), proof_facts }),
    thing({ ...declare, account_deployment_data: felts, ...v3(version) }),
  ]
  const older = [
    thing({ ...calls, ...maxFee, version: versionOf(1) }),
    thing({ ...declare, ...maxFee, version: versionOf(2) }),
  ]
  const deploy = { type: fc.constant('DEPLOY_ACCOUNT'), contract_address_salt: felt, constructor_calldata: felts }
  const deployed = { ...deploy, class_hash: felt }
  newer.push(thing({ ...deployed, ...v3(version) }))
  older.push(thing({ ...deployed, ...maxFee, version: versionOf(1) }))
  return since(version, '0.8') ? fc.oneof(...newer) : fc.oneof(...older, ...newer)
})

/** A transaction of a chain. */
export const kept = perVersion((version: V): Arbitrary<Thing> => {
  const handler = thing({
    type: fc.constant('L1_HANDLER'),
    version: versionOf(0),
    nonce: hex,
    contract_address: felt,
    entry_point_selector: felt,
    calldata: felts,
  })
  const older = thing({ ...calls, ...maxFee, version: versionOf(1) })
  const newer = thing({ ...calls, account_deployment_data: felts, ...v3(version) })
  return fc.oneof(handler, older, newer)
})

/** A block with such transactions. */
export function block(version: V, transaction: (open: boolean) => Arbitrary<unknown>): Arbitrary<Thing> {
  const price = thing({
    price_in_wei: hex,
    price_in_fri: version === '0.5.1' ? never : hex,
    price_in_strk: version === '0.5.1' ? maybe(hex) : never,
  })
  const contents = {
    timestamp: index,
    sequencer_address: felt,
    l1_gas_price: price,
    starknet_version: fc.constantFrom('', '0.12.3', '0.13.1', '0.13.3', '0.13.4', '0.14.1'),
    l1_data_gas_price: since(version, '0.7') ? price : never,
    l1_da_mode: since(version, '0.7') ? fc.constantFrom('BLOB', 'CALLDATA') : never,
    l2_gas_price: since(version, '0.8') ? price : never,
  }
  const commitments = Object.fromEntries([
    ...['event', 'transaction', 'receipt', 'state_diff'].map((name) => [`${name}_commitment`, felt]),
    ...['event_count', 'transaction_count', 'state_diff_length'].map((name) => [name, index]),
  ]) as Shape
  const opening = since(version, '0.9') ? ['PRE_CONFIRMED'] : ['PENDING', 'REJECTED']
  return fc.oneof(
    thing({
      ...contents,
      ...(version === '0.10' ? commitments : {}),
      status: fc.constantFrom('ACCEPTED_ON_L2', 'ACCEPTED_ON_L1', ...opening),
      block_hash: felt,
      parent_hash: felt,
      block_number: index,
      new_root: felt,
      transactions: list(transaction(false)),
    }),
    thing({
      ...contents,
      ...(since(version, '0.9') ? { block_number: index } : { parent_hash: felt }),
      transactions: list(transaction(true)),
    }),
  )
}

export function emitted(version: V): Arbitrary<Thing> {
  const place = {
    transaction_index: version === '0.10' ? index : never,
    event_index: version === '0.10' ? index : never,
  }
  return fc
    .tuple(event, thing({ transaction_hash: felt, block_hash: maybe(felt), block_number: maybe(index), ...place }))
    .map(([one, other]) => ({ ...one, ...other }))
}

export function stateUpdate(version: V): Arbitrary<Thing> {
  const state_diff = stateDiff(version)
  return fc.oneof(
    thing({ block_hash: felt, old_root: felt, new_root: felt, state_diff }),
    thing({ old_root: version === '0.10' ? maybe(felt) : felt, state_diff }),
  )
}

export function status(version: V): Arbitrary<Thing> {
  const words = since(version, '0.9')
    ? ['RECEIVED', 'CANDIDATE', 'PRE_CONFIRMED', 'ACCEPTED_ON_L2', 'ACCEPTED_ON_L1']
    : ['RECEIVED', 'REJECTED', 'ACCEPTED_ON_L2', 'ACCEPTED_ON_L1']
  return thing({
    finality_status: fc.constantFrom(...words),
    execution_status: maybe(fc.constantFrom('SUCCEEDED', 'REVERTED')),
    failure_reason: since(version, '0.8') ? maybe(text) : never,
  })
}

export function messageStatus(version: V): Arbitrary<Thing> {
  const words = since(version, '0.9') ? ['PRE_CONFIRMED', 'ACCEPTED_ON_L2'] : ['RECEIVED', 'REJECTED', 'ACCEPTED_ON_L2']
  const execution = fc.constant('SUCCEEDED')
  return thing({
    transaction_hash: felt,
    finality_status: fc.constantFrom(...words),
    execution_status: since(version, '0.9') ? execution : maybe(execution),
  })
}

export function blockId(version: V): Arbitrary<unknown> {
  const tags = since(version, '0.9') ? ['latest', 'l1_accepted'] : ['latest']
  // Mostly the one that versions say differently.
  const open = { arbitrary: fc.constant(since(version, '0.9') ? 'pre_confirmed' : 'pending'), weight: 6 }
  return fc.oneof(open, fc.constantFrom<unknown>(...tags), thing({ block_hash: felt }), thing({ block_number: index }))
}

export { felts, list, maybe, thing }
