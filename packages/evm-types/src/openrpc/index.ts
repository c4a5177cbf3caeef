export { evmOpenRpcDocument } from './evm-openrpc-document.ts'
