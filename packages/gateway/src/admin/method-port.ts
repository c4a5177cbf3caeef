import { loadNetworkKinds } from '@wayleave/network'
import type { MethodPort, NetworkFamily } from '@wayleave/admin-api'

/** Makes the port that describes the methods of networks. Their tables load when somebody asks. */
export function methodPort(version: string): MethodPort {
  const made = new Map<NetworkFamily, Promise<object>>()
  return {
    openRpc(kind) {
      let document = made.get(kind)
      if (document === undefined) made.set(kind, (document = loaders[kind](version)))
      return document
    },
  }
}

const loaders: Readonly<Record<NetworkFamily, (version: string) => Promise<object>>> = {
  async evm(version) {
    const { evmOpenRpcDocument } = await import('@wayleave/evm-types/openrpc')
    const document = evmOpenRpcDocument(version)
    return { ...document, methods: document.methods.filter(({ name }) => !/^(?:rollup|optimism)_/.test(name)) }
  },
  async rollup(version) {
    const { evmOpenRpcDocument } = await import('@wayleave/evm-types/openrpc')
    return evmOpenRpcDocument(version)
  },
  async starknet(version) {
    const { starknetOpenRpcDocument } = await import('@wayleave/starknet-types/openrpc')
    const starknet = (await loadNetworkKinds([{ kind: 'starknet' }]))('starknet')
    // The version of callers whose path names none.
    return starknetOpenRpcDocument(starknet.apiVersions!.usual as '0.5.1', version)
  },
}
