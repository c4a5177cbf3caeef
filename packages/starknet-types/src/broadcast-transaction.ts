import type { Schema } from '@wayleave/jsonrpc-core/schema'
import { byKind } from './by-kind.ts'
import {
  type BroadcastDeclareV1,
  broadcastDeclareV1,
  type BroadcastDeclareV2,
  broadcastDeclareV2,
  type BroadcastDeclareV3,
  broadcastDeclareV3,
} from './declare.ts'
import { type DeployAccountV1, deployAccountV1, type DeployAccountV3, deployAccountV3 } from './deploy-account.ts'
import {
  type InvokeV0,
  invokeV0,
  type InvokeV1,
  invokeV1,
  type InvokeV3,
  invokeV3,
  type ProvenInvokeV3,
  provenInvokeV3,
} from './invoke.ts'
import { merge } from './object-of.ts'
import { bounds_0_6, bounds_0_8, type ThreeBounds, type TwoBounds } from './transaction-parts.ts'
import type { StarknetVersion } from './versions.ts'

/** Nodes of today take version 3 alone, and callers of 0.5.1 reach them through an adapter: so it stands there, too. */
type AnyBounds = TwoBounds | ThreeBounds

interface Invokes {
  readonly '0.5.1': InvokeV0 | InvokeV1 | InvokeV3<AnyBounds>
  readonly '0.6': InvokeV0 | InvokeV1 | InvokeV3<TwoBounds>
  readonly '0.7': InvokeV0 | InvokeV1 | InvokeV3<TwoBounds>
  readonly '0.8': InvokeV3<ThreeBounds>
  readonly '0.9': InvokeV3<ThreeBounds>
  readonly '0.10': ProvenInvokeV3<ThreeBounds>
}

interface Declares {
  readonly '0.5.1': BroadcastDeclareV1 | BroadcastDeclareV2 | BroadcastDeclareV3<AnyBounds>
  readonly '0.6': BroadcastDeclareV1 | BroadcastDeclareV2 | BroadcastDeclareV3<TwoBounds>
  readonly '0.7': BroadcastDeclareV1 | BroadcastDeclareV2 | BroadcastDeclareV3<TwoBounds>
  readonly '0.8': BroadcastDeclareV3<ThreeBounds>
  readonly '0.9': BroadcastDeclareV3<ThreeBounds>
  readonly '0.10': BroadcastDeclareV3<ThreeBounds>
}

interface DeployAccounts {
  readonly '0.5.1': DeployAccountV1 | DeployAccountV3<AnyBounds>
  readonly '0.6': DeployAccountV1 | DeployAccountV3<TwoBounds>
  readonly '0.7': DeployAccountV1 | DeployAccountV3<TwoBounds>
  readonly '0.8': DeployAccountV3<ThreeBounds>
  readonly '0.9': DeployAccountV3<ThreeBounds>
  readonly '0.10': DeployAccountV3<ThreeBounds>
}

/** A call by an account, as it is sent. Source: Starknet RPC, `BROADCASTED_INVOKE_TXN`. */
export type BroadcastInvoke<V extends StarknetVersion = StarknetVersion> = Invokes[V]

/** A class to declare, as it is sent. Source: Starknet RPC, `BROADCASTED_DECLARE_TXN`. */
export type BroadcastDeclare<V extends StarknetVersion = StarknetVersion> = Declares[V]

/** An account to deploy, as it is sent. Source: Starknet RPC, `BROADCASTED_DEPLOY_ACCOUNT_TXN`. */
export type BroadcastDeployAccount<V extends StarknetVersion = StarknetVersion> = DeployAccounts[V]

/** A transaction as it is sent, estimated or simulated. Source: Spec §2.7; Starknet RPC, `BROADCASTED_TXN`. */
export type BroadcastTransaction<V extends StarknetVersion = StarknetVersion> =
  | BroadcastInvoke<V>
  | BroadcastDeclare<V>
  | BroadcastDeployAccount<V>

const words = 'a transaction'

const invokesOld = { 'INVOKE 0x0': invokeV0, 'INVOKE 0x1': invokeV1 }
const declaresOld = { 'DECLARE 0x1': broadcastDeclareV1, 'DECLARE 0x2': broadcastDeclareV2 }
const deployAccountsOld = { 'DEPLOY_ACCOUNT 0x1': deployAccountV1 }
const invokes_0_6 = /*#__PURE__*/ merge(invokesOld, { 'INVOKE 0x3': /*#__PURE__*/ invokeV3(bounds_0_6) })
const declares_0_6 = /*#__PURE__*/ merge(declaresOld, { 'DECLARE 0x3': /*#__PURE__*/ broadcastDeclareV3(bounds_0_6) })
const deployAccounts_0_6 = /*#__PURE__*/ merge(deployAccountsOld, {
  'DEPLOY_ACCOUNT 0x3': /*#__PURE__*/ deployAccountV3(bounds_0_6),
})
const declares_0_8 = { 'DECLARE 0x3': /*#__PURE__*/ broadcastDeclareV3(bounds_0_8) }
const deployAccounts_0_8 = { 'DEPLOY_ACCOUNT 0x3': /*#__PURE__*/ deployAccountV3(bounds_0_8) }
const invokes_0_8 = { 'INVOKE 0x3': /*#__PURE__*/ invokeV3(bounds_0_8) }
const invokes_0_10 = { 'INVOKE 0x3': /*#__PURE__*/ provenInvokeV3(bounds_0_8) }

export const broadcastInvoke_0_5: Schema<BroadcastInvoke<'0.5.1'>> = /*#__PURE__*/ byKind(words, invokes_0_6)
/** Checks a {@link BroadcastInvoke} of 0.6 and 0.7. */
export const broadcastInvoke_0_6: Schema<BroadcastInvoke<'0.6'>> = /*#__PURE__*/ byKind(words, invokes_0_6)
/** Checks a {@link BroadcastInvoke} of 0.8 and 0.9. */
export const broadcastInvoke_0_8: Schema<BroadcastInvoke<'0.8'>> = /*#__PURE__*/ byKind(words, invokes_0_8)
export const broadcastInvoke_0_10: Schema<BroadcastInvoke<'0.10'>> = /*#__PURE__*/ byKind(words, invokes_0_10)

export const broadcastDeclare_0_5: Schema<BroadcastDeclare<'0.5.1'>> = /*#__PURE__*/ byKind(words, declares_0_6)
/** Checks a {@link BroadcastDeclare} of 0.6 and 0.7. */
export const broadcastDeclare_0_6: Schema<BroadcastDeclare<'0.6'>> = /*#__PURE__*/ byKind(words, declares_0_6)
/** Checks a {@link BroadcastDeclare} from 0.8. */
export const broadcastDeclare_0_8: Schema<BroadcastDeclare<'0.8'>> = /*#__PURE__*/ byKind(words, declares_0_8)

export const broadcastDeployAccount_0_5: Schema<BroadcastDeployAccount<'0.5.1'>> = /*#__PURE__*/ byKind(
  words,
  deployAccounts_0_6,
)
/** Checks a {@link BroadcastDeployAccount} of 0.6 and 0.7. */
export const broadcastDeployAccount_0_6: Schema<BroadcastDeployAccount<'0.6'>> = /*#__PURE__*/ byKind(
  words,
  deployAccounts_0_6,
)
/** Checks a {@link BroadcastDeployAccount} from 0.8. */
export const broadcastDeployAccount_0_8: Schema<BroadcastDeployAccount<'0.8'>> = /*#__PURE__*/ byKind(
  words,
  deployAccounts_0_8,
)

export const broadcastTransaction_0_5: Schema<BroadcastTransaction<'0.5.1'>> = /*#__PURE__*/ byKind(
  words,
  /*#__PURE__*/ merge(/*#__PURE__*/ merge(invokes_0_6, declares_0_6), deployAccounts_0_6),
)
/** Checks a {@link BroadcastTransaction} of 0.6 and 0.7. */
export const broadcastTransaction_0_6: Schema<BroadcastTransaction<'0.6'>> = /*#__PURE__*/ byKind(
  words,
  /*#__PURE__*/ merge(/*#__PURE__*/ merge(invokes_0_6, declares_0_6), deployAccounts_0_6),
)
/** Checks a {@link BroadcastTransaction} of 0.8 and 0.9. */
export const broadcastTransaction_0_8: Schema<BroadcastTransaction<'0.8'>> = /*#__PURE__*/ byKind(
  words,
  /*#__PURE__*/ merge(/*#__PURE__*/ merge(invokes_0_8, declares_0_8), deployAccounts_0_8),
)
export const broadcastTransaction_0_10: Schema<BroadcastTransaction<'0.10'>> = /*#__PURE__*/ byKind(
  words,
  /*#__PURE__*/ merge(/*#__PURE__*/ merge(invokes_0_10, declares_0_8), deployAccounts_0_8),
)
