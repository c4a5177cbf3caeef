export { type ClientTls, type Connector, createConnector, type ProxyAddress, type Way } from './connector.ts'
export { createUndiciPort, type UndiciPort, type UndiciPortOptions } from './undici-port.ts'
