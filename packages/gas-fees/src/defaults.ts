/** Draws from the real source of chance, for the waits between attempts; not for secrets. Only this file uses it. */
export const systemRandom = (): number => Math.random()
