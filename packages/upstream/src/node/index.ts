export { createReadingTurns, type ReadingTurns } from './reading-turns.ts'
export { createUndiciPort, type UndiciPort, type UndiciPortOptions } from './undici-port.ts'
