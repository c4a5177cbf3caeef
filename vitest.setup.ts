import fc from 'fast-check'

// The same examples everywhere: a change fails by what it does, and not by luck. `PROPERTY_SEED=random` looks for new ones,
// and a number repeats what was found.
const { PROPERTY_SEED: seed = '1' } = process.env
if (seed !== 'random') fc.configureGlobal({ seed: Number(seed) })
