/** Called with the bytes of content that have passed. Only Node needs to know: see `passed-node.ts`. */
export function passed(_bytes: number): void {}
