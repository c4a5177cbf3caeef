/** Hears how many bytes of content have passed. Only Node needs to be told: `passed-node.ts`. */
export function passed(_bytes: number): void {}
