/** The real source of chance, for the waits between attempts; not for secrets. This file alone touches it. */
export const systemRandom = (): number => Math.random()
