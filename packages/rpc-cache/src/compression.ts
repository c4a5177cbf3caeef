/** Makes bodies smaller off the thread. A port: `@wayleave/rpc-cache/node` has it over the zstd of Node. */
export interface Compression {
  /** @throws whatever the codec throws; the answer then stays as it is */
  compress(bytes: Uint8Array): Promise<Uint8Array>
  /** `byteLength`: what it must give, and the most that it may. @throws whatever the codec throws; the answer is then asked for again */
  decompress(bytes: Uint8Array, byteLength: number): Promise<Uint8Array>
}
