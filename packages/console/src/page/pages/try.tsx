import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { admin } from '../api/admin.ts'
import { keyInHand } from '../own-keys.ts'
import { Button } from '../parts/button.tsx'
import { AreaField, Field, SelectField, TextField } from '../parts/field.tsx'
import { Notice } from '../parts/notice.tsx'
import { PageHead, Panel } from '../parts/page.tsx'
import { Empty, Failure, Skeleton } from '../parts/states.tsx'
import { useLoad } from '../parts/use-load.ts'
import { hrefOf, query, setQuery } from '../router.ts'
import { lacks, networks, session } from '../session.ts'
import { visible } from '../text/visible.ts'
import { AnswerPanel } from './try/answer-panel.tsx'
import { callGateway, type CallAnswer } from './try/call.ts'
import { bodyOf } from './try/code.ts'
import { CodePanel } from './try/code-panel.tsx'
import { MethodSearch } from './try/method-search.tsx'
import { type Draft, DraftError, type OpenRpc, paramsOf } from './try/open-rpc.ts'
import { ParamFields } from './try/param-fields.tsx'
import { pretty } from './try/pretty.ts'

const firstMethods: Readonly<Record<string, string>> = { starknet: 'starknet_blockNumber' }

/** The page that calls the gateway as an application would. */
export function TryPage(): JSX.Element {
  const names = networks.value
  const chosen = names.find(({ name }) => name === query.value.get('network')) ?? names[0]
  if (chosen === undefined) {
    return (
      <>
        <PageHead title="Try it" />
        <Panel title="Call">
          <Empty title="No network is configured">Name one in the configuration, and reload it.</Empty>
        </Panel>
      </>
    )
  }
  return <TryNetwork name={chosen.name} kind={chosen.kind} />
}

function TryNetwork({ name: network, kind }: { readonly name: string; readonly kind: string }): JSX.Element {
  const { value, error, isLoading, reload } = useLoad(
    async (signal) => (await admin.openRpc(kind, signal)) as OpenRpc,
    [kind],
  )
  // While it loads, that of before is one of another kind.
  const document = isLoading ? undefined : (value ?? { methods: [] })

  return (
    <>
      <PageHead
        title="Try it"
        about="Calls the gateway as an application would: it counts, and shows in the inspector"
      />
      {error !== undefined && <Failure what="The table of methods" error={error} onRetry={reload} />}
      <Caller
        network={network}
        name={query.value.get('method') ?? firstMethods[kind] ?? 'eth_blockNumber'}
        document={document}
      />
    </>
  )
}

function KeyField(): JSX.Element {
  const [isShown, setShown] = useState(false)
  const mayCreate = lacks('accounts') === undefined
  return (
    <Field
      label="Key"
      hint={<>Kept in the memory of this page alone. {mayCreate && <a href={hrefOf('projects')}>Create a key</a>}</>}
    >
      {(control) => (
        <div class="with-button">
          <input
            {...control}
            class="mono"
            type={(isShown ? 'text' : 'password') as 'text'}
            autocomplete="off"
            spellcheck={false}
            value={keyInHand.value}
            onInput={({ currentTarget }) => (keyInHand.value = currentTarget.value.trim())}
          />
          <Button label={isShown ? 'Hide the key' : 'Show the key'} onClick={() => setShown(!isShown)}>
            {isShown ? 'Hide' : 'Show'}
          </Button>
        </div>
      )}
    </Field>
  )
}

/** What belongs to one method of one network. */
interface Entered {
  /** The network and the method. */
  readonly of: string
  readonly drafts: Readonly<Record<string, Draft>>
  readonly isJson: boolean
  readonly json: string
  readonly fault?: string | undefined
  readonly answer?: CallAnswer | undefined
  readonly isBusy: boolean
}

function Caller(props: {
  readonly network: string
  readonly name: string
  /** Undefined while it loads. */
  readonly document: OpenRpc | undefined
}): JSX.Element {
  const { network, name, document } = props
  const methods = (document?.methods ?? []).filter((each) => each['x-effect'] !== 'session')
  /** Undefined: the table does not have it, so its params are JSON. */
  const method = methods.find((each) => each.name === name)
  const of = `${network} ${name}`
  const [secret, setSecret] = useState('')
  const blank: Entered = { of, drafts: {}, isJson: false, json: '[]', isBusy: false }
  const [kept, setKept] = useState(blank)
  const { drafts, isJson, json, fault, answer, isBusy } = kept.of === of ? kept : blank
  const enter = (more: Partial<Entered>): void =>
    setKept((before) => ({ ...(before.of === of ? before : blank), ...more }))
  const gone = useRef(new AbortController())
  useEffect(() => {
    gone.current = new AbortController()
    return () => gone.current.abort()
  }, [of])

  /** The params as JSON: read and printed again, integers beyond 2^53 would be others. */
  function readParams(): string {
    if (method !== undefined && !isJson) return JSON.stringify(paramsOf(method, document!, drafts))
    try {
      JSON.parse(json)
      return json
    } catch (thrown) {
      throw new DraftError(`params: no JSON: ${(thrown as Error).message}`)
    }
  }

  function paramsSoFar(): string {
    try {
      return readParams()
    } catch {
      return '[]'
    }
  }

  function toJson(): void {
    enter(isJson ? { isJson: false } : { isJson: true, json: pretty(paramsSoFar()) })
  }

  const url = `${session.value?.rpc ?? ''}/${network}/v3/${keyInHand.value === '' ? '<key>' : encodeURIComponent(keyInHand.value)}`

  async function call(event: Event): Promise<void> {
    event.preventDefault()
    if (isBusy) return
    if (keyInHand.value === '') return enter({ fault: 'Enter a key first: the gateway asks for one.' })
    const { signal } = gone.current
    let body: string
    try {
      body = bodyOf({ method: name, params: readParams() })
    } catch (thrown) {
      return enter({ fault: (thrown as Error).message })
    }
    enter({ fault: undefined, isBusy: true })
    try {
      const found = await callGateway({ url, secret, body }, signal)
      enter({ answer: found, isBusy: false })
    } catch {
      if (signal.aborted) return
      enter({
        answer: undefined,
        isBusy: false,
        fault: `${session.value?.rpc ?? 'The gateway'} gives no answer to this page. Is its JSON-RPC listener reachable from here? Behind a proxy, admin.publicRpc names its address.`,
      })
    }
  }

  return (
    <div class="columns">
      <Panel title="Call">
        <form class="form" onSubmit={(event) => void call(event)}>
          <div class="form-row">
            <SelectField
              label="Network"
              value={network}
              onChange={(chosen) => setQuery({ network: chosen, method: undefined })}
              options={networks.value.map((each) => ({ value: each.name, text: visible(each.name) }))}
            />
            <MethodSearch methods={methods} value={name} onChange={(chosen) => setQuery({ method: chosen })} />
          </div>
          {method?.summary !== undefined && <p class="muted">{method.summary}</p>}
          {method?.['x-effect'] === 'write' && (
            <Notice kind="warn">This method changes the chain: what it sends cannot be taken back.</Notice>
          )}
          <KeyField />
          <details class="help">
            <summary>The project asks for a secret, too</summary>
            <TextField label="Secret of the key" type="password" value={secret} onChange={setSecret} />
          </details>
          <div class="row params-head">
            <h3>Params</h3>
            {method !== undefined && (
              <button type="button" class="link small" aria-pressed={isJson} onClick={toJson}>
                {isJson ? 'As a form' : 'As JSON'}
              </button>
            )}
          </div>
          {document === undefined ? (
            <Skeleton rows={2} />
          ) : isJson || method === undefined ? (
            <AreaField
              label="Params, as JSON"
              rows={6}
              isMono
              value={json}
              onChange={(text) => enter({ json: text })}
            />
          ) : (
            <ParamFields
              key={of}
              method={method}
              document={document}
              drafts={drafts}
              onChange={(next) => enter({ drafts: next })}
            />
          )}
          {fault !== undefined && <Notice kind="bad">{fault}</Notice>}
          <div class="form-foot">
            <Button kind="primary" type="submit" isBusy={isBusy}>
              Call
            </Button>
          </div>
        </form>
      </Panel>
      <div class="stack beside">
        <AnswerPanel key={of} answer={answer} isBusy={isBusy} />
        <CodePanel sample={{ url, method: name, params: paramsSoFar() }} keyText={keyInHand.value} />
      </div>
    </div>
  )
}
