import type { RpcRequest } from '@wayleave/jsonrpc-core'

/** Digits, tags, tracers of the node's own, and members as methods name them. */
const plain =
  /"(?:0x[\da-f]*|latest|earliest|pending|safe|finalized|\w{1,16}tracer|address|after|blockhash|blocknumber|count|diffmode|fromaddress|fromblock|onlytopcall|reexec|requirecanonical|timeout|toaddress|toblock|topics|tracer|tracerconfig|withlog|trace|vmtrace|statediff|\d{1,8}m?s)"/gi

/**
 * Whether the params of a call hold words, or code, of its caller's choice: an error may repeat them, so that it says nothing of the node.
 */
export function holdsWords({ params }: RpcRequest): boolean {
  return params?.text().replaceAll(plain, '').includes('"') === true
}
