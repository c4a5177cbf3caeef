import fc from 'fast-check'
import { constants, ec, hash as oracle, v2hash } from 'starknet'
import { expect, test } from 'vitest'
import {
  contractAddress,
  declareV1Hash,
  declareV2Hash,
  declareV3Hash,
  deployAccountV1Hash,
  deployAccountV3Hash,
  invokeV1Hash,
  invokeV3Hash,
  l1HandlerHash,
  publicKeyOf,
  selector,
  sierraClassHash,
  sign,
  transactionHash,
  verifySignature,
} from '../../src/hash/index.ts'

const hex = (max: bigint): fc.Arbitrary<string> =>
  fc.oneof(fc.bigInt(0n, max), fc.constantFrom(0n, 1n, max)).map((number) => `0x${number.toString(16)}`)
const felt = hex(2n ** 251n + 17n * 2n ** 192n)
const list = fc.array(felt, { maxLength: 5 })
const bound = fc.record({ max_amount: hex(2n ** 64n - 1n), max_price_per_unit: hex(2n ** 128n - 1n) })
const mode = fc.constantFrom('L1' as const, 'L2' as const)
const chain = fc.constantFrom(...Object.values(constants.StarknetChainId))

const version3 = {
  version: fc.constantFrom('0x3' as const, '0x100000000000000000000000000000003' as const),
  nonce: felt,
  tip: hex(2n ** 64n - 1n),
  resource_bounds: fc.record({ l1_gas: bound, l2_gas: bound, l1_data_gas: bound }),
  paymaster_data: list,
  nonce_data_availability_mode: mode,
  fee_data_availability_mode: mode,
}

type Bound = { readonly max_amount: string; readonly max_price_per_unit: string }

interface Version3 {
  readonly version: '0x3' | '0x100000000000000000000000000000003'
  readonly nonce: string
  readonly tip: string
  readonly resource_bounds: { readonly l1_gas: Bound; readonly l2_gas: Bound; readonly l1_data_gas: Bound }
  readonly paymaster_data: string[]
  readonly nonce_data_availability_mode: 'L1' | 'L2'
  readonly fee_data_availability_mode: 'L1' | 'L2'
}

/** The same in the words of starknet.js. */
function common(tx: Version3, chainId: constants.StarknetChainId) {
  const big = ({ max_amount, max_price_per_unit }: Bound) => ({
    max_amount: BigInt(max_amount),
    max_price_per_unit: BigInt(max_price_per_unit),
  })
  const { l1_gas, l2_gas, l1_data_gas } = tx.resource_bounds
  return {
    chainId,
    version: tx.version,
    nonce: tx.nonce,
    tip: tx.tip,
    resourceBounds: { l1_gas: big(l1_gas), l2_gas: big(l2_gas), l1_data_gas: big(l1_data_gas) },
    paymasterData: tx.paymaster_data,
    nonceDataAvailabilityMode: tx.nonce_data_availability_mode === 'L1' ? 0 : 1,
    feeDataAvailabilityMode: tx.fee_data_availability_mode === 'L1' ? 0 : 1,
  } as const
}

test('starknet.js hashes every INVOKE of version 3 alike', () => {
  const invoke = fc.record(
    { ...version3, sender_address: felt, calldata: list, account_deployment_data: list, proof_facts: list },
    {
      requiredKeys: [
        ...(Object.keys(version3) as (keyof typeof version3)[]),
        'sender_address',
        'calldata',
        'account_deployment_data',
      ],
    },
  )
  fc.assert(
    fc.property(invoke, chain, (tx, chainId) => {
      const expected = oracle.calculateInvokeTransactionHash({
        ...common(tx, chainId),
        senderAddress: tx.sender_address,
        compiledCalldata: tx.calldata,
        accountDeploymentData: tx.account_deployment_data,
        ...(tx.proof_facts && { proofFacts: tx.proof_facts }),
      })
      expect(invokeV3Hash(tx, chainId)).toBe(expected)
      expect(transactionHash({ type: 'INVOKE', ...tx }, chainId)).toBe(expected)
    }),
    { numRuns: 40 },
  )
})

test('starknet.js hashes every DECLARE of version 3 alike', () => {
  const declare = fc.record({
    ...version3,
    sender_address: felt,
    class_hash: felt,
    compiled_class_hash: felt,
    account_deployment_data: list,
  })
  fc.assert(
    fc.property(declare, chain, (tx, chainId) => {
      const expected = oracle.calculateDeclareTransactionHash({
        ...common(tx, chainId),
        senderAddress: tx.sender_address,
        classHash: tx.class_hash,
        compiledClassHash: tx.compiled_class_hash,
        accountDeploymentData: tx.account_deployment_data,
      })
      expect(declareV3Hash(tx, chainId)).toBe(expected)
    }),
    { numRuns: 40 },
  )
})

const deployment = { class_hash: felt, contract_address_salt: felt, constructor_calldata: list }

test('starknet.js finds the same addresses, and hashes every DEPLOY_ACCOUNT alike', () => {
  const v1 = fc.record({ ...deployment, version: fc.constant('0x1'), max_fee: felt, nonce: felt })
  fc.assert(
    fc.property(fc.record({ ...version3, ...deployment }), v1, felt, chain, (tx, old, deployer, chainId) => {
      const { contract_address_salt: salt, class_hash: classHash, constructor_calldata: constructorCalldata } = tx
      const at = (from: string) => oracle.calculateContractAddressFromHash(salt, classHash, constructorCalldata, from)
      expect(contractAddress({ salt, classHash, constructorCalldata, deployer })).toBe(at(deployer))
      expect(contractAddress({ salt, classHash, constructorCalldata })).toBe(at('0x0'))
      expect(deployAccountV3Hash(tx, chainId)).toBe(
        oracle.calculateDeployAccountTransactionHash({
          ...common(tx, chainId),
          contractAddress: at('0x0'),
          classHash,
          compiledConstructorCalldata: constructorCalldata as never,
          salt,
        }),
      )
      const { class_hash, contract_address_salt, constructor_calldata, max_fee, nonce } = old
      const address = oracle.calculateContractAddressFromHash(
        contract_address_salt,
        class_hash,
        constructor_calldata,
        0,
      )
      const expected = v2hash.calculateDeployAccountTransactionHash(
        address,
        class_hash,
        constructor_calldata,
        contract_address_salt,
        1,
        max_fee,
        chainId,
        nonce,
      )
      expect(BigInt(deployAccountV1Hash(old, chainId))).toBe(BigInt(expected))
    }),
    { numRuns: 4 },
  )
})

test('starknet.js hashes the older types alike', () => {
  const tx = fc.record({ sender_address: felt, calldata: list, max_fee: felt, nonce: felt, class_hash: felt })
  fc.assert(
    fc.property(tx, felt, felt, chain, (old, other, from, chainId) => {
      const { sender_address, calldata, max_fee, nonce, class_hash } = old
      const invoke = v2hash.calculateTransactionHash(sender_address, 1, calldata, max_fee, chainId, nonce)
      expect(BigInt(invokeV1Hash({ ...old, version: '0x1' }, chainId))).toBe(BigInt(invoke))
      const v1 = v2hash.calculateDeclareTransactionHash(class_hash, sender_address, 1, max_fee, chainId, nonce)
      expect(BigInt(declareV1Hash({ ...old, version: '0x1' }, chainId))).toBe(BigInt(v1))
      const v2 = v2hash.calculateDeclareTransactionHash(class_hash, sender_address, 2, max_fee, chainId, nonce, other)
      const declared = declareV2Hash({ ...old, version: '0x2', compiled_class_hash: other }, chainId)
      expect(BigInt(declared)).toBe(BigInt(v2))
      const message = v2hash.calculateL2MessageTxHash(from, sender_address, BigInt(other), calldata, chainId, nonce)
      const handler = { contract_address: sender_address, entry_point_selector: other, calldata: [from, ...calldata] }
      expect(BigInt(l1HandlerHash({ ...handler, version: '0x0', nonce }, chainId))).toBe(BigInt(message))
    }),
    { numRuns: 4 },
  )
})

test('starknet.js finds the same selectors', () => {
  expect(selector('transfer')).toBe('0x83afd3f4caedc6eebf44246fe54e38c95e3179a5ec9ea81740eca5b482d12e')
  expect([selector('__default__'), selector('__l1_default__')]).toEqual(['0x0', '0x0'])
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (name) => {
      expect(selector(name)).toBe(oracle.getSelectorFromName(name))
    }),
  )
})

test('starknet.js finds the same class hash, and a DECLARE may hold the class in place of it', () => {
  const entryPoints = fc.array(fc.record({ selector: felt, function_idx: fc.nat() }), { maxLength: 3 })
  const sierra = fc.record({
    sierra_program: list,
    contract_class_version: fc.constant('0.1.0'),
    entry_points_by_type: fc.record({ EXTERNAL: entryPoints, L1_HANDLER: entryPoints, CONSTRUCTOR: entryPoints }),
    abi: fc.constantFrom('[{"type": "function", "name": "é"}]', '[]'),
  })
  const declare = fc.record({
    ...version3,
    sender_address: felt,
    compiled_class_hash: felt,
    account_deployment_data: list,
  })
  fc.assert(
    fc.property(sierra, declare, chain, (contract_class, tx, chainId) => {
      const abi = JSON.parse(contract_class.abi) as never
      const class_hash = sierraClassHash(contract_class)
      expect(class_hash).toBe(oracle.computeSierraContractClassHash({ ...contract_class, abi } as never))
      expect(transactionHash({ type: 'DECLARE', ...tx, contract_class }, chainId)).toBe(
        declareV3Hash({ ...tx, class_hash }, chainId),
      )
    }),
    { numRuns: 20 },
  )
})

test('what we sign verifies with starknet.js, and what it signs verifies here', () => {
  const key = fc.bigInt(1n, 2n ** 251n).map((number) => `0x${number.toString(16)}`)
  fc.assert(
    fc.property(key, hex(2n ** 251n - 1n), (privateKey, hash) => {
      const publicKey = publicKeyOf(privateKey)
      expect(publicKey).toBe(ec.starkCurve.getStarkKey(privateKey))
      const [r, s] = sign(hash, privateKey)
      const full = ec.starkCurve.getPublicKey(privateKey)
      expect(ec.starkCurve.verify(new ec.starkCurve.Signature(BigInt(r), BigInt(s)), hash, full)).toBe(true)
      const theirs = ec.starkCurve.sign(hash, privateKey)
      const signature = [theirs.r, theirs.s].map((number) => `0x${number.toString(16)}`)
      expect(verifySignature({ hash, publicKey, signature })).toBe(true)
    }),
    { numRuns: 6 },
  )
})
