const node = 'ws://127.0.0.1:9'
const tlsNode = 'wss://127.0.0.1:9'
export const networks = { mainnet: { kind: 'evm', chainId: 1, upstreams: [node] } }
export const project = (settings: object) => ({ projects: [{ name: 'p', keys: [], ...settings }] })
const keyed = (settings: object) => project({ keys: [{ key: 'a-key-that-is-long-enough', ...settings }] })
export const rule = (list: string, value: unknown) => project({ rules: { [list]: value } })
export const upstream = (settings: object) => ({
  networks: { mainnet: { ...networks.mainnet, upstreams: [{ url: node, ...settings }] } },
})
export const network = (settings: object) => ({ networks: { mainnet: { ...networks.mainnet, ...settings } } })
export const planned = (methods: object) => ({ plans: { free: { methods } } })
export const token = (settings: object) => ({
  admin: { tokens: [{ name: 't', tokenHash: `sha256:${'ab'.repeat(32)}`, scopes: ['read'], ...settings }] },
})
const random = 'Zk3vQ8mXw2Lr7TnB5yHc'
const reached = { rpc: '127.0.0.1:0', admin: '0.0.0.0:0' }
const daily = (settings: object) => ({ plans: { free: { perDay: { credits: 5, ...settings } } } })
const signed = (pem: string) => project({ jwt: { keys: [{ id: 'k', pem }] } })
const compared = (settings: object) =>
  network({ upstreams: [node, 'ws://127.0.0.1:8'], consensus: { methods: ['eth_call'], ...settings } })

/** A configuration that can be served, with further members. */
export function configWith(further: object): object {
  return { listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' }, networks, ...further }
}

/** Settings that protect something: the place of each, a typing error of it, and the value of a template that renders nothing. */
export const weakenedSettings: readonly (readonly [place: string, typo: object, empty: object])[] = [
  ['methods.deny', { methods: { deny: ['debug'] } }, { methods: { deny: [] } }],
  ['methods.deny of a prefix', { methods: { deny: ['trace_'] } }, { methods: { deny: [''] } }],
  ['methods.deny', { methods: { deny: ['trcae_*'] } }, { methods: { deny: null } }],
  ['methods.deny', { methods: { deny: ['debug_setHaed'] } }, { methods: { deny: [''] } }],
  ['methods.denyByDefault', { methods: { denyByDefault: 'no' } }, { methods: { denyByDefault: '${EMPTY}' } }],
  ['methods', { methods: { denied: ['debug_*'] } }, { methods: null }],
  [
    'networks.mainnet.upstreams[0].methods.deny',
    upstream({ methods: { deny: ['debug'] } }),
    upstream({ methods: { deny: [] } }),
  ],
  [
    'networks.mainnet.upstreams[0].methods.allow',
    upstream({ methods: { allow: ['eth'] } }),
    upstream({ methods: { allow: [] } }),
  ],
  ['networks.mainnet.upstreams[0].verify', upstream({ verify: 'provn' }), upstream({ verify: '${EMPTY}' })],
  [
    'networks.mainnet.upstreams[0].budget.perSecond',
    upstream({ budget: { perSecond: 0 } }),
    upstream({ budget: { perSecond: null } }),
  ],
  ['projects[0].rules.methods', rule('methods', ['eth_*']), rule('methods', [])],
  ['projects[0].rules.addresses', rule('addresses', ['0xzz']), rule('addresses', [])],
  ['projects[0].rules.origins', rule('origins', ['https://*.com']), rule('origins', [])],
  ['projects[0].rules.origins', rule('origins', ['*']), rule('origins', ['${EMPTY}'])],
  ['projects[0].rules.userAgents', rule('userAgents', 'MyWallet/'), rule('userAgents', [])],
  ['projects[0].rules.sources', rule('sources', ['10.0.0.0/33']), rule('sources', [])],
  ['projects[0].rules', project({ rules: { source: ['10.0.0.0/8'] } }), project({ rules: {} })],
  ['projects[0].requireSecret', project({ requireSecret: 'yes' }), project({ requireSecret: null })],
  ['projects[0].requireJwt', project({ requireJWT: true }), project({ requireJwt: null })],
  ['projects[0].jwt.keys', project({ jwt: { keys: ['pem'] } }), project({ jwt: { keys: [] } })],
  ['projects[0].jwt.audience', project({ jwt: { audience: 7 } }), project({ jwt: { audience: '${EMPTY}' } })],
  [
    'projects[0].secretBypassesRules',
    project({ secretBypassesRules: 'false' }),
    project({ secretBypassesRules: '${EMPTY}' }),
  ],
  ['projects[0].networks', project({ networks: ['mainet'] }), project({ networks: null })],
  ['projects[0].upstreams', project({ upstreams: ['payed'] }), project({ upstreams: [] })],
  ['projects[0].plan', project({ plan: 'fre' }), project({ plan: '${EMPTY}' })],
  ['projects[0].ipfs.storedBytes', project({ ipfs: { storedBytes: '1GB' } }), project({ ipfs: { storedBytes: null } })],
  ['projects[0].keys[0].key', keyed({ key: 'short' }), keyed({ key: '${EMPTY}' })],
  ['projects[0].keys[0].secret', keyed({ secret: 7 }), keyed({ secret: '${BLANK}' })],
  ['projects[0].keys[0].secrets', keyed({ secrets: [{ secrt: 'x' }] }), keyed({ secrets: [] })],
  ['projects[0].keys[0].expiresAt', keyed({ expiresAt: '31.1.2027' }), keyed({ expiresAt: '${EMPTY}' })],
  ['projects[0].keys[0].disabled', keyed({ disabled: 'true' }), keyed({ disabled: null })],
  ['projects[0].keys[0].plan', keyed({ plan: 'fre' }), keyed({ plan: '' })],
  ['plans.free', { plans: { free: { perSeconds: {} } } }, { plans: { free: {} } }],
  ['plans.free.perSecond', { plans: { free: { perSecond: 5 } } }, { plans: { free: { perSecond: {} } } }],
  [
    'plans.free.methods',
    { plans: { free: { methods: { debug: { perSecond: { credits: 1 } } } } } },
    { plans: { free: { methods: null } } },
  ],
  ['prices.evm', { prices: { evm: { '*': 0 } } }, { prices: { evm: null } }],
  ['admin.token', { admin: { token: 'short' } }, { admin: { token: '${EMPTY}' } }],
  ['admin.token', { admin: { token: 'with a space in its middle' } }, { admin: { token: '${BLANK}' } }],
  ['admin.tokens[0].scopes', token({ scopes: ['red'] }), token({ scopes: null })],
  ['admin.tokens[0].expiresAt', token({ expiresAt: 'soon' }), token({ expiresAt: '' })],
  ['admin.hosts', { admin: { hosts: ['*'] } }, { admin: { hosts: [''] } }],
  ['listen.rpc', { listen: { rpc: ':8545' } }, { listen: { rpc: '${EMPTY}' } }],
  ['listen.admin', { listen: { admin: '8546' } }, { listen: { admin: '${EMPTY}:8546' } }],
  ['listen.ipfs', { listen: { ipfs: '*:5001' } }, { listen: { ipfs: '' } }],
  ['listen.tls', { listen: { tls: { cert: 'c' } } }, { listen: { tls: {} } }],
  ['listen.tls.key', { listen: { tls: { cert: 'c', key: 7 } } }, { listen: { tls: { cert: 'c', key: '${EMPTY}' } } }],
  ['trustedProxies', { trustedProxies: ['0.0.0.0/0'] }, { trustedProxies: [''] }],
  ['onlyLocal', { onlyLocal: 'true' }, { onlyLocal: null }],
  ['limits.maxInFlight', { limits: { maxInFlight: 0 } }, { limits: { maxInFlight: null } }],
  ['limits.maxBodyBytes', { limits: { maxBodyBytes: '5MB' } }, { limits: { maxBodyBytes: '${EMPTY}' } }],
  ['webhook.secret', { webhook: { url: 'https://h', secret: 'short' } }, { webhook: { url: 'https://h', secret: '' } }],
  ['admin.token', { listen: reached }, { listen: reached, admin: { tokens: [] } }],
  ['admin.token', { admin: { token: 'changeme-changeme' } }, { admin: { token: '' } }],
  ['admin.tokens[0].tokenHash', token({ tokenHash: 'sha256:ab' }), token({ tokenHash: '${EMPTY}' })],
  ['admin.console', { admin: { console: 'off' } }, { admin: { console: null } }],
  ['networks.mainnet.upstreams', network({ upstreams: [node, 'ws://LOCALHOST:9/'] }), network({ upstreams: [] })],
  ['networks.mainnet.upstreams[0].headers', upstream({ headers: { Expect: 'x' } }), upstream({ headers: { a: '' } })],
  ['networks.mainnet.upstreams[0].methods', upstream({ methods: { allows: [] } }), upstream({ methods: {} })],
  ['networks.mainnet.upstreams[0].budget', upstream({ budget: { perHour: 1 } }), upstream({ budget: {} })],
  ['networks.mainnet.upstreams[0].compress', upstream({ compress: 'gzip' }), upstream({ compress: null })],
  ['networks.mainnet.upstreams[0].proxy', upstream({ proxy: 'socks5://h' }), upstream({ proxy: '${EMPTY}' })],
  ['networks.mainnet.upstreams[0].tls', upstream({ url: tlsNode, tls: { cert: 'c' } }), upstream({ tls: {} })],
  [
    'networks.mainnet.upstreams[0].tls.ca',
    upstream({ url: tlsNode, tls: { ca: 'absent.pem' } }),
    upstream({ url: tlsNode, tls: { ca: '' } }),
  ],
  [
    'networks.mainnet.upstreams[0].headers',
    upstream({ headers: { 'Content-Length': '1' } }),
    upstream({ headers: { 'Transfer-Encoding': '' } }),
  ],
  ['listen.compress', { listen: { compress: 'gzip' } }, { listen: { compress: '${EMPTY}' } }],
  ['networks.mainnet.upstreams[0].private', upstream({ private: 'yes' }), upstream({ private: null })],
  ['networks.mainnet.upstreams[0].groups', upstream({ groups: 'paid' }), upstream({ groups: [''] })],
  ['networks.mainnet.consensus.methods', compared({ methods: ['eth_cal'] }), compared({ methods: [] })],
  ['networks.mainnet.consensus.participants', compared({ participants: 1 }), compared({ participants: null })],
  [
    'networks.mainnet.timeouts.byMethod',
    network({ timeouts: { byMethod: { eth_cal: '9s' } } }),
    network({ timeouts: {} }),
  ],
  ['projects[0].rules.methods', rule('methods', ['eth_getlogs']), rule('methods', [''])],
  ['projects[0].rules.userAgents', rule('userAgents', [' ']), rule('userAgents', [''])],
  ['projects[0].directives', project({ directives: { skipCache: 'nevr' } }), project({ directives: {} })],
  ['projects[0].transactions', project({ transactions: 'privat' }), project({ transactions: '' })],
  ['projects[0].ipfs', project({ ipfs: { storeBytes: 1 } }), project({ ipfs: {} })],
  ['projects[0].keys[0].keyHash', project({ keys: [{ keyHash: 'ab' }] }), project({ keys: [{ keyHash: '' }] })],
  ['projects[0].jwt.keys[0].pem', signed('ssh-rsa'), signed('${EMPTY}')],
  ['plans.free.methods', planned({ eth_getLosg: { perDay: { credits: 0 } } }), planned({})],
  ['plans.free.perDay.marks', daily({ marks: [101] }), daily({ marks: [] })],
  ['plans.free.perDay.action', daily({ action: 'stopp' }), daily({ action: null })],
  ['prices.evm', { prices: { evm: { eth_getlogs: 0 } } }, { prices: { evm: {} } }],
  ['prices.events', { prices: { events: { newheads: 1 } } }, { prices: { events: {} } }],
  ['bareHosts', { bareHosts: ['*'] }, { bareHosts: [''] }],
  ['dataDir', { dataDir: '~/state' }, { dataDir: ' ' }],
  ['redis', { redis: 'redis//h' }, { redis: [] }],
  ['webhook.url', { webhook: { url: 'h', secret: random } }, { webhook: { url: '${EMPTY}', secret: random } }],
  ['limits', { limits: { maxBatches: 5 } }, { limits: {} }],
]
