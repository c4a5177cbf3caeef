export { createUndiciPort, type UndiciPort, type UndiciPortOptions } from './undici-port.ts'
