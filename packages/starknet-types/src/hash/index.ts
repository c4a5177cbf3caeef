export { contractAddress, type ContractAddressOf } from './contract-address.ts'
export { declareV0Hash, declareV1Hash, declareV2Hash, declareV3Hash } from './declare.ts'
export { deployAccountV1Hash, deployAccountV3Hash, deployHash } from './deploy.ts'
export { invokeV0Hash, invokeV1Hash, invokeV3Hash } from './invoke.ts'
export { l1HandlerHash } from './l1-handler.ts'
export { selector } from './selector.ts'
export { sierraClassHash } from './sierra-class-hash.ts'
export { publicKeyOf, sign, type SignatureToVerify, verifySignature } from './signature.ts'
export { isTransactionHash, transactionHash } from './transaction-hash.ts'
export type {
  HashableBound,
  HashableDeclareV0,
  HashableDeclareV1,
  HashableDeclareV2,
  HashableDeclareV3,
  HashableDeploy,
  HashableDeployAccountV1,
  HashableDeployAccountV3,
  HashableInvokeV0,
  HashableInvokeV1,
  HashableInvokeV3,
  HashableL1Handler,
  HashableTransaction,
  HashableV3Fields,
  SierraClass,
  SierraEntryPoint,
} from './transactions.ts'
