/** Takes the number of bytes of content that have passed. Only Node needs to know: see `count-bytes-node.ts`. */
export function countBytes(_bytes: number): void {}
