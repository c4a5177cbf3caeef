export { starknetOpenRpcDocument } from './starknet-openrpc-document.ts'
